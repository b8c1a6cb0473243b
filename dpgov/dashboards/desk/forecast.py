"""When a budget would be used up at the pace of the last thirty days. For owners and officers.

From daily sums of what was asked and the balance; never from data. What is younger has the pace of
the days that it has been there, and none in its first week. A pace says nothing about tomorrow:
nobody should be promised a day.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from django.db.models import BigIntegerField, Sum
from django.db.models.functions import Cast
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.budgets.charging import Limit
from dpgov.budgets.history import balances_before
from dpgov.budgets.models import Budget
from dpgov.budgets.ways import for_life
from dpgov.datasets.models import Dataset
from dpgov.queries.models import DayTally, Query

DAYS = 30
_TOO_YOUNG = 7
_FURTHEST = 3_650
_NONE = UUID(int=0)
_COMMITTED = (*Query.HOLDING, *Query.CHARGED)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What was taken of a dataset's budget in DAYS days, by all who share it, and what remains.

    In the first week there are no `days_left` yet: it is `too_early`.

    `left_nano` is what remains under every limit for life: the dataset's own, its fullest part's,
    and those of the budgets that it `shared`, where one of these has least left.
    """

    dataset: Dataset
    taken_nano: int
    left_nano: int
    days_left: int | None
    shared: bool = False
    too_early: bool = False

    @property
    def words(self) -> str:
        """When it would be used up, as one says it."""
        if self.left_nano <= 0:
            return _("used up")
        if self.too_early:
            return _("too early to tell")
        if not self.taken_nano:
            return _("never at this pace: nothing was asked in %(days)s days") % {"days": DAYS}
        if self.days_left is None:
            return _("not within ten years at this pace")
        words = ngettext(
            "in about %(days)s day at this pace",
            "in about %(days)s days at this pace",
            self.days_left,
        )
        return words % {"days": number_format(self.days_left, force_grouping=True)}


def forecasts(datasets: Sequence[Dataset], today: date) -> list[Forecast]:
    """One for each dataset, those that end first at the front; a few reads for all of them."""
    budgets = [dataset.budget_id for dataset in datasets]
    taken = _taken(budgets, today)
    limits = for_life(dataset.budget for dataset in datasets)
    shared = _paces_of_shared(limits.values(), today)
    found = [
        _forecast(
            one,
            _Pace(taken[one.budget_id], _age(one.created_at, today)),
            limits[one.budget_id],
            shared,
        )
        for one in datasets
    ]
    return sorted(found, key=_first_ends)


@dataclass(frozen=True, slots=True)
class _Pace:
    """What was taken in so many of the last days."""

    taken_nano: int
    age: int

    def lasts(self, left_nano: int) -> int:
        """The days for which so much is enough, rounded up, where anything is taken."""
        return -(-left_nano * max(1, min(DAYS, self.age)) // self.taken_nano)


def _age(opened: datetime, today: date) -> int:
    return (today - opened.astimezone(UTC).date()).days


def _paces_of_shared(found: Iterable[Sequence[Limit]], today: date) -> dict[UUID, _Pace]:
    """What all who share a budget took of it since: from running balances, one statement.

    Another organisation's entries are not seen, but the balance that they left is.
    """
    limits = {
        limit.budget_id: limit.committed_nano
        for of_one in found
        for limit in of_one
        if limit.kind == Budget.Kind.SHARED_BUDGET and limit.budget_id
    }
    before = balances_before(limits, _begin(today)) if limits else {}
    return {
        budget: _Pace(max(0, limits[budget] - least), _age(opened, today))
        for budget, (least, opened) in before.items()
    }


def _taken(budgets: list[UUID], today: date) -> Counter[UUID]:
    """What the tallies hold of the last days, and what they do not hold yet, in one statement."""
    since, begin = today - timedelta(days=DAYS), _begin(today)
    key = "dataset__budget_id"
    kept = DayTally.objects.filter(dataset__budget__in=budgets, day__gte=since).order_by()
    fresh = Query.objects.filter(
        dataset__budget__in=budgets,
        counted=False,
        submitted_at__gte=begin,
        state__in=_COMMITTED,
    ).order_by()
    counted, waiting = (
        rows.values_list(key).annotate(sum=Cast(Sum(amount), BigIntegerField()))
        for rows, amount in ((kept, "nano"), (fresh, "cost_nano"))
    )
    sums: Counter[UUID] = Counter()
    for budget, nano in counted.union(waiting, all=True):
        sums[budget] += int(nano)
    return sums


def _begin(today: date) -> datetime:
    return datetime.combine(today - timedelta(days=DAYS), time.min, UTC)


def _forecast(
    dataset: Dataset, own: _Pace, limits: Sequence[Limit], shared: Mapping[UUID, _Pace]
) -> Forecast:
    """The first of its limits to be used up tells when; the one with least left, what remains."""
    lasts = [
        pace.lasts(max(0, limit.remaining_nano))
        for limit in limits
        for pace in (own, shared.get(limit.budget_id or _NONE))
        if pace and pace.taken_nano
    ]
    days = min(lasts, default=None)
    tightest = min(limits, key=lambda limit: limit.remaining_nano)
    too_early = own.age < _TOO_YOUNG
    return Forecast(
        dataset,
        own.taken_nano,
        max(0, tightest.remaining_nano),
        None if too_early or days is None or days > _FURTHEST else days,
        shared=tightest.kind == Budget.Kind.SHARED_BUDGET,
        too_early=too_early,
    )


def _first_ends(forecast: Forecast) -> tuple[bool, int, str]:
    days = forecast.days_left
    return (days is None, days or 0, forecast.dataset.name)
