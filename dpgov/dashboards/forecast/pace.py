"""How fast a budget goes: what was taken of it in its last days, and in its busiest week.

Of a shared budget by all who share it; of a parent with what is asked of derived datasets.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from dpgov.budgets.charging import Limit
from dpgov.budgets.models import Budget
from dpgov.dashboards.forecast.daily import Days
from dpgov.datasets.models import Dataset
from dpgov.privacy.plan.plan import factor_of_parts
from dpgov.privacy.plan.schema import Neighbouring

DAYS = 30
_WEEKS = 4
DaysOf = defaultdict[UUID, Days]


@dataclass(frozen=True, slots=True)
class Pace:
    """What was taken in so many of the last days, in the busiest week and in the quietest one.

    Weeks of None: there was none yet, or nobody knows them. No pace is above the `rates`.
    """

    taken_nano: int
    age: int
    busiest_nano: int | None = None
    quietest_nano: int | None = None
    rates: Sequence[tuple[int, int]] = ()

    def times(self, number: int) -> "Pace":
        """What was taken counted so many times; what rates admit stays."""
        weeks = (self.busiest_nano, self.quietest_nano)
        busiest, quietest = (None if nano is None else number * nano for nano in weeks)
        return replace(
            self,
            taken_nano=number * self.taken_nano,
            busiest_nano=busiest,
            quietest_nano=quietest,
        )

    def lasts(self, left_nano: int) -> int | None:
        """The days for which so much is enough, rounded up, where anything is taken."""
        return self._at(left_nano, self.taken_nano, max(1, min(DAYS, self.age)))

    def soonest(self, left_nano: int) -> int | None:
        """At the pace of the busiest week, where that is the faster one."""
        return min(self._both(left_nano, self.busiest_nano), default=None)

    def latest(self, left_nano: int) -> int | None:
        """At the pace of the quietest week, where that is the slower one; None: never."""
        if self.quietest_nano == 0:
            return None
        return max(self._both(left_nano, self.quietest_nano), default=None)

    def _both(self, left_nano: int, week_nano: int | None) -> list[int]:
        found = (self.lasts(left_nano), self._at(left_nano, week_nano or 0, 7))
        return [days for days in found if days is not None]

    def _at(self, left_nano: int, nano: int, days: int) -> int | None:
        if not nano:
            return None
        return max(-(-left_nano * n // most) for n, most in ((days, nano), *self.rates))


def first_day(today: date) -> date:
    """Of the last DAYS, today included."""
    return today - timedelta(days=DAYS - 1)


def own_pace(days: Days, age: int, today: date) -> Pace:
    """Weeks count from today backwards, and only those that it was there for."""
    lately, by_week = 0, [0] * _WEEKS
    for day, nano in days.taken.items():
        ago = (today - day).days
        if 0 <= ago < DAYS:
            lately += nano
        if 0 <= ago < 7 * _WEEKS:
            by_week[ago // 7] += nano
    weeks = by_week[: min(_WEEKS, age // 7)]
    busiest, quietest = max(weeks, default=None), min(weeks, default=None)
    return Pace(lately, age, busiest, quietest, days.rates)


def pace_on_budget(dataset: Dataset, pace: Pace) -> Pace:
    """What `pace`, added up from prices, books at most on a dataset's own budget.

    On a part of a divided one a question counts several times its price, which ones is not in the
    sums: so each is taken for such a question, and the budget lasts at least as long as is said.
    """
    if not dataset.partition_column:
        return pace
    return pace.times(factor_of_parts(Neighbouring(dataset.neighbouring), restricted=True))


def age_of(opened: datetime, today: date) -> int:
    """In days."""
    return (today - opened.astimezone(UTC).date()).days


def paces_of_shared(
    found: Iterable[Sequence[Limit]], today: date, taken: Mapping[UUID, Days]
) -> dict[UUID, Pace]:
    """What all who share a budget took of it since, from running balances."""
    limits = {
        limit.budget_id: limit.committed_nano
        for of_one in found
        for limit in of_one
        if limit.kind == Budget.Kind.SHARED_BUDGET and limit.budget_id
    }
    known = {budget: taken[budget] for budget in limits if budget in taken}
    return {
        budget: Pace(
            max(0, limits[budget] - days.before[1]), (today - days.before[0]).days, rates=days.rates
        )
        for budget, days in known.items()
        if days.before is not None
    }


def paces_of_parents(parents: Iterable[Dataset], today: date, taken: DaysOf) -> dict[UUID, Pace]:
    """By their budgets: with what others ask of a parent, it may be used up first."""
    return {
        one.budget_id: pace_on_budget(
            one, own_pace(taken[one.budget_id], age_of(one.created_at, today), today)
        )
        for one in parents
    }
