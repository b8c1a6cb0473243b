"""How long budgets last: what was taken of them day by day, and where that pace leads."""
