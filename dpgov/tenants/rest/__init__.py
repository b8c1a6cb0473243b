"""How the API knows who calls."""
