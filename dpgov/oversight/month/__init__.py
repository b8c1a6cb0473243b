"""A month in numbers, and its report."""
