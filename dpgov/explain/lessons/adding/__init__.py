"""What adds up: over questions, over people, and where a promise may fail."""
