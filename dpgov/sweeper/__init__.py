"""The one process that knows every room: what it does in each round."""
