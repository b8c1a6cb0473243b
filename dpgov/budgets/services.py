"""The steps of the ledger, and its only writer.

Assume that every step runs concurrently with itself. A reservation is one conditional UPDATE with
a CHECK constraint behind it; budgets are always taken in the order of their ids, so that two
queries that share several budgets queue up and never deadlock. Each function joins the caller's
transaction: it all happens, or none of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.services import append
from dpgov.budgets.errors import (
    AlreadyReserved,
    AmountMismatch,
    InsufficientBudget,
    InvalidAmount,
    LimitBelowCommitted,
    NothingHeld,
)
from dpgov.budgets.models import Budget, Charge, LimitChange, Reservation
from dpgov.privacy.budget import MAX_NANO, as_text
from dpgov.tenants.models import Tenant


@dataclass(frozen=True, slots=True)
class Line:
    """One budget that a query touches, and how much of it, in nano-ε."""

    budget_id: UUID
    amount_nano: int


@transaction.atomic
def open_budget(*, tenant: Tenant, label: str, limit_nano: int, reason: str = "opened") -> Budget:
    """A new budget with nothing spent; the caller writes the audit entry of the larger step."""
    limit = _amount(limit_nano)
    budget = Budget.objects.create(tenant=tenant, label=label, limit_nano=limit)
    LimitChange.objects.create(budget=budget, before_nano=0, after_nano=limit, reason=reason)
    return budget


@transaction.atomic
def change_limit(*, budget: Budget, limit_nano: int, actor: Actor, reason: str) -> Budget:
    """Set a new limit; refused below what is spent or reserved (LimitBelowCommitted)."""
    limit = _amount(limit_nano)
    locked = Budget.objects.select_for_update().get(pk=budget.pk)
    committed = locked.reserved_nano + locked.spent_nano
    fits = Budget.objects.filter(pk=budget.pk, reserved_nano__lte=limit - F("spent_nano"))
    if not fits.update(limit_nano=limit):
        raise LimitBelowCommitted(limit_nano=limit, committed_nano=committed)
    LimitChange.objects.create(
        budget=locked, before_nano=locked.limit_nano, after_nano=limit, reason=reason
    )
    append(
        tenant_id=locked.tenant_id,
        actor=actor,
        action=Action.BUDGET_LIMIT_CHANGED,
        subject=f"budget:{locked.id}",
        dataset=locked.label,
        detail={
            "before_epsilon": as_text(locked.limit_nano),
            "after_epsilon": as_text(limit),
            "reason": reason,
        },
    )
    locked.limit_nano = limit
    return locked


@transaction.atomic
def reserve(*, query_id: UUID, lines: Sequence[Line]) -> None:
    """Hold every line for this query, or none of them.

    Raises InsufficientBudget for the first budget that cannot hold its line, AlreadyReserved for
    an id that was used before, InvalidAmount for an amount that is not a positive integer.
    """
    ordered = sorted(lines, key=lambda line: line.budget_id.bytes)
    _record_holds(query_id, ordered)
    for line in ordered:
        _take(line)


def _record_holds(query_id: UUID, lines: Sequence[Line]) -> None:
    holds = [
        Reservation(
            query_id=query_id, budget_id=line.budget_id, amount_nano=_amount(line.amount_nano)
        )
        for line in lines
    ]
    try:
        with transaction.atomic():
            Reservation.objects.bulk_create(holds)
    except IntegrityError as error:
        raise AlreadyReserved(query_id) from error


def _take(line: Line) -> None:
    room = Budget.objects.filter(
        pk=line.budget_id,
        limit_nano__gte=F("spent_nano") + F("reserved_nano") + line.amount_nano,
    )
    if not room.update(reserved_nano=F("reserved_nano") + line.amount_nano):
        remaining = Budget.objects.get(pk=line.budget_id).remaining_nano
        raise InsufficientBudget(requested_nano=line.amount_nano, remaining_nano=remaining)


@transaction.atomic
def settle(*, query_id: UUID, amount_nano: int) -> None:
    """Turn every hold of this query into a charge of the same amount, for good, once.

    `amount_nano` is what the release really cost; it must be what every line holds
    (AmountMismatch). Raises NothingHeld when there is no hold left, e.g. at a second settle.
    """
    amount = _amount(amount_nano)
    for hold in _end_holds(query_id, Reservation.State.SETTLED):
        if hold.amount_nano != amount:
            raise AmountMismatch(booked_nano=amount, held_nano=hold.amount_nano)
        Charge.objects.create(
            budget_id=hold.budget_id, query_id=query_id, amount_nano=hold.amount_nano
        )
        Budget.objects.filter(pk=hold.budget_id).update(
            reserved_nano=F("reserved_nano") - hold.amount_nano,
            spent_nano=F("spent_nano") + hold.amount_nano,
        )


def void(*, query_id: UUID) -> None:
    """Give every hold back: only for a query whose data was never opened."""
    _give_back(query_id, Reservation.State.VOIDED)


def expire(*, query_id: UUID) -> None:
    """Give every hold back because nobody took the query up in time."""
    _give_back(query_id, Reservation.State.EXPIRED)


@transaction.atomic
def _give_back(query_id: UUID, state: Reservation.State) -> None:
    for hold in _end_holds(query_id, state):
        Budget.objects.filter(pk=hold.budget_id).update(
            reserved_nano=F("reserved_nano") - hold.amount_nano
        )


def _end_holds(query_id: UUID, state: Reservation.State) -> list[Reservation]:
    """Move the holds out of HELD, in the order of their budgets; whoever comes second gets none."""
    holds = list(
        Reservation.objects.select_for_update().filter(
            query_id=query_id, state=Reservation.State.HELD
        )
    )
    holds.sort(key=lambda hold: hold.budget_id.bytes)
    moved = Reservation.objects.filter(
        pk__in=[hold.pk for hold in holds], state=Reservation.State.HELD
    ).update(state=state, ended_at=timezone.now())
    if not holds or moved != len(holds):
        raise NothingHeld(query_id)
    return holds


def _amount(value: object) -> int:
    if type(value) is not int or not 0 < value <= MAX_NANO:
        raise InvalidAmount(value)
    return value
