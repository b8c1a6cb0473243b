"""What adds up: over questions, over people, and what δ adds."""
