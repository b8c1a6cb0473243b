"""How data leaks where nobody counts losses: four attacks on invented people."""
