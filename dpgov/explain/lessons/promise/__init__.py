"""What ε promises: the definition, its meaning for one answer, and for a belief."""
