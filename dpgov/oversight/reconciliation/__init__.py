"""Does the ledger follow from what was recorded? Every balance again, from the log alone.

Reads the audit log, the questions and the releases as the witnesses, and holds the ledger's rows
and counters against them. Must never change anything, and never trust a counter.
"""
