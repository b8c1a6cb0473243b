"""When a budget would be used up at the pace of the last thirty days. For owners and officers.

From daily sums of what was asked and the balance; never from data. What is younger has the pace of
the days that it has been there, and none in its first week. A pace says nothing about tomorrow:
so a day comes with the days of the busiest and of the quietest week, and nobody is promised any.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.budgets.charging import Limit, lifetime
from dpgov.budgets.models import Budget
from dpgov.budgets.ways import for_life
from dpgov.dashboards.forecast.daily import Days, back, days_of
from dpgov.datasets.models import Dataset
from dpgov.datasets.status import Status, status_of

DAYS = 30
_TOO_YOUNG = 7
_WEEKS = 4
_FURTHEST = 3_650
_NONE = UUID(int=0)
DaysOf = defaultdict[UUID, Days]


@dataclass(frozen=True, slots=True)
class Forecast:
    """What was taken of a dataset's budget in DAYS days, by all who share it, and what remains.

    In the first week there are no `days_left` yet: it is `too_early`. `soonest` and `latest` are
    the days left at the pace of the busiest and of the quietest of its last whole weeks; None
    where that is further than ten years.

    `left_nano` is what remains under every limit for life: the dataset's own, its fullest part's,
    and those of the budgets that it `shared`, where one of these has least left. `course` is what
    was left of its own at the end of each of the last days.
    """

    dataset: Dataset
    taken_nano: int
    left_nano: int
    days_left: int | None
    shared: bool = False
    too_early: bool = False
    soonest: int | None = None
    latest: int | None = None
    course: Sequence[int] = field(default=(), compare=False)
    today: date = date.min

    @property
    def status(self) -> Status:
        """How it stands."""
        return status_of(self.dataset, self.left_nano)

    @property
    def ends_on(self) -> date | None:
        """The day on which it would be used up; None where none can be told."""
        return self._day(self.days_left)

    @property
    def soonest_on(self) -> date | None:
        """At the pace of the busiest week."""
        return self._day(self.soonest)

    @property
    def latest_on(self) -> date | None:
        """At the pace of the quietest week."""
        return self._day(self.latest)

    def _day(self, days: int | None) -> date | None:
        return None if days is None or not self.left_nano else self.today + timedelta(days=days)

    @property
    def words(self) -> str:
        """When it would be used up, as one says it."""
        return in_words(self)


@dataclass(frozen=True, slots=True)
class SharedForecast:
    """The same of a shared budget: of all who share it, hence without weeks or a course."""

    taken_nano: int
    left_nano: int
    days_left: int | None
    too_early: bool
    today: date

    @property
    def ends_on(self) -> date | None:
        """The day on which it would be used up; None where none can be told."""
        days = self.days_left if self.left_nano else None
        return None if days is None else self.today + timedelta(days=days)

    @property
    def words(self) -> str:
        """When it would be used up, as one says it."""
        return in_words(self)


def in_words(found: Forecast | SharedForecast) -> str:
    """When it would be used up: in so many days, never, or not told."""
    if found.left_nano <= 0:
        return _("used up")
    if found.too_early:
        return _("too early to tell")
    if not found.taken_nano:
        return _("never at this pace: nothing was asked in %(days)s days") % {"days": DAYS}
    if found.days_left is None:
        return _("not within ten years at this pace")
    words = ngettext(
        "in about %(days)s day at this pace",
        "in about %(days)s days at this pace",
        found.days_left,
    )
    return words % {"days": number_format(found.days_left, force_grouping=True)}


def forecast_of_shared(budget: Budget, days: DaysOf, today: date) -> SharedForecast:
    """Of one shared budget; `days` of all that this organisation has in it."""
    age, left = _age(budget.created_at, today), budget.remaining_nano
    pace = _paces_of_shared([[lifetime(budget)]], today, days).get(budget.pk)
    lasts = pace.lasts(left) if pace and pace.taken_nano else None
    return SharedForecast(
        pace.taken_nano if pace else 0,
        left,
        lasts if age >= _TOO_YOUNG and lasts is not None and lasts <= _FURTHEST else None,
        age < _TOO_YOUNG,
        today,
    )


def forecasts(datasets: Sequence[Dataset], today: date) -> list[Forecast]:
    """One for each dataset, what is used up first, then what ends first; a few reads for all."""
    since = today - timedelta(days=DAYS)
    taken = days_of([dataset.budget_id for dataset in datasets], since)
    limits = for_life(dataset.budget for dataset in datasets)
    shared = _paces_of_shared(limits.values(), today, taken)
    found = [
        _forecast(
            one,
            _own_pace(taken[one.budget_id], _age(one.created_at, today), today),
            limits[one.budget_id],
            shared,
            course_of(taken[one.budget_id], one, today),
            today,
        )
        for one in datasets
    ]
    return sorted(found, key=_first_ends)


def course_of(days: Days, dataset: Dataset, today: date, number: int = DAYS) -> list[int]:
    """What was left of its own budget at the end of each of the last days that it was there."""
    there = min(number, _age(dataset.created_at, today) + 1)
    return days.left(dataset.budget.remaining_nano, back(today, there))


def forecast_of(dataset: Dataset, limits: Sequence[Limit], days: DaysOf, today: date) -> Forecast:
    """Of one dataset whose limits were read already; `days` at least of the last DAYS."""
    for_good = [one for one in limits if not one.period and one.kind != Budget.Kind.ALLOCATION]
    own = days[dataset.budget_id]
    return _forecast(
        dataset,
        _own_pace(own, _age(dataset.created_at, today), today),
        for_good or [lifetime(dataset.budget)],
        _paces_of_shared([for_good], today, days),
        (),
        today,
    )


@dataclass(frozen=True, slots=True)
class _Pace:
    """What was taken in so many of the last days, in the busiest week and in the quietest one.

    Weeks of None: there was none yet, or nobody knows them. No pace is above the `rates`.
    """

    taken_nano: int
    age: int
    busiest_nano: int | None = None
    quietest_nano: int | None = None
    rates: Sequence[tuple[int, int]] = ()

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


def _own_pace(days: Days, age: int, today: date) -> _Pace:
    """Weeks count from today backwards, and only those that it was there for."""
    ago = [days.since(today - timedelta(days=7 * n - 1)) for n in range(_WEEKS + 1)]
    weeks = [ago[n + 1] - ago[n] for n in range(min(_WEEKS, age // 7))]
    first = today - timedelta(days=DAYS)
    busiest, quietest = max(weeks, default=None), min(weeks, default=None)
    return _Pace(days.since(first), age, busiest, quietest, days.rates)


def _age(opened: datetime, today: date) -> int:
    return (today - opened.astimezone(UTC).date()).days


def _paces_of_shared(
    found: Iterable[Sequence[Limit]], today: date, taken: Mapping[UUID, Days]
) -> dict[UUID, _Pace]:
    """What all who share a budget took of it since, from running balances."""
    limits = {
        limit.budget_id: limit.committed_nano
        for of_one in found
        for limit in of_one
        if limit.kind == Budget.Kind.SHARED_BUDGET and limit.budget_id
    }
    known = {budget: taken[budget] for budget in limits if budget in taken}
    return {
        budget: _Pace(
            max(0, limits[budget] - days.before[1]), (today - days.before[0]).days, rates=days.rates
        )
        for budget, days in known.items()
        if days.before is not None
    }


def _forecast(
    dataset: Dataset,
    own: _Pace,
    limits: Sequence[Limit],
    shared: Mapping[UUID, _Pace],
    course: Sequence[int],
    today: date,
) -> Forecast:
    """The first of its limits to be used up tells when; the one with least left, what remains."""
    paced = [
        (pace, max(0, limit.remaining_nano))
        for limit in limits
        for pace in (own, shared.get(limit.budget_id or _NONE))
        if pace and pace.taken_nano
    ]
    tightest = min(limits, key=lambda limit: limit.remaining_nano)
    too_early = own.age < _TOO_YOUNG

    def first(ends: Iterable[int | None]) -> int | None:
        days = min((end for end in ends if end is not None), default=None)
        return None if too_early or days is None or days > _FURTHEST else days

    return Forecast(
        dataset,
        own.taken_nano,
        max(0, tightest.remaining_nano),
        first(pace.lasts(left) for pace, left in paced),
        shared=tightest.kind == Budget.Kind.SHARED_BUDGET,
        too_early=too_early,
        soonest=first(pace.soonest(left) for pace, left in paced),
        latest=first(pace.latest(left) for pace, left in paced),
        course=course,
        today=today,
    )


def _first_ends(forecast: Forecast) -> tuple[bool, bool, int, str]:
    days = forecast.days_left
    return (forecast.left_nano > 0, days is None, days or 0, forecast.dataset.name)
