"""Readers of the environment, for the settings alone."""
