"""What sentences say today that were stored when they were worded otherwise.

A stored sentence is its pattern and values (`said.as_values`); the pattern is its code, as in every
catalogue of translations. Whoever words one anew adds the earlier wording here, so that what was
stored under it reads like what is stored from now on, in every language. A pattern here may leave
out a value of the earlier one and names no other.
"""

REWORDED: dict[str, str] = {}


def of_today(pattern: str) -> str:
    """The pattern by which a stored sentence is said now; itself, unless it was worded anew."""
    return REWORDED.get(pattern, pattern)
