"""Signing in: where it differs from the library's own way."""
