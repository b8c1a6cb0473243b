"""Questions and answers: quote, submit, answer, show.

The exact answer exists in a worker's memory only; what leaves this room is a noisy release.
"""
