"""What was left of the budgets that a month used most, day by day: for the report's pictures.

From the ledger's own balances at the end of each day, found by an index: nothing is added up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from dpgov.budgets.history import BudgetAtMoment, standings_at
from dpgov.operation import clock
from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.standing import Stand

# Two columns of four: half a page.
MOST = 8


@dataclass(frozen=True, slots=True)
class Course:
    """One budget: for each day that it was there its number, what was left and the limit."""

    stand: Stand
    days: tuple[tuple[int, int, int], ...]


def courses_of(stands: Sequence[Stand], month: Month) -> tuple[Course, ...]:
    """Of the first of these, in their order. One statement.

    A month that is not over ends with today, as the ledger stands now.
    """
    known = {one.budget: one for one in stands[:MOST] if one.budget is not None}
    (begin, end), now = month.span(), clock.now()
    ends = [begin + timedelta(days=day + 1) for day in range((end - begin).days)]
    past = [moment for moment in ends if moment <= now]
    moments = [*past, *([None] if past != ends and begin <= now else [])]
    at = standings_at(known, moments) if known and moments else {}
    return tuple(Course(known[budget], _days(at[budget])) for budget in known if budget in at)


def _days(standings: Sequence[BudgetAtMoment]) -> tuple[tuple[int, int, int], ...]:
    """Before it was opened a budget had no limit."""
    return tuple(
        (day, max(0, one.limit_nano - one.spent_nano), one.limit_nano)
        for day, one in enumerate(standings, 1)
        if one.limit_nano
    )
