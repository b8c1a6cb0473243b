"""What moved the budgets of datasets, day by day (UTC), in one statement however many there are.

By the day of submission, as everybody may see it: never when a question ended. From the tallies,
what they do not hold yet, and the changes of limits; never from data. What is asked of a derived
dataset is taken of its parents, too.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db.models import (
    BigIntegerField,
    Count,
    DateTimeField,
    F,
    Max,
    Min,
    QuerySet,
    Sum,
    Value,
)
from django.db.models.functions import Cast, Coalesce, TruncDate

from dpgov.budgets.models import Charge, LimitChange, RateLimit, SharedBudgetMember
from dpgov.budgets.together import with_parts
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.operation.prepared import Prepared
from dpgov.queries.models import DayTally, Query, Refusal

# From a question to the datasets whose budgets it is charged to: its own, and the parents.
_CHARGED = ("dataset__", "dataset__derived_from__parent__")
_DAYS = {
    RateLimit.Period.DAY: 1,
    RateLimit.Period.WEEK: 7,
    RateLimit.Period.MONTH: 30,
}


_Budgets = Collection[UUID] | QuerySet[Any, Any]
# What it was, of which budget and day, how much of it there was, and when the last of it happened.
_Row = tuple[str, UUID, date, int, datetime | None]
# Of what a day is known, and no moment.
_SOME_TIME = Value(None, output_field=DateTimeField())


@dataclass(slots=True)
class Days:
    """Of one budget: what was taken on each day, how its limit moved, and what its rates admit.

    `rates` are pairs of days and the most that may be taken in so many. Of a shared budget, whose
    other questions are not seen here, `before` is the day on which it opened and what had been
    spent when the first charge of the last days was made; None without one. `at` are the moments
    of what has one, the last of each day: "limit" and "versions".
    """

    taken: Counter[date] = field(default_factory=Counter)
    raised: Counter[date] = field(default_factory=Counter)
    rates: list[tuple[int, int]] = field(default_factory=list)
    before: tuple[date, int] | None = None
    refused: Counter[date] = field(default_factory=Counter)
    versions: Counter[date] = field(default_factory=Counter)
    at: dict[tuple[str, date], datetime] = field(default_factory=dict)

    def left(self, now_nano: int, days: list[date]) -> list[int]:
        """What was left at the end of each of these days, which follow one another up to today.

        Counted back from what is left now. Never below zero: of a divided budget, of which the
        fullest part says what is left, the days say what was asked of any part.
        """
        found, left = [], now_nano
        for day in reversed(days):
            found.append(max(0, left))
            left += self.taken[day] - self.raised[day]
        return found[::-1]


def days_of(
    budgets: _Budgets, since: date, *, events: bool = False, lately: date | None = None
) -> defaultdict[UUID, Days]:
    """By budget, of datasets and of what they share; `since` is the first day.

    `lately` is the first day of what is said of shared budgets, where that is another one.

    `budgets` are few ids or a query that finds them: hundreds of ids, each sent seven times, take
    the database longer to read than to answer.

    With `events`: what was refused, and the versions that came, too.
    """
    begin, begin_lately = _begin(since), _begin(lately or since)
    return _by_budget(_rows(budgets, since, begin, begin_lately, events=events))


def days_of_tenant(tenant_id: UUID, since: date) -> defaultdict[UUID, Days]:
    """The same of every budget of an organisation."""
    return _by_budget(_rows_of_tenant(tenant_id, since, _begin(since)))


@Prepared
def _rows_of_tenant(tenant_id: UUID, since: date, begin: datetime) -> QuerySet[Any, _Row]:
    every = Dataset.objects.filter(tenant=tenant_id).values("budget")
    return _rows(every, since, begin, begin, events=False)


def _begin(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


def _by_budget(rows: Iterable[_Row]) -> defaultdict[UUID, Days]:
    found: defaultdict[UUID, Days] = defaultdict(Days)
    # By number: of hundreds of budgets there are thousands of rows, and an id takes long to hash.
    known: dict[int, Days] = {}
    for what, budget, day, nano, at in rows:
        one = known.get(budget.int)
        if one is None:
            one = known[budget.int] = found[budget]
        if at is not None:
            one.at[what, day] = at
        if what == "taken":
            one.taken[day] += int(nano)
        elif what == "limit":
            one.raised[day] += int(nano)
        elif what in ("refused", "versions"):
            getattr(one, what)[day] += int(nano)
        elif what == "before":
            one.before = (day, int(nano))
        else:
            one.rates.append((_DAYS[RateLimit.Period(what)], int(nano)))
    return found


def _rows(
    budgets: _Budgets, since: date, begin: datetime, begin_lately: datetime, *, events: bool
) -> QuerySet[Any, _Row]:
    """`begin` is when `since` begins, and `begin_lately` when what is said of shared budgets."""
    of = {"dataset__budget__in": budgets}
    # Without the first one, which opened the budget.
    limits = LimitChange.objects.filter(
        budget__in=budgets, created_at__gte=begin, before_nano__gt=0
    ).order_by()
    joined = SharedBudgetMember.objects.filter(dataset_budget__in=budgets, left_at__isnull=True)
    lines = with_parts(budgets).union(joined.order_by().values_list("shared_budget"), all=True)
    rates = RateLimit.objects.filter(budget__in=lines).order_by()
    # Another organisation's charges are not seen, but the balance that they left is.
    charges = Charge.objects.filter(
        budget__in=joined.values("shared_budget"), created_at__gte=begin_lately
    )
    least = Cast(Min(F("spent_after_nano") - F("amount_nano")), BigIntegerField())
    opened = TruncDate("budget__created_at", tzinfo=UTC)
    whole = Coalesce("budget__as_part__dataset_budget_id", "budget_id")
    return (
        limits.values_list(Value("limit"), "budget_id", TruncDate("created_at", tzinfo=UTC))
        .annotate(sum=_sum(F("after_nano") - F("before_nano")), at=Max("created_at"))
        .union(
            *(select for whose in _CHARGED for select in _taken(budgets, whose, since, begin)),
            charges.order_by()
            .values_list(Value("before"), "budget_id", opened)
            .annotate(sum=least, at=_SOME_TIME),
            rates.values_list("period", whole, "window_start", "limit_nano", _SOME_TIME),
            *(_events(of, since, begin) if events else ()),
            all=True,
        )
    )


def _taken(
    budgets: _Budgets, whose: str, since: date, begin: datetime
) -> Iterable[QuerySet[Any, Any]]:
    """What questions took of the budgets on this path, as far as it was added up, and the rest."""
    of, day = {f"{whose}budget__in": budgets}, TruncDate("submitted_at", tzinfo=UTC)
    kept = DayTally.objects.filter(**of, day__gte=since).order_by()
    fresh = Query.objects.filter(
        **of, counted=False, submitted_at__gte=begin, state__in=Query.COMMITTED
    ).order_by()
    key = f"{whose}budget_id"
    yield kept.values_list(Value("taken"), key, "day").annotate(sum=_sum("nano"), at=_SOME_TIME)
    taken = fresh.values_list(Value("taken"), key, day)
    yield taken.annotate(sum=_sum("cost_nano"), at=_SOME_TIME)


def _events(
    of: Mapping[str, _Budgets], since: date, begin: datetime
) -> Iterable[QuerySet[Any, Any]]:
    key = "dataset__budget_id"
    refused = Refusal.objects.filter(**of, day__gte=since).order_by()
    # Whoever refreshes a live table every night would have a mark on every day.
    others = DatasetVersion.objects.filter(refreshed_by__isnull=True, number__gt=1)
    versions = others.filter(**of, created_at__gte=begin).order_by()
    came = TruncDate("created_at", tzinfo=UTC)
    turned_away = refused.values_list(Value("refused"), key, "day")
    yield turned_away.annotate(sum=_sum("number"), at=_SOME_TIME)
    yield versions.values_list(Value("versions"), key, came).annotate(
        sum=Cast(Count("pk"), BigIntegerField()), at=Max("created_at")
    )


def _sum(what: object) -> Cast:
    return Cast(Sum(what), BigIntegerField())


def back(today: date, days: int) -> list[date]:
    """So many days up to today, today included."""
    return [today - timedelta(days=n) for n in range(days - 1, -1, -1)]
