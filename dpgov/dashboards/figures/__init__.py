"""Figures of the dashboards: numbers in, Plotly dictionaries out. Never reads a database."""
