"""Columns computed of others, for a dataset or for one question: out of declarations alone."""
