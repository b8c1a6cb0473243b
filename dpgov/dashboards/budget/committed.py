"""How a budget was committed over time, as analysts may see it: by submission, and never when a
question ended. As many points as a chart can show, however long the history.

With what was asked of derived datasets, and what was booked or given back without a question. No
more is told by it than by what remains, which everybody may look at whenever they like.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from django.db.models import BigIntegerField, QuerySet, Sum, UUIDField, Value
from django.db.models.functions import TruncDate

from dpgov.budgets.history import Balance
from dpgov.budgets.models import Budget, Correction, Reservation
from dpgov.datasets.lineage import paid_by
from dpgov.datasets.models import Dataset
from dpgov.queries.models import DayTally, Query

_MOST_STEPS = 250
_GIVEN_BACK = (Reservation.State.VOIDED, Reservation.State.EXPIRED)

Moment = tuple[datetime, int]


def committed_thinned(budget: Budget) -> tuple[list[Balance], bool]:
    """The committed amount and the limit, oldest first; a hold that was given back never counted.

    It ends with what is committed now. Each of the newest questions is a step; before them, each
    day is one, and then True.
    """
    limits, corrected, datasets, is_divided = _known_of(budget)
    steps, by_days = (_of_largest_line(budget), 0) if is_divided else _of_questions(datasets)
    steps += [] if is_divided else corrected
    changes = [(at, 0, nano) for at, nano in limits] + [(at, nano, None) for at, nano in steps]
    committed = limit = 0
    series = []
    for at, nano, new_limit in sorted(changes, key=lambda change: change[0]):
        committed += nano
        limit = limit if new_limit is None else new_limit
        series.append(Balance(at, committed, 0, limit))
    return series, by_days > 0


def _known_of(budget: Budget) -> tuple[list[Moment], list[Moment], list[UUID], bool]:
    """How its limit changed, what was corrected, whose questions it pays for, and whether it has
    parts: in one read.
    """
    changes, corrections = budget.limit_changes.order_by(), budget.corrections.order_by()
    datasets, parts = Dataset.objects.filter(paid_by(budget.pk)), budget.parts.order_by()
    nobody, nothing = (
        Value(None, output_field=UUIDField()),
        Value(0, output_field=BigIntegerField()),
    )
    rows = changes.values_list(Value("limit"), "id", "created_at", "after_nano", nobody).union(
        datasets.values_list(Value("dataset"), nothing, "created_at", nothing, "pk"),
        corrections.values_list(Value("corrected"), nothing, "created_at", "amount_nano", nobody),
        parts.values_list(Value("part"), nothing, "budget__created_at", nothing, nobody),
        all=True,
    )
    found = sorted(rows, key=lambda row: row[1])
    return (
        [(at, nano) for what, _, at, nano, _ in found if what == "limit"],
        [(at, nano) for what, _, at, nano, _ in found if what == "corrected"],
        [pk for what, _, _, _, pk in found if what == "dataset"],
        any(what == "part" for what, *_ in found),
    )


def _of_questions(datasets: list[UUID]) -> tuple[list[Moment], int]:
    """Steps, and how many of them are days."""
    # By the datasets themselves, so that an index leads to the newest questions at once.
    asked = Query.objects.filter(dataset__in=datasets, state__in=Query.COMMITTED)
    newest = list(
        asked.order_by("-submitted_at").values_list("submitted_at", "cost_nano")[: _MOST_STEPS + 1]
    )[::-1]
    if len(newest) <= _MOST_STEPS:
        return newest, 0
    earlier = _by_day(datasets, asked)
    earlier.subtract(_days_of(newest))
    first = newest[0][0]
    days = [(min(_end_of(day), first), nano) for day, nano in earlier.items() if nano]
    return days + newest, len(days)


def _by_day(datasets: list[UUID], asked: QuerySet[Query]) -> Counter[date]:
    """The tallies and, in one statement with them, what they do not hold yet."""
    kept = DayTally.objects.filter(dataset__in=datasets).order_by().values_list("day")
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
    """Holds of the lines by submission, and corrections: a partitioned budget has what its largest
    part has.
    """
    its = {"budget__as_part__dataset_budget": budget}
    kept = Reservation.objects.filter(**its).exclude(state__in=_GIVEN_BACK).order_by()
    corrected = Correction.objects.filter(**its).order_by()
    read = ("created_at", "budget_id", "amount_nano")
    lines: defaultdict[object, int] = defaultdict(int)
    top, steps = 0, []
    moved = kept.values_list(*read).union(corrected.values_list(*read), all=True)
    for at, line, nano in moved.order_by("created_at"):
        lines[line] += nano
        largest = max(top, lines[line]) if nano > 0 else max(lines.values())
        steps.append((at, largest - top))
        top = largest
    return steps
