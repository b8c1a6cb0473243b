"""Answers that are randomised before they are sent: nobody has to be trusted with the true ones."""
