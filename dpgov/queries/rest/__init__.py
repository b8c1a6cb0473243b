"""REST doors of questions."""
