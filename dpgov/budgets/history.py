"""Balances over time, from the entries; as many points as a chart can show, however many rows.

Every charge and correction carries the balance after it, so a moment of a long history is found
by an index and nothing is added up.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Exists, F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from dpgov.budgets.models import Budget, Charge, Correction, LimitChange
from dpgov.budgets.together import with_parts

_MOST_POINTS = 250
_NEWEST = """
    (SELECT created_at, spent_after_nano FROM {table}
     WHERE budget_id = %(budget)s AND created_at <= moment.at ORDER BY created_at DESC LIMIT 1)
"""
_BALANCES = f"""
SELECT coalesce((
    SELECT entry.spent_after_nano FROM (
        {_NEWEST.format(table="budgets_charge")} UNION ALL
        {_NEWEST.format(table="budgets_correction")}
    ) entry ORDER BY entry.created_at DESC, entry.spent_after_nano DESC LIMIT 1
), 0)
FROM unnest(%(moments)s::timestamptz[]) WITH ORDINALITY AS moment (at, place) ORDER BY place
"""  # noqa: S608 - tables of ours


@dataclass(frozen=True, slots=True)
class Balance:
    """What had been spent and reserved, and the limit, from this moment on."""

    at: datetime
    spent_nano: int
    reserved_nano: int
    limit_nano: int


@dataclass(frozen=True, slots=True)
class BudgetAtMoment:
    """What had been spent of a budget by a moment, and its limit then."""

    spent_nano: int
    limit_nano: int


def standings_at(
    budgets: Collection[UUID] | QuerySet[Any, Any], moments: Sequence[datetime | None]
) -> dict[UUID, list[BudgetAtMoment]]:
    """Each budget just before each of these moments; of a divided one its largest part.

    None is the present, as the ledger has it. `budgets` are ids, or rather a query that finds
    them: hundreds of ids take the database longer to read than to answer. One statement, however
    long the history.
    """
    read: dict[str, Any] = {}
    for place, moment in enumerate(moments):
        if moment:
            read[f"limit_{place}"], read[f"spent_{place}"] = balance_before(moment)
    rows_found = list(
        Budget.objects.filter(pk__in=with_parts(budgets))
        .annotate(**read, whole=F("as_part__dataset_budget"))
        .values("pk", "whole", "spent_nano", "limit_nano", *read)
    )
    own: defaultdict[UUID, list[dict[str, Any]]] = defaultdict(list)
    for row in rows_found:
        own[row["whole"] or row["pk"]].append(row)
    return {
        budget: [_standing(budget, rows, place) for place in range(len(moments))]
        for budget, rows in own.items()
    }


def balance_before(moment: datetime, of: str = "pk") -> tuple[Subquery, Coalesce]:
    """Of a budget before a moment: its limit, and the balance after the newest entry.

    That is the newest charge's, unless a correction came after it. `of` is the column of the
    outer query that says which budget.
    """
    entries = {"budget": OuterRef(of), "created_at__lt": moment}
    limit = LimitChange.objects.filter(**entries).order_by("-id").values("after_nano")
    later = {"created_at__gte": OuterRef("created_at"), "created_at__lt": moment}
    followed = Exists(Charge.objects.filter(budget=OuterRef("budget"), **later))
    balances = (Correction.objects.filter(~followed, **entries), Charge.objects.filter(**entries))
    newest = [
        Subquery(rows.order_by("-created_at", "-spent_after_nano").values("spent_after_nano")[:1])
        for rows in balances
    ]
    return Subquery(limit[:1]), Coalesce(*newest, 0)


def _standing(budget: UUID, own: Sequence[dict[str, Any]], place: int) -> BudgetAtMoment:
    whole = next(row for row in own if row["pk"] == budget)
    limit = whole.get(f"limit_{place}", whole["limit_nano"])
    spent = max(row.get(f"spent_{place}", row["spent_nano"]) for row in own)
    return BudgetAtMoment(int(spent), limit or 0)


def spending_thinned(budget: Budget) -> tuple[list[Balance], bool]:
    """The spent balance and the limit through the budget's life, oldest first.

    Every step while there are few; else the balance at evenly spaced moments, and True. The last
    point is the present one, with what is reserved now.
    """
    now, *parts = _with_its_parts(budget)
    parts = parts or [now]
    steps = _steps(parts)
    moments = steps or _evenly(parts)
    limits = list(budget.limit_changes.order_by("id").values_list("created_at", "after_nano"))
    points = [Balance(at, spent, 0, _limit_at(limits, at)) for at, spent in moments]
    changes = [Balance(at, _spent_at(moments, at), 0, nano) for at, nano in limits[-_MOST_POINTS:]]
    series = sorted(points + changes, key=lambda balance: balance.at)
    at = series[-1].at if series else now.created_at
    last = Balance(at, now.spent_nano, now.reserved_nano, now.limit_nano)
    return [*series, last], bool(moments) and not steps


Moment = tuple[datetime, int]


def _with_its_parts(budget: Budget) -> list[Budget]:
    """The budget as it is now, then its parts; with the moments of their first and last charge."""
    charges = Charge.objects.filter(budget=OuterRef("pk")).values("created_at")
    found = Budget.objects.filter(pk__in=with_parts([budget.pk])).annotate(
        first_at=Subquery(charges.order_by("created_at")[:1]),
        last_at=Subquery(charges.order_by("-created_at")[:1]),
    )
    return sorted(found, key=lambda one: one.pk != budget.pk)


def _steps(parts: Sequence[Budget]) -> list[Moment]:
    """Every balance, or nothing when there are too many to draw."""
    found: list[Moment] = []
    for part in parts:
        entries = part.charges.values_list("created_at", "spent_after_nano").union(
            part.corrections.values_list("created_at", "spent_after_nano"), all=True
        )
        found += entries[: _MOST_POINTS + 1]
        if len(found) > _MOST_POINTS:
            return []
    return _largest_so_far(sorted(found)) if len(parts) > 1 else sorted(found)


def _largest_so_far(moments: list[Moment]) -> list[Moment]:
    top, series = 0, []
    for at, spent in moments:
        top = max(top, spent)
        series.append((at, top))
    return series


def _evenly(parts: Sequence[Budget]) -> list[Moment]:
    ends = [
        moment
        for part in parts
        for name in ("first_at", "last_at")
        if (moment := getattr(part, name)) is not None
    ]
    if not ends:
        return []
    points = max(2, _MOST_POINTS // len(parts))
    step = (max(ends) - min(ends)) / (points - 1)
    moments = [min(ends) + step * n for n in range(points)]
    balances = zip(*(_balances_at(part, moments) for part in parts), strict=True)
    return list(zip(moments, map(max, balances), strict=True))


def _balances_at(budget: Budget, moments: list[datetime]) -> list[int]:
    """What had been spent at each of these moments; one statement where a round trip costs."""
    if connection.vendor != "postgresql":
        return [_balance_at(budget, at) for at in moments]
    with connection.cursor() as cursor:
        cursor.execute(_BALANCES, {"budget": budget.pk, "moments": moments})
        return [row[0] for row in cursor.fetchall()]


def _balance_at(budget: Budget, at: datetime) -> int:
    newest = [
        rows.filter(budget=budget, created_at__lte=at)
        .order_by("-created_at")
        .values_list("created_at", "spent_after_nano")
        .first()
        for rows in (Charge.objects, Correction.objects)
    ]
    known = [row for row in newest if row is not None]
    return max(known)[1] if known else 0


def _limit_at(limits: list[Moment], at: datetime) -> int:
    known = [nano for since, nano in limits if since <= at]
    return known[-1] if known else (limits[0][1] if limits else 0)


def _spent_at(moments: list[Moment], at: datetime) -> int:
    known = [spent for since, spent in moments if since <= at]
    return known[-1] if known else 0
