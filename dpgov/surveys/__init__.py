"""Local surveys: each answer is randomised where it is given, so that nobody has to be trusted."""
