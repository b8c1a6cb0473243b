"""What is asked, as a value: schema, conditions, groups, statistics, and how it is read."""
