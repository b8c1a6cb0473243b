"""Datasets whose rows are put together out of two others', unit by unit."""
