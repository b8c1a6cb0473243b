"""Runs the deployed mechanisms on made-up neighbouring tables and compares what is seen with what
is claimed.

Everything is made up, in a temporary folder: must never read a dataset, a budget or a question, and
charges nothing.
"""
