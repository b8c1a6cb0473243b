"""Noise as a value, how far it spreads, and the one place where it is drawn."""
