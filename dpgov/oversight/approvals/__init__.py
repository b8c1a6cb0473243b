"""A request in words for the person who decides, and what carries it out."""
