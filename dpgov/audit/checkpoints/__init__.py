"""Checkpoints: signed, delivered, and by which key."""
