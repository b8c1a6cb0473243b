"""When a budget would be used up at the pace of the last thirty days. For owners and officers.

From daily sums of what was asked and the balance; never from data. What is younger has the pace of
the days that it has been there, and none in its first week. A pace says nothing about tomorrow:
so a day comes with the days of the busiest and of the quietest week, and nobody is promised any.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import Enum
from functools import cached_property
from uuid import UUID

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.budgets.charging import Limit, is_everybodys, lifetime
from dpgov.budgets.models import Budget, SharedBudgetMember
from dpgov.budgets.ways import for_life
from dpgov.budgets.words import limit_text
from dpgov.dashboards.forecast.daily import Days, back, days_of, days_of_tenant
from dpgov.dashboards.forecast.pace import (
    DAYS,
    DaysOf,
    Pace,
    age_of,
    first_day,
    own_pace,
    pace_on_budget,
    paces_of_parents,
    paces_of_shared,
)
from dpgov.datasets.lineage import origins_of, read_parents
from dpgov.datasets.models import Dataset
from dpgov.datasets.status import Status, status_of

_TOO_YOUNG = 7
_FURTHEST = 3_650
_NONE = UUID(int=0)


class Tightest(Enum):
    """Whose limit has least left, seen from a dataset."""

    OWN = "own"
    SHARED = "shared"
    PARENT = "parent"


@dataclass(frozen=True)
class Forecast:
    """What was taken of a dataset's budget in DAYS days, by all who share it, and what remains.

    In the first week there are no `days_left` yet: it is `too_early`. `soonest` and `latest` are
    the days left at the pace of the busiest and of the quietest of its last whole weeks; None
    where that is further than ten years.

    `left_nano` is what remains under every limit for life: the dataset's own, its fullest part's,
    those of its parents, and those of shared budgets; `tightest` is whose it is where that is not
    the dataset's own; `limits` are all of these. `days` are those of its own budget, where its
    course is wanted.
    """

    dataset: Dataset
    taken_nano: int
    left_nano: int
    days_left: int | None
    tightest: Tightest = Tightest.OWN
    too_early: bool = False
    soonest: int | None = None
    latest: int | None = None
    days: Days | None = field(default=None, compare=False, repr=False)
    limits: Sequence[Limit] = field(default=(), compare=False, repr=False)
    today: date = date.min

    @cached_property
    def course(self) -> Sequence[int]:
        """What was left of its own at the end of each of the last days."""
        return course_of(self.days, self.dataset, self.today) if self.days else ()

    @cached_property
    def status(self) -> Status:
        """How it stands. Kept: a page of budgets asks for it several times a row."""
        return status_of(self.dataset, self.limits)

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

    @property
    def of_what(self) -> str:
        """What `left_nano` is left of: "of ε 10", "of a shared budget"."""
        if self.tightest is Tightest.SHARED:
            return _("of a shared budget")
        if self.tightest is Tightest.PARENT:
            return _("of the budget that it is derived from")
        return _("of %(limit)s") % {"limit": limit_text(self.dataset.budget)}


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
    age, left = age_of(budget.created_at, today), budget.remaining_nano
    pace = paces_of_shared([[lifetime(budget)]], today, days).get(budget.pk)
    lasts = pace.lasts(left) if pace and pace.taken_nano else None
    return SharedForecast(
        pace.taken_nano if pace else 0,
        left,
        lasts if age >= _TOO_YOUNG and lasts is not None and lasts <= _FURTHEST else None,
        age < _TOO_YOUNG,
        today,
    )


def days_of_all(tenants: Collection[UUID], today: date) -> DaysOf:
    """The last DAYS of every budget of these organisations, for `forecasts`. One statement."""
    since = first_day(today)
    if len(tenants) == 1:
        (tenant,) = tenants
        return days_of_tenant(tenant, since)
    every = Dataset.objects.filter(tenant__in=tenants)
    return days_of(every.values("budget"), since)


def forecasts(
    datasets: Sequence[Dataset],
    today: date,
    taken: DaysOf | None = None,
    joined: Iterable[SharedBudgetMember] | None = None,
) -> list[Forecast]:
    """One for each dataset, what is used up first, then what ends first; a few reads for all.

    `taken` is what `days_of_all` has of their organisations, and `joined` which of their budgets
    share what, where it was read already.
    """
    if taken is None:
        taken = days_of_all({dataset.tenant_id for dataset in datasets}, today)
    derived = [dataset for dataset in datasets if dataset.is_derived]
    own = (one.budget for one in datasets)
    limits = for_life(own, [one.budget_id for one in derived], joined)
    read_parents(derived)
    parents = [origin.parent for one in derived for origin in origins_of(one)]
    others = paces_of_shared(limits.values(), today, taken)
    others |= paces_of_parents(parents, today, taken)
    found = [
        _forecast(
            one,
            own_pace(taken[one.budget_id], age_of(one.created_at, today), today),
            limits[one.budget_id],
            others,
            taken[one.budget_id],
            today,
        )
        for one in datasets
    ]
    return sorted(found, key=_first_ends)


def course_of(days: Days, dataset: Dataset, today: date, number: int = DAYS) -> list[int]:
    """What was left of its own budget at the end of each of the last days that it was there."""
    there = min(number, age_of(dataset.created_at, today) + 1)
    return days.left(dataset.budget.remaining_nano, back(today, there))


def forecast_of(
    dataset: Dataset,
    limits: Sequence[Limit],
    days: DaysOf,
    today: date,
    parents: Iterable[Dataset] = (),
) -> Forecast:
    """Of one dataset whose limits were read already; `days` at least of the last DAYS.

    Of a derived one `days` are also those of its `parents`.
    """
    for_good = [one for one in limits if is_everybodys(one)]
    own = days[dataset.budget_id]
    return _forecast(
        dataset,
        own_pace(own, age_of(dataset.created_at, today), today),
        for_good or [lifetime(dataset.budget)],
        paces_of_shared([for_good], today, days) | paces_of_parents(parents, today, days),
        None,
        today,
    )


def _forecast(
    dataset: Dataset,
    own: Pace,
    limits: Sequence[Limit],
    others: Mapping[UUID, Pace],
    days: Days | None,
    today: date,
) -> Forecast:
    """The first of its limits to be used up tells when; the one with least left, what remains."""
    by_budget = {**others, dataset.budget_id: pace_on_budget(dataset, own)}
    paced = [
        (pace, max(0, limit.remaining_nano))
        for limit in limits
        for pace in (own, by_budget.get(limit.part_of or limit.budget_id or _NONE))
        if pace and pace.taken_nano
    ]
    tightest = min(limits, key=lambda limit: limit.remaining_nano)
    too_early = own.age < _TOO_YOUNG

    def first(ends: Iterable[int | None]) -> int | None:
        left = min((end for end in ends if end is not None), default=None)
        return None if too_early or left is None or left > _FURTHEST else left

    return Forecast(
        dataset,
        own.taken_nano,
        max(0, tightest.remaining_nano),
        first(pace.lasts(left) for pace, left in paced),
        _whose(tightest, dataset),
        too_early=too_early,
        soonest=first(pace.soonest(left) for pace, left in paced),
        latest=first(pace.latest(left) for pace, left in paced),
        days=days,
        limits=limits,
        today=today,
    )


def _whose(limit: Limit, dataset: Dataset) -> Tightest:
    if limit.kind == Budget.Kind.SHARED_BUDGET:
        return Tightest.SHARED
    own = (limit.part_of or limit.budget_id) == dataset.budget_id
    return Tightest.OWN if own else Tightest.PARENT


def _first_ends(forecast: Forecast) -> tuple[bool, bool, int, str]:
    days = forecast.days_left
    return (forecast.left_nano > 0, days is None, days or 0, forecast.dataset.name)
