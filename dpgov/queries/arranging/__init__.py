"""How the groups of a released answer are read: order, first ones, conditions, ratios. All free."""
