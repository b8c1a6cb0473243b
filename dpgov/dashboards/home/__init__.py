"""All datasets, and what to do next."""
