"""Questions that were asked."""
