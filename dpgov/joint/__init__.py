"""Joint answers: one total of several organisations, none of whom sees another's numbers."""
