"""People's ways through the started product, in a real browser."""
