"""Pages of people, and what surrounds every request."""
