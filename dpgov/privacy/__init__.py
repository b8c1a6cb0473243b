"""Values and mathematics of differential privacy. Pure: no framework, clock, files or globals.

The only randomness is OpenDP's, drawn in `sampling` for `mechanisms`.
"""
