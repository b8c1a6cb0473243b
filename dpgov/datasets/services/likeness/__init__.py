"""Which earlier data has the same people."""
