"""What may be typed about datasets."""
