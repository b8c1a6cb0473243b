"""Pages that explain a guarantee."""
