"""Signed notes and the chain of keys that signs them."""
