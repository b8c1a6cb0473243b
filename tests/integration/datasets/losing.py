"""What somebody can lose to questions about parts of a dataset, at worst."""

from collections.abc import Mapping
from itertools import product

from dpgov.privacy.plan.schema import Neighbouring


def lies_in(part: str, places: set[str]) -> bool:
    """Whether a question about this part, or about all of them, is about somebody there."""
    return not part or part in places


def worst_row(asked: Mapping[str, int], neighbouring: Neighbouring) -> int:
    """A row can lie in any part of each file, and be changed into one in any other part."""
    pairs = product(("North", "South", "else"), repeat=2)
    if neighbouring is Neighbouring.ADD_REMOVE:
        pairs = product(("North", "South", "else"), ("else",))
    return max(
        sum(nano for part, nano in asked.items() if lies_in(part, set(both))) for both in pairs
    )
