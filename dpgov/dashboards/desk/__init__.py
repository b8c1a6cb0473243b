"""The first page of a day: what each role needs next, and what is left to set up."""
