"""The ledger: budgets, reservations and charges in exact integers.

Must never know what a dataset or a query is, and never let reserved + spent pass a limit.
"""
