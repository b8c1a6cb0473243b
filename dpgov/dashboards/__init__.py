"""What people look at: home, desk, budget, history. Reads; changes nothing."""
