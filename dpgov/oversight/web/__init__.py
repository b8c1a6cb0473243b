"""Pages of the officer."""
