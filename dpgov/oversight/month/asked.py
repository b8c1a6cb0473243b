"""All questions of a month added up in one statement: by dataset, by person and by day.

Sums of whole columns, however many there were; amounts of budgets in ε and in ρ never meet.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import (
    BigIntegerField,
    CharField,
    Count,
    DateField,
    F,
    Q,
    QuerySet,
    Sum,
    UUIDField,
    Value,
)
from django.db.models.functions import Cast, TruncDate

from dpgov.oversight.month.calendar import Month
from dpgov.privacy.accounting.loss import PURE, Currency, Mode
from dpgov.queries.models import Query
from dpgov.queries.pictures.cells import COLOURS, busiest
from dpgov.queries.selectors import committed_in_epsilon
from dpgov.tenants.models import Tenant

# A question is near its limit from nine tenths on, and a budget nearly spent at nine tenths.
NEAR, OF = 9, 10


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
class Asked:
    """The sums of a month. `by_day` has the month before, too: a number, and nano-units of ε."""

    by_dataset: Sequence[Asking]
    by_person: Sequence[Asking]
    by_day: dict[date, tuple[int, int]]
    squares: Sequence[Square]


def asked_in(tenant: Tenant, month: Month, colour: str = "state") -> Asked:
    """What was accepted in the month; amounts with what is still reserved. One statement."""
    begin, end = month.span()
    own, before = _asked(tenant, begin, end), _asked(tenant, *month.before().span())
    delta = "dataset__budget__delta"
    by_dataset = own.values_list(Value("dataset"), "dataset_id", _no_day(), delta)
    by_person = own.values_list(Value("person"), "analyst_id", _no_day(), delta)
    submitted = TruncDate("submitted_at", tzinfo=UTC)
    by_day = before.values_list(Value("day"), Cast(Value(None), UUIDField()), submitted, Value(""))
    of = F("dataset_id") if colour == "dataset" else busiest(own)
    key = Cast(COLOURS[colour], CharField())
    by_square = own.values_list(Value("square"), of, submitted, key)
    found = by_dataset.annotate(**_sums()).union(
        by_person.annotate(**_sums()),
        by_day.annotate(**_day_sums()),
        by_square.annotate(**_day_sums()),
        all=True,
    )
    return _read(list(found))


def _asked(tenant: Tenant, begin: datetime, end: datetime) -> QuerySet[Query]:
    asked = Query.objects.filter(tenant=tenant, submitted_at__gte=begin, submitted_at__lt=end)
    return asked.order_by()


def _no_day() -> Cast:
    return Cast(Value(None), DateField())


def _sums() -> dict[str, Any]:
    near = Q(reuse=False, cost_nano__gte=F("dataset__per_query_limit_nano") * NEAR / OF)
    ended_unpaid = Q(state__in=(Query.State.VOIDED, Query.State.EXPIRED))
    return {
        "asked": Count("pk"),
        "free": Count("pk", filter=Q(reuse=True)),
        "unpaid": Count("pk", filter=ended_unpaid & Q(reuse=False)),
        "near": Count("pk", filter=near),
        "owned": Count("pk", filter=Q(by_owner=True)),
        "nano": _nano(Q(reuse=False) & ~ended_unpaid),
    }


def _day_sums() -> dict[str, Any]:
    nothing = {name: Value(0) for name in ("free", "unpaid", "near", "owned")}
    return {"asked": Count("pk"), **nothing, "nano": _nano(committed_in_epsilon())}


def _nano(which: Q) -> Cast:
    return Cast(Sum("cost_nano", filter=which, default=0), BigIntegerField())


def _read(rows: Sequence[tuple[Any, ...]]) -> Asked:
    """Into what they are of, as each row says first."""
    currencies = {row[3]: _currency(row[3]) for row in rows if row[0] in ("dataset", "person")}

    def of(what: str) -> list[Asking]:
        return [Asking(row[1], currencies[row[3]], *row[4:]) for row in rows if row[0] == what]

    squares = [
        Square(row[1], row[2], row[3], row[4], row[-1]) for row in rows if row[0] == "square"
    ]
    days = {row[2]: (row[4], row[-1]) for row in rows if row[0] == "day"}
    for one in squares:
        number, nano = days.get(one.day, (0, 0))
        days[one.day] = (number + one.number, nano + one.nano)
    return Asked(of("dataset"), of("person"), days, squares)


def _currency(delta: str | None) -> Currency:
    return Currency(Mode.ZCDP, Decimal(delta)) if delta else PURE
