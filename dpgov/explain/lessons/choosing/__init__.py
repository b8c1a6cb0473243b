"""What whoever declares or asks can choose, and what it costs."""
