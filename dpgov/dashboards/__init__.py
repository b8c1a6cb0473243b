"""What people look at: home, budget, history. Reads; changes nothing."""
