"""Two persons for what cannot be undone: a request with a reason, a decision by somebody else.

Knows nothing of what is requested: whoever owns the change carries it out when it is approved.
"""
