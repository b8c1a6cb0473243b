"""What happened that somebody should hear of."""
