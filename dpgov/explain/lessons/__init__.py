"""Lessons on invented numbers: one figure, one control and one sentence to take away each."""
