"""What is stored of sentences."""
