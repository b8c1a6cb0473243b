"""All budgets of an organisation in one picture, and who took how much of which."""
