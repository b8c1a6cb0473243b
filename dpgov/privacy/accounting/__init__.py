"""Amounts of loss: exact, in nano-units, in the currency of a budget."""
