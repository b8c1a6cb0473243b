"""Figures of what ε means: numbers in, Plotly dictionaries out."""
