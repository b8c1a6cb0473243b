"""dpgov: organisations govern differential-privacy budgets.

Deliberately empty of imports: the privacy core and the ingest child must load without a framework.
"""
