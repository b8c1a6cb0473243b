"""The same steps with the ORM, for SQLite, where one writer works at a time."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce

from dpgov.budgets.models import (
    Budget,
    BudgetAccess,
    BudgetPart,
    Charge,
    Correction,
    DerivedBudget,
    RateLimit,
    Reservation,
    SharedBudgetMember,
)
from dpgov.budgets.services.line import DONE, Line, StepOutcome
from dpgov.budgets.windows import counting_day, window_of, window_start
from dpgov.operation import clock
from dpgov.operation.prepared import Prepared, among


@transaction.atomic
def reserve(
    query_id: UUID, tenant_id: UUID, lines: Sequence[Line], moment: datetime | None
) -> StepOutcome:
    """Hold all lines or none."""
    if _holds_of(query_id):
        return StepOutcome("already")
    wanted = {line.budget_id: line.amount_nano for line in lines}
    ids = list(wanted)
    parents = _parents(tuple(ids))
    budgets = _locked((*ids, *parents))
    if _forgot((*ids, *parents), tuple(ids)):
        return StepOutcome("moved")
    days = {b.pk: counting_day(moment or clock.now(), b.counted_on) for b in budgets}
    if len(_accesses(tuple(ids), tenant_id)) != len(lines) or len(wanted) != len(lines):
        return StepOutcome("foreign")
    rates = _rates(tuple(wanted))
    for refused in (_standing(budgets), _too_much(budgets, wanted), _too_fast(rates, wanted, days)):
        if refused is not None:
            return refused
    _write_holds(query_id, tenant_id, lines, days, moment)
    _take_rates(rates, wanted, days)
    _follow_lines(parents)
    return DONE


def settle(query_id: UUID, amount_nano: int) -> StepOutcome:
    """Book every hold of the query."""
    with transaction.atomic():
        holds = _held(query_id)
        if not holds:
            return StepOutcome("nothing")
        for hold in holds:
            if hold.amount_nano != hold.factor * amount_nano:
                return StepOutcome("mismatch", available_nano=hold.amount_nano)
        _end(holds, Reservation.State.SETTLED)
        for hold in holds:
            _book(hold)
        _follow_lines(_parents(tuple(hold.budget_id for hold in holds)))
    return StepOutcome(lines=_lines(holds))


@transaction.atomic
def extend(query_id: UUID, amount_nano: int) -> StepOutcome:
    """Hold more on every line of the query, or on none."""
    holds = _held(query_id)
    if not holds:
        return StepOutcome("nothing")
    wanted = {hold.budget_id: hold.factor * amount_nano for hold in holds}
    parents = _parents(tuple(wanted))
    budgets = _locked((*wanted, *parents))
    if _forgot((*wanted, *parents), tuple(wanted)):
        return StepOutcome("moved")
    rates = _rates_of(holds)
    for refused in (_standing(budgets), _too_much(budgets, wanted), _over(rates, wanted)):
        if refused is not None:
            return refused
    for hold in holds:
        hold.amount_nano += wanted[hold.budget_id]
        hold.save(update_fields=["amount_nano"])
        _move(hold.budget_id, reserved=wanted[hold.budget_id])
    for rate in rates:
        rate.taken_nano += wanted[rate.budget_id]
        rate.save(update_fields=["taken_nano"])
    _follow_lines(parents)
    return StepOutcome(lines=tuple(Line(h.budget_id, wanted[h.budget_id], h.factor) for h in holds))


@transaction.atomic
def give_back(query_id: UUID, state: Reservation.State) -> StepOutcome:
    """End every hold of the query without booking it."""
    holds = _held(query_id)
    if not holds:
        return StepOutcome("nothing")
    _end(holds, state)
    for hold in holds:
        _move(hold.budget_id, reserved=-hold.amount_nano)
        for rate in _rates_of([hold]):
            rate.taken_nano -= hold.amount_nano
            rate.save(update_fields=["taken_nano"])
    _follow_lines(_parents(tuple(hold.budget_id for hold in holds)))
    return StepOutcome(lines=_lines(holds))


@transaction.atomic
def correct(correction: Correction) -> StepOutcome:
    """Book a correction; fills in `spent_after_nano`."""
    parents = _parents((correction.budget_id,))
    budgets = {budget.pk: budget for budget in _locked((correction.budget_id, *parents))}
    budget = budgets.get(correction.budget_id)
    if budget is None:
        return StepOutcome("foreign")
    spent = budget.spent_nano + correction.amount_nano
    if correction.amount_nano > budget.remaining_nano or spent < 0:
        return StepOutcome("insufficient", available_nano=budget.remaining_nano)
    _move(budget.pk, spent=correction.amount_nano)
    correction.spent_after_nano = spent
    correction.save(force_insert=True)
    _follow_lines(parents)
    return DONE


@Prepared
def _holds_of(query_id: UUID) -> QuerySet[Reservation, Any]:
    return Reservation.objects.filter(query_id=query_id).values_list("pk")


@Prepared
def _accesses(budgets: tuple[UUID, ...], tenant_id: UUID) -> QuerySet[BudgetAccess, Any]:
    there = BudgetAccess.objects.filter(among("budget", budgets), tenant_id=tenant_id)
    return there.values_list("pk")


@Prepared
def _rates(budgets: tuple[UUID, ...]) -> QuerySet[RateLimit]:
    return RateLimit.objects.filter(among("budget", budgets))


@Prepared
def _locked(ids: tuple[UUID, ...]) -> QuerySet[Budget]:
    return Budget.objects.select_for_update().filter(among("pk", ids)).order_by("pk")


@Prepared
def _parents(ids: tuple[UUID, ...]) -> QuerySet[BudgetPart, Any]:
    lines = BudgetPart.objects.filter(among("budget", ids)).order_by()
    return lines.values_list("dataset_budget", flat=True).distinct()


@Prepared
def _forgot(datasets: tuple[UUID, ...], charged: tuple[UUID, ...]) -> QuerySet[Any, Any]:
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


def _standing(budgets: Sequence[Budget]) -> StepOutcome | None:
    """A frozen one first: a freeze ends, and what it keeps waiting must not end with another."""
    for budget in budgets:
        if budget.frozen_at is not None:
            return StepOutcome("frozen", budget.pk)
    closed = next((budget for budget in budgets if budget.closed_at is not None), None)
    return None if closed is None else StepOutcome("closed", closed.pk)


def _too_much(budgets: Sequence[Budget], wanted: dict[UUID, int]) -> StepOutcome | None:
    tight = [b for b in budgets if b.pk in wanted and wanted[b.pk] > b.remaining_nano]
    if not tight:
        return None
    tightest = min(tight, key=lambda budget: budget.remaining_nano)
    return StepOutcome("insufficient", tightest.pk, tightest.remaining_nano)


def _rates_of(holds: Sequence[Reservation]) -> list[RateLimit]:
    """The rates in whose present window these holds count."""
    days = {hold.budget_id: hold.counted_on for hold in holds}
    rates = _rates(tuple(days))
    return [r for r in rates if r.window_start == window_start(r.period, days[r.budget_id])]


def _over(rates: Sequence[RateLimit], wanted: dict[UUID, int]) -> StepOutcome | None:
    tight = [r for r in rates if wanted[r.budget_id] > r.limit_nano - r.taken_nano]
    if not tight:
        return None
    rate = min(tight, key=lambda rate: rate.limit_nano - rate.taken_nano)
    return StepOutcome(
        "rate", rate.budget_id, max(rate.limit_nano - rate.taken_nano, 0), rate.period
    )


def _too_fast(
    rates: Sequence[RateLimit], wanted: dict[UUID, int], days: dict[UUID, date]
) -> StepOutcome | None:
    left = {
        rate: rate.limit_nano - window_of(rate.period, days[rate.budget_id], rate).taken_nano
        for rate in rates
    }
    tight = [rate for rate in left if wanted[rate.budget_id] > left[rate]]
    if not tight:
        return None
    rate = min(tight, key=lambda rate: left[rate])
    return StepOutcome("rate", rate.budget_id, max(left[rate], 0), rate.period)


def _write_holds(
    query_id: UUID,
    tenant_id: UUID,
    lines: Sequence[Line],
    days: dict[UUID, date],
    moment: datetime | None,
) -> None:
    Reservation.objects.bulk_create(
        Reservation(
            tenant_id=tenant_id,
            budget_id=line.budget_id,
            query_id=query_id,
            amount_nano=line.amount_nano,
            factor=line.factor,
            counted_on=days[line.budget_id],
        )
        for line in lines
    )
    if moment is not None:
        Reservation.objects.filter(query_id=query_id).update(created_at=moment)
    for line in lines:
        _move(line.budget_id, reserved=line.amount_nano)
        Budget.objects.filter(pk=line.budget_id).update(counted_on=days[line.budget_id])


def _take_rates(
    rates: Sequence[RateLimit], wanted: dict[UUID, int], days: dict[UUID, date]
) -> None:
    for rate in rates:
        present = window_of(rate.period, days[rate.budget_id], rate)
        rate.taken_nano = present.taken_nano + wanted[rate.budget_id]
        rate.window_start = present.start
        rate.save(update_fields=["taken_nano", "window_start"])


def _held(query_id: UUID) -> list[Reservation]:
    return sorted(_holding(query_id), key=lambda hold: hold.budget_id.bytes)


@Prepared
def _holding(query_id: UUID) -> QuerySet[Reservation]:
    held = Reservation.objects.filter(query_id=query_id, state=Reservation.State.HELD)
    return held.select_for_update()


def _lines(holds: Sequence[Reservation]) -> tuple[Line, ...]:
    return tuple(Line(hold.budget_id, hold.amount_nano, hold.factor) for hold in holds)


def _end(holds: Sequence[Reservation], state: Reservation.State) -> None:
    Reservation.objects.filter(pk__in=[hold.pk for hold in holds]).update(
        state=state, ended_at=clock.now()
    )


def _book(hold: Reservation) -> None:
    _move(hold.budget_id, reserved=-hold.amount_nano, spent=hold.amount_nano)
    Charge.objects.create(
        tenant_id=hold.tenant_id,
        budget_id=hold.budget_id,
        query_id=hold.query_id,
        amount_nano=hold.amount_nano,
        spent_after_nano=Budget.objects.get(pk=hold.budget_id).spent_nano,
    )


def _move(budget_id: UUID, *, reserved: int = 0, spent: int = 0) -> None:
    Budget.objects.filter(pk=budget_id).update(
        reserved_nano=F("reserved_nano") + reserved, spent_nano=F("spent_nano") + spent
    )


def _follow_lines(parents: Sequence[UUID]) -> None:
    """A dataset with parts has the counters of its largest part."""
    for parent in parents:
        lines = Budget.objects.filter(as_part__dataset_budget=parent)
        spent = max(line.spent_nano for line in lines)
        committed = max(line.committed_nano for line in lines)
        Budget.objects.filter(pk=parent).update(spent_nano=spent, reserved_nano=committed - spent)
