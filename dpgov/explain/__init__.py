"""What a dataset's ε means, as values for pages: beliefs, noises side by side, averaging, words.

From declarations, the ledger and invented numbers alone; never from data or from an answer.
"""
