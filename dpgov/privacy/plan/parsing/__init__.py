"""A plan from JSON: the one door through which questions come in."""
