"""What doors of several rooms share. Knows no room."""
