"""Reads of the ledger: balances over time, and a recount that trusts no counter."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from dpgov.budgets.models import Budget, Charge, LimitChange, Reservation
from dpgov.privacy.budget import as_text
from dpgov.tenants.models import Tenant


@dataclass(frozen=True, slots=True)
class Balance:
    """What had been spent and reserved, and the limit, from this moment on; in nano-ε."""

    at: datetime
    spent_nano: int
    reserved_nano: int
    limit_nano: int


def spending_over_time(budget: Budget) -> list[Balance]:
    """The balance after every step of the ledger, oldest first."""
    spent = reserved = limit = 0
    balances = []
    for at, d_spent, d_reserved, new_limit in sorted(_steps(budget), key=lambda step: step[0]):
        spent, reserved = spent + d_spent, reserved + d_reserved
        limit = limit if new_limit is None else new_limit
        balances.append(Balance(at, spent, reserved, limit))
    return balances


_Step = tuple[datetime, int, int, int | None]


def _steps(budget: Budget) -> Iterator[_Step]:
    for change in budget.limit_changes.order_by("id"):
        yield change.created_at, 0, 0, change.after_nano
    for hold in budget.reservations.order_by("id"):
        yield hold.created_at, 0, hold.amount_nano, None
        if hold.ended_at is not None:
            settled = hold.amount_nano if hold.state == Reservation.State.SETTLED else 0
            yield hold.ended_at, settled, -hold.amount_nano, None


def ledger_findings(tenant: Tenant | None = None) -> list[str]:
    """Add up every entry again and name each counter that disagrees; an empty list is good.

    One statement, and so one snapshot: right also while others are writing.
    """
    budgets = Budget.objects.all() if tenant is None else Budget.objects.filter(tenant=tenant)
    held, settled = Reservation.State.HELD, Reservation.State.SETTLED
    recounted = budgets.annotate(
        charged=_total(Charge.objects.all()),
        held=_total(Reservation.objects.filter(state=held)),
        settled=_total(Reservation.objects.filter(state=settled)),
        limit_in_history=Subquery(
            LimitChange.objects.filter(budget=OuterRef("pk"))
            .order_by("-id")
            .values("after_nano")[:1]
        ),
    )
    return [finding for budget in recounted.order_by("id") for finding in _findings(budget)]


def _total(rows: QuerySet[Charge] | QuerySet[Reservation]) -> Coalesce:
    """The sum of these rows' amounts for the budget of the outer query."""
    mine = rows.filter(budget=OuterRef("pk")).order_by().values("budget")
    return Coalesce(Subquery(mine.annotate(total=Sum("amount_nano")).values("total")), 0)


def _findings(budget: Any) -> Iterator[str]:
    comparisons = (
        ("spent", budget.spent_nano, "the charges", budget.charged),
        ("reserved", budget.reserved_nano, "the holds", budget.held),
        ("limit", budget.limit_nano, "its history", budget.limit_in_history),
        ("settled holds", budget.settled, "the charges", budget.charged),
    )
    for name, stored, source, counted in comparisons:
        if stored != counted:
            yield (
                f"{budget.label}: {name} says ε {as_text(stored)}, "
                f"{source} add up to ε {as_text(counted or 0)}"
            )
    if budget.remaining_nano < 0:
        yield f"{budget.label}: overspent by ε {as_text(-budget.remaining_nano)}"
