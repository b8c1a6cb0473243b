"""Which parts of a declared partition column a plan can touch (PRIVACY: parallel composition).

Only what the plan itself says in declared values counts: a positive condition on the column.
Everything else touches every part.
"""

from dpgov.privacy.plan import Plan
from dpgov.privacy.schema import Neighbouring

_POSITIVE = ("=", "in")


def parts_touched(plan: Plan, column: str) -> frozenset[str] | None:
    """The declared categories that the plan is restricted to; None when it is not restricted.

    Conditions all hold at once, so the smallest positive one is bound enough. A row whose value
    is missing passes none of them.
    """
    named = [
        frozenset(condition.values)
        for condition in plan.where
        if condition.column == column and condition.op in _POSITIVE
    ]
    return min(named, key=len) if named else None


def factor_of_parts(neighbouring: Neighbouring, *, restricted: bool) -> int:
    """How many times its cost a query books on each part that it touches.

    Under change_one a unit may move from one part to another and then shows in both: what is
    booked twice on each part covers the two together. A query over all parts is one query.
    """
    return 2 if restricted and neighbouring is Neighbouring.CHANGE_ONE else 1
