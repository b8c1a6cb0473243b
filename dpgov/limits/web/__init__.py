"""Pages that set limits, or ask for a higher one."""
