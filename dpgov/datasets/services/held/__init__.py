"""Data that waits for a decision, and who may look at it."""
