"""The audit log, found and said."""
