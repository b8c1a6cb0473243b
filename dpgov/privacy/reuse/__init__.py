"""New numbers out of released ones, for nothing."""
