"""Pages of budgets that several datasets share."""
