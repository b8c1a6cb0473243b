"""Invented tables and answers out of declarations alone."""
