"""The rows that the portable steps read and change, by statements that are prepared."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce

from dpgov.budgets.models import (
    Budget,
    BudgetAccess,
    BudgetPart,
    DerivedBudget,
    RateLimit,
    Reservation,
    SharedBudgetMember,
)
from dpgov.operation.prepared import Change, Prepared, PreparedChange, among


@Prepared
def holds_of(query_id: UUID) -> QuerySet[Reservation, Any]:
    """Whether this question has held anything, in whatever state that is."""
    return Reservation.objects.filter(query_id=query_id).values_list("pk")


@Prepared
def accesses(budgets: tuple[UUID, ...], tenant_id: UUID) -> QuerySet[BudgetAccess, Any]:
    """Which of these budgets the tenant may use."""
    there = BudgetAccess.objects.filter(among("budget", budgets), tenant_id=tenant_id)
    return there.values_list("pk")


@Prepared
def rates_of_budgets(budgets: tuple[UUID, ...]) -> QuerySet[RateLimit]:
    """Their limits for a period."""
    return RateLimit.objects.filter(among("budget", budgets))


@Prepared
def locked(ids: tuple[UUID, ...]) -> QuerySet[Budget]:
    """These budgets under their locks, in the order of their ids."""
    return Budget.objects.select_for_update().filter(among("pk", ids)).order_by("pk")


@Prepared
def parents_of(ids: tuple[UUID, ...]) -> QuerySet[BudgetPart, Any]:
    """The datasets whose parts these budgets are."""
    lines = BudgetPart.objects.filter(among("budget", ids)).order_by()
    return lines.values_list("dataset_budget", flat=True).distinct()


@Prepared
def forgotten(datasets: tuple[UUID, ...], charged: tuple[UUID, ...]) -> QuerySet[Any, Any]:
    """Shared budgets of these datasets, and what is of a parent, that are not charged.

    What was derived from two datasets is charged to both, to all of their parts.
    """
    members = SharedBudgetMember.objects.filter(
        among("dataset_budget", datasets), left_at__isnull=True
    )
    shared = members.exclude(among("shared_budget", charged)).order_by()
    derived = DerivedBudget.objects.filter(among("budget", datasets))
    asked = derived.annotate(asked=Coalesce("parent__parts__budget", "parent"))
    of_parents = asked.exclude(among("asked", charged)).order_by()
    return shared.values_list("shared_budget").union(of_parents.values_list("asked"))


@Prepared
def holding(query_id: UUID) -> QuerySet[Reservation]:
    """What this question holds, under its lock."""
    held = Reservation.objects.filter(query_id=query_id, state=Reservation.State.HELD)
    return held.select_for_update()


@PreparedChange
def end_holds(query_id: UUID, at: datetime, *, state: Reservation.State) -> Change:
    """What this question holds is held no more."""
    held = Reservation.objects.filter(query_id=query_id, state=Reservation.State.HELD)
    return held, {"state": state, "ended_at": at}


@Prepared
def spent_of(budget_id: UUID) -> QuerySet[Budget, int]:
    """What is charged to it."""
    return Budget.objects.filter(pk=budget_id).values_list("spent_nano", flat=True)


@PreparedChange
def move(budget_id: UUID, reserved: int, spent: int) -> Change:
    """More of it is reserved and spent, in nano-units; less, if negative."""
    return Budget.objects.filter(pk=budget_id), {
        "reserved_nano": F("reserved_nano") + reserved,
        "spent_nano": F("spent_nano") + spent,
    }


@PreparedChange
def count_on(budget_id: UUID, day: date) -> Change:
    """The day on which it was last counted."""
    return Budget.objects.filter(pk=budget_id), {"counted_on": day}
