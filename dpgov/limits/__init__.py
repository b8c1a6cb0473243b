"""Who may use how much: limits, allocations, rates and shared budgets."""
