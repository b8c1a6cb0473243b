"""How far sums of independent noises spread."""
