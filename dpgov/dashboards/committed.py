"""How a budget was committed over time, as analysts may see it: by submission, and never when a
question ended. As many points as a chart can show, however long the history.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import QuerySet, Sum
from django.db.models.functions import TruncDate

from dpgov.budgets.history import Balance
from dpgov.budgets.models import Budget, Reservation
from dpgov.queries.models import DayTally, Query

_MOST_STEPS = 250
_COMMITTED = (Query.State.QUEUED, Query.State.RUNNING, *Query.CHARGED)
_GIVEN_BACK = (Reservation.State.VOIDED, Reservation.State.EXPIRED)

Moment = tuple[datetime, int]


def committed_over_time(budget: Budget) -> list[Balance]:
    """The committed amount and the limit, oldest first; what was given back never counted.

    Each of the newest questions is a step; before them, each day is one.
    """
    limits = list(budget.limit_changes.order_by("id").values_list("created_at", "after_nano"))
    steps = _of_largest_line(budget) if budget.parts.exists() else _of_questions(budget)
    changes = [(at, 0, nano) for at, nano in limits] + [(at, nano, None) for at, nano in steps]
    committed = limit = 0
    series = []
    for at, nano, new_limit in sorted(changes, key=lambda change: change[0]):
        committed += nano
        limit = limit if new_limit is None else new_limit
        series.append(Balance(at, committed, 0, limit))
    return series


def _of_questions(budget: Budget) -> list[Moment]:
    asked = Query.objects.filter(dataset__budget=budget, state__in=_COMMITTED)
    newest = list(
        asked.order_by("-submitted_at").values_list("submitted_at", "cost_nano")[: _MOST_STEPS + 1]
    )[::-1]
    if len(newest) <= _MOST_STEPS:
        return newest
    earlier = _by_day(budget, asked)
    earlier.subtract(_days_of(newest))
    first = newest[0][0]
    return [(min(_end_of(day), first), nano) for day, nano in earlier.items() if nano] + newest


def _by_day(budget: Budget, asked: QuerySet[Query]) -> Counter[date]:
    """The tallies and, in one statement with them, what they do not hold yet."""
    kept = DayTally.objects.filter(dataset__budget=budget).order_by().values_list("day")
    fresh = asked.filter(counted=False).order_by()
    fresh_days = fresh.values_list(TruncDate("submitted_at", tzinfo=UTC))
    sums: Counter[date] = Counter()
    both = kept.annotate(sum=Sum("nano")).union(fresh_days.annotate(sum=Sum("cost_nano")), all=True)
    for day, nano in both:
        sums[day] += int(nano)
    return sums


def _days_of(moments: Iterable[Moment]) -> Counter[date]:
    sums: Counter[date] = Counter()
    for at, nano in moments:
        sums[at.astimezone(UTC).date()] += nano
    return sums


def _end_of(day: date) -> datetime:
    return datetime.combine(day + timedelta(days=1), time.min, UTC)


def _of_largest_line(budget: Budget) -> list[Moment]:
    """Holds of the lines by submission: a partitioned budget has what its largest line has."""
    holds = Reservation.objects.filter(budget__partition_line__dataset_budget=budget)
    kept = holds.exclude(state__in=_GIVEN_BACK).order_by("created_at")
    lines: defaultdict[object, int] = defaultdict(int)
    top, steps = 0, []
    for at, line, nano in kept.values_list("created_at", "budget_id", "amount_nano"):
        lines[line] += nano
        steps.append((at, max(0, lines[line] - top)))
        top = max(top, lines[line])
    return steps
