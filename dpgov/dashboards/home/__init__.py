"""The first page of a day: how things stand for each role, what waits, what to set up."""
