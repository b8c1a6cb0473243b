"""Doors of the ledger, for the rooms above it."""
