"""Registrations that a worker reads."""
