"""Answers that cost nothing, out of earlier ones."""
