"""What officers type."""
