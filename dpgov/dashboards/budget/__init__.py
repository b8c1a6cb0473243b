"""Where a budget went, and what still fits."""
