"""When a budget would be used up at the pace of the last thirty days. For owners and officers.

From daily sums of what was asked and the balance; never from data. A pace says nothing about
tomorrow: nobody should be promised a day.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from django.db.models import BigIntegerField, Sum
from django.db.models.functions import Cast
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.datasets.models import Dataset
from dpgov.queries.models import DayTally, Query

DAYS = 30
_FURTHEST = 3_650
_COMMITTED = (*Query.HOLDING, *Query.CHARGED)


@dataclass(frozen=True, slots=True)
class Forecast:
    """What was taken of a dataset's budget in DAYS days, by all who share it, and what remains."""

    dataset: Dataset
    taken_nano: int
    days_left: int | None

    @property
    def words(self) -> str:
        """When it would be used up, as one says it."""
        if self.dataset.budget.remaining_nano <= 0:
            return _("used up")
        if not self.taken_nano:
            return _("never at this pace: nothing was asked in %(days)s days") % {"days": DAYS}
        if self.days_left is None:
            return _("not within ten years at this pace")
        said = ngettext(
            "in about %(days)s day at this pace",
            "in about %(days)s days at this pace",
            self.days_left,
        )
        return said % {"days": number_format(self.days_left, force_grouping=True)}


def forecasts(datasets: Sequence[Dataset], today: date) -> list[Forecast]:
    """One for each dataset, those that end first at the front; two reads for all of them."""
    taken = _taken([dataset.budget_id for dataset in datasets], today)
    found = [_forecast(dataset, taken[dataset.budget_id]) for dataset in datasets]
    return sorted(found, key=_first_ends)


def _taken(budgets: list[UUID], today: date) -> Counter[UUID]:
    """What the tallies hold of the last days, and what they do not hold yet, in one statement."""
    since = today - timedelta(days=DAYS)
    begin = datetime.combine(since, time.min, UTC)
    key = "dataset__budget_id"
    kept = DayTally.objects.filter(dataset__budget__in=budgets, day__gte=since).order_by()
    fresh = Query.objects.filter(
        dataset__budget__in=budgets,
        counted=False,
        submitted_at__gte=begin,
        state__in=_COMMITTED,
    ).order_by()
    sums: Counter[UUID] = Counter()
    for rows, amount in ((kept, "nano"), (fresh, "cost_nano")):
        total = Cast(Sum(amount), BigIntegerField())
        for budget, nano in rows.values_list(key).annotate(sum=total):
            sums[budget] += int(nano)
    return sums


def _forecast(dataset: Dataset, taken: int) -> Forecast:
    remaining = max(0, dataset.budget.remaining_nano)
    days = -(-remaining * DAYS // taken) if taken else None
    return Forecast(dataset, taken, days if days is not None and days <= _FURTHEST else None)


def _first_ends(forecast: Forecast) -> tuple[bool, int, str]:
    days = forecast.days_left
    return (days is None, days or 0, forecast.dataset.name)
