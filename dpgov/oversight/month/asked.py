"""All questions of a month added up in one statement: by dataset, by person and by day.

Sums of whole columns, however many there were; amounts of budgets in ε and in ρ never meet. Rows
are read once, narrowed to what an index has of them (`queries_by_day`), and each sum is taken of
that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import (
    BooleanField,
    Case,
    CharField,
    ExpressionWrapper,
    F,
    IntegerField,
    Q,
    QuerySet,
    Value,
    When,
)
from django.db.models.functions import Cast, TruncDate

from dpgov.budgets.windows import as_day
from dpgov.oversight.month.calendar import Month
from dpgov.privacy.accounting.loss import PURE, Currency, Mode
from dpgov.queries.models import Query
from dpgov.queries.pictures.cells import COLOURS, MOST_DATASETS
from dpgov.queries.selectors import committed_in_epsilon
from dpgov.tenants.models import Tenant

# A question is near its limit from nine tenths on, and a budget nearly spent at nine tenths.
NEAR, OF = 9, 10
_COUNTS = "COUNT(*), SUM(free), SUM(unpaid), SUM(near), SUM(owned), CAST(SUM(nano) AS bigint)"
_IN_DAYS = "COUNT(*), 0, 0, 0, 0, CAST(SUM(epsilon) AS bigint)"
# {of} is the dataset of a square.
_SUMS = f"""
WITH asked AS MATERIALIZED ({{asked}}),
busiest AS (
    SELECT about FROM asked WHERE own
    GROUP BY about ORDER BY COUNT(*) DESC, about LIMIT {MOST_DATASETS}
)
SELECT 'dataset', about, CAST(NULL AS date), delta, {_COUNTS}
FROM asked WHERE own GROUP BY about, delta
UNION ALL
SELECT 'person', person, CAST(NULL AS date), delta, {_COUNTS}
FROM asked WHERE own GROUP BY person, delta
UNION ALL
SELECT 'day', CAST(NULL AS uuid), day, '', {_IN_DAYS}
FROM asked WHERE NOT own GROUP BY day
UNION ALL
SELECT 'square', {{of}}, day, key, {_IN_DAYS}
FROM asked WHERE own GROUP BY 2, 3, 4
"""  # noqa: S608 - texts of ours
_OF_THE_BUSIEST = "CASE WHEN about IN (SELECT about FROM busiest) THEN about END"


class Asking(NamedTuple):
    """What was asked of one dataset, or by one person of budgets of one currency."""

    of: UUID
    currency: Currency
    asked: int
    free: int
    unpaid: int
    near: int
    by_owner: int
    nano: int


class Square(NamedTuple):
    """What was asked of one dataset on one day, of one colour; ε of pure budgets alone.

    `dataset` is None for those of all but the busiest ones; `key` is the colour as it is stored.
    """

    dataset: UUID | None
    day: date
    key: str
    number: int
    nano: int


@dataclass(frozen=True, slots=True)
class MonthSums:
    """The sums of a month. `by_day` has the month before, too: a number, and nano-units of ε."""

    by_dataset: Sequence[Asking]
    by_person: Sequence[Asking]
    by_day: dict[date, tuple[int, int]]
    squares: Sequence[Square]


def asked_in(tenant: Tenant, month: Month, colour: str = "state") -> MonthSums:
    """What was accepted in the month; amounts with what is still reserved. One statement."""
    asked, values = _asked(tenant, month, colour).query.sql_with_params()
    of = "about" if colour == "dataset" else _OF_THE_BUSIEST
    with connection.cursor() as cursor:
        cursor.execute(_SUMS.format(asked=asked, of=of), values)
        return _read(cursor.fetchall())


def _asked(tenant: Tenant, month: Month, colour: str) -> QuerySet[Query, Any]:
    """Each question of this month and of the one before, as far as it is summed."""
    begin, end = month.span()
    earlier = month.before().span()[0]
    found = Query.objects.filter(tenant=tenant, submitted_at__gte=earlier, submitted_at__lt=end)
    near = Q(reuse=False, cost_nano__gte=F("dataset__per_query_limit_nano") * NEAR / OF)
    ended_unpaid = Q(state__in=(Query.State.VOIDED, Query.State.EXPIRED))
    return found.order_by().values(
        about=F("dataset_id"),
        person=F("analyst_id"),
        day=TruncDate("submitted_at", tzinfo=UTC),
        key=Cast(COLOURS[colour], CharField()),
        delta=F("dataset__budget__delta"),
        own=ExpressionWrapper(Q(submitted_at__gte=begin), BooleanField()),
        free=_one_where(Q(reuse=True)),
        unpaid=_one_where(ended_unpaid & Q(reuse=False)),
        near=_one_where(near),
        owned=_one_where(Q(by_owner=True)),
        nano=_cost_where(Q(reuse=False) & ~ended_unpaid),
        epsilon=_cost_where(committed_in_epsilon()),
    )


def _one_where(which: Q) -> Case:
    return Case(When(which, then=1), default=0, output_field=IntegerField())


def _cost_where(which: Q) -> Case:
    return Case(When(which, then=F("cost_nano")), default=Value(0))


def _read(rows: Sequence[tuple[Any, ...]]) -> MonthSums:
    """Into what they are of, as each row says first."""
    currencies = {row[3]: _currency(row[3]) for row in rows if row[0] in ("dataset", "person")}

    def of(what: str) -> list[Asking]:
        return [Asking(_id(row[1]), currencies[row[3]], *row[4:]) for row in rows if row[0] == what]

    squares = [
        Square(row[1] and _id(row[1]), as_day(row[2]), row[3], row[4], row[-1])
        for row in rows
        if row[0] == "square"
    ]
    days = {as_day(row[2]): (row[4], row[-1]) for row in rows if row[0] == "day"}
    for one in squares:
        number, nano = days.get(one.day, (0, 0))
        days[one.day] = (number + one.number, nano + one.nano)
    return MonthSums(of("dataset"), of("person"), days, squares)


def _id(value: Any) -> UUID:
    """SQLite has no type for it."""
    return value if isinstance(value, UUID) else UUID(value)


def _currency(delta: str | None) -> Currency:
    return Currency(Mode.ZCDP, Decimal(delta)) if delta else PURE
