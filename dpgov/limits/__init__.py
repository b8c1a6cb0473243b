"""Who may use how much: limits, grants, rates and shared budgets."""
