"""Reserve, settle, void, expire: what happens to the budgets of one query."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import cast
from uuid import UUID

from django.db import IntegrityError, connection

from dpgov.budgets.errors import (
    AlreadyReserved,
    AmountMismatch,
    BudgetClosed,
    BudgetFrozen,
    BudgetsMoved,
    ForeignBudget,
    InsufficientBudget,
    LedgerRefusal,
    NothingHeld,
)
from dpgov.budgets.models import Budget, BudgetPart, Reservation
from dpgov.budgets.services import one_statement, portable
from dpgov.budgets.services.freezing import confirm_place
from dpgov.budgets.services.line import Line, StepOutcome, Steps, bookable, checked
from dpgov.budgets.together import charged_together
from dpgov.budgets.words import on_parent_said, rate_said, whose_said


def _database() -> Steps:
    return cast(Steps, one_statement if connection.vendor == "postgresql" else portable)


def reserve(
    *, query_id: UUID, tenant_id: UUID, lines: Sequence[Line], moment: datetime | None = None
) -> None:
    """Hold every line for this query of this tenant, or none of them.

    `moment` says to which windows of the rates it counts: now, by the database's clock.
    Raises InsufficientBudget for the tightest limit that cannot hold its line (lifetime limits
    before rates), BudgetFrozen, BudgetClosed, BudgetsMoved when a shared budget or a
    parent of the dataset is missing among the lines (read them again), AlreadyReserved for an id
    that was used before, AmountOutOfRange for an amount that is not a positive integer.
    """
    ordered = checked(lines)
    confirm_place()
    try:
        outcome = _database().reserve(query_id, tenant_id, ordered, moment)
    except IntegrityError as error:
        raise AlreadyReserved(query_id) from error
    if outcome.refusal is not None:
        raise _refusal(query_id, outcome, ordered)


def take(lines: Iterable[Line]) -> None:
    """Lock the budgets of several queries that are about to be reserved, one after the other.

    Each reservation takes its budgets in the one order, but what the next one adds may come
    earlier in it; taken all at once, batches and single queries still never deadlock.
    """
    _lock({line.budget_id for line in lines})


def take_all(*, budget_id: UUID, query_ids: Collection[UUID]) -> None:
    """Lock all that everybody's question on this dataset's budget is charged to, and these hold."""
    holds = Reservation.objects.filter(query_id__in=query_ids, state=Reservation.State.HELD)
    together = charged_together([budget_id])[budget_id].everything
    _lock({budget_id, *together, *holds.values_list("budget", flat=True)})


def _lock(ids: Collection[UUID]) -> None:
    """And the datasets whose parts they are; all at once, in the one order."""
    parents = BudgetPart.objects.filter(budget__in=ids).values_list("dataset_budget", flat=True)
    rows = Budget.objects.filter(pk__in=[*ids, *parents.order_by()]).order_by("pk")
    list(rows.select_for_update(no_key=True).values_list("pk"))


def _refusal(
    query_id: UUID, outcome: StepOutcome, lines: Sequence[Line], *, requested_nano: int = 0
) -> LedgerRefusal:
    if outcome.refusal == "already":
        return AlreadyReserved(query_id)
    if outcome.refusal == "moved":
        return BudgetsMoved()
    if outcome.refusal == "frozen":
        return BudgetFrozen()
    if outcome.refusal == "foreign":
        return ForeignBudget(query_id)
    budget = Budget.objects.get(pk=cast(UUID, outcome.budget_id))
    if outcome.refusal == "closed":
        return BudgetClosed(whose_said(budget))
    parents = {line.budget_id for line in lines if line.of_parent}
    words = on_parent_said(budget) if budget.pk in parents else whose_said(budget)
    return InsufficientBudget(
        requested_nano=next(
            (line.amount_nano for line in lines if line.budget_id == budget.pk), requested_nano
        ),
        remaining_nano=outcome.available_nano or 0,
        limit=rate_said(words, outcome.period) if outcome.period else words,
        currency=budget.currency,
    )


def settle(*, query_id: UUID, amount_nano: int) -> Sequence[Line]:
    """Turn every hold of this query into a charge of the same amount, for good, once.

    Returns what was booked.
    `amount_nano` is what the release really cost; every line must hold its factor times that
    (AmountMismatch). Raises NothingHeld when there is no hold left, e.g. at a second settle.
    """
    booked = bookable(amount_nano)
    outcome = _database().settle(query_id, booked)
    if outcome.refusal == "mismatch":
        raise AmountMismatch(booked_nano=booked, held_nano=outcome.available_nano or 0)
    if outcome.refusal is not None:
        raise NothingHeld(query_id)
    return outcome.lines


def extend(*, query_id: UUID, amount_nano: int) -> Sequence[Line]:
    """Hold more for a query, on every line its factor times as much; returns what was added.

    All of it or nothing: raises what `reserve` raises where a line cannot hold it, and
    NothingHeld when the query holds nothing (any more).
    """
    outcome = _database().extend(query_id, bookable(amount_nano))
    if outcome.refusal == "nothing":
        raise NothingHeld(query_id)
    if outcome.refusal is not None:
        raise _refusal(query_id, outcome, (), requested_nano=amount_nano)
    return outcome.lines


def void(*, query_id: UUID) -> Sequence[Line]:
    """Give every hold back, and return them: only for a query whose data was never opened."""
    return _give_back(query_id, Reservation.State.VOIDED)


def expire(*, query_id: UUID) -> Sequence[Line]:
    """Give every hold back, and return them: nobody took the query up in time."""
    return _give_back(query_id, Reservation.State.EXPIRED)


def _give_back(query_id: UUID, state: Reservation.State) -> Sequence[Line]:
    outcome = _database().give_back(query_id, state)
    if outcome.refusal is not None:
        raise NothingHeld(query_id)
    return outcome.lines
