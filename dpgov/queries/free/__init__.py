"""What stored answers tell for nothing: found, and in words."""
