"""What may be typed about limits."""
