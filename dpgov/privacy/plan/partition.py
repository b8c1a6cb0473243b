"""Which parts of a declared partition column a plan can touch (PRIVACY: parallel composition).

Only what the plan itself says in declared values counts: a positive condition on the column.
Everything else touches every part.
"""

from collections.abc import Sequence

from dpgov.privacy.plan.plan import Condition, Filter, Joint, Plan
from dpgov.privacy.plan.schema import Neighbouring

_POSITIVE = ("=", "in")


def parts_touched(plan: Plan, column: str) -> frozenset[str] | None:
    """The declared categories that the plan is restricted to; None when it is not restricted.

    Of conditions that all hold, the smallest positive one is bound enough; of alternatives, each
    must have one. A row whose value is missing passes none of them.
    """
    return _all_of(plan.where, column)


def _restriction(item: Filter, column: str) -> frozenset[str] | None:
    if isinstance(item, Condition):
        named = item.column == column and item.op in _POSITIVE
        return frozenset(item.values) if named else None
    if item.joint is Joint.AND:
        return _all_of(item.members, column)
    if item.joint is Joint.OR:
        found = [_restriction(member, column) for member in item.members]
        return None if None in found else frozenset().union(*(f for f in found if f is not None))
    return None


def _all_of(items: Sequence[Filter], column: str) -> frozenset[str] | None:
    found = [_restriction(item, column) for item in items]
    return min((f for f in found if f is not None), key=len, default=None)


def factor_of_parts(neighbouring: Neighbouring, *, restricted: bool) -> int:
    """How many times its cost a query books on each part that it touches.

    Under change_one a unit may move from one part to another and then shows in both: what is
    booked twice on each part covers the two together. A query over all parts is one query.
    """
    return 2 if restricted and neighbouring is Neighbouring.CHANGE_ONE else 1
