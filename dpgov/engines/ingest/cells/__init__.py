"""The cells of a column, each looked at once: which there are, their texts and numbers."""
