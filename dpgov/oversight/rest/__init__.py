"""REST doors of the log."""
