"""Pages of notices and webhooks."""
