"""The same steps with the ORM, for SQLite, where one writer works at a time."""

from collections.abc import Sequence
from datetime import date, datetime
from uuid import UUID

from django.db import transaction

from dpgov.budgets.models import (
    Budget,
    Charge,
    Correction,
    RateLimit,
    Reservation,
)
from dpgov.budgets.services import rows
from dpgov.budgets.services.line import DONE, Line, StepOutcome
from dpgov.budgets.windows import counting_day, window_of, window_start
from dpgov.operation import clock


@transaction.atomic
def reserve(
    query_id: UUID, tenant_id: UUID, lines: Sequence[Line], moment: datetime | None
) -> StepOutcome:
    """Hold all lines or none."""
    if rows.holds_of(query_id):
        return StepOutcome("already")
    wanted = {line.budget_id: line.amount_nano for line in lines}
    ids = list(wanted)
    parents = rows.parents_of(tuple(ids))
    budgets = rows.locked((*ids, *parents))
    if rows.forgotten((*ids, *parents), tuple(ids)):
        return StepOutcome("moved")
    days = {b.pk: counting_day(moment or clock.now(), b.counted_on) for b in budgets}
    if len(rows.accesses(tuple(ids), tenant_id)) != len(lines) or len(wanted) != len(lines):
        return StepOutcome("foreign")
    rates = rows.rates_of_budgets(tuple(wanted))
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
        rows.end_holds(query_id, clock.now(), state=Reservation.State.SETTLED)
        for hold in holds:
            _book(hold)
        _follow_lines(rows.parents_of(tuple(hold.budget_id for hold in holds)))
    return StepOutcome(lines=_lines(holds))


@transaction.atomic
def extend(query_id: UUID, amount_nano: int) -> StepOutcome:
    """Hold more on every line of the query, or on none."""
    holds = _held(query_id)
    if not holds:
        return StepOutcome("nothing")
    wanted = {hold.budget_id: hold.factor * amount_nano for hold in holds}
    parents = rows.parents_of(tuple(wanted))
    budgets = rows.locked((*wanted, *parents))
    if rows.forgotten((*wanted, *parents), tuple(wanted)):
        return StepOutcome("moved")
    rates = _rates_of(holds)
    for refused in (_standing(budgets), _too_much(budgets, wanted), _over(rates, wanted)):
        if refused is not None:
            return refused
    for hold in holds:
        hold.amount_nano += wanted[hold.budget_id]
        hold.save(update_fields=["amount_nano"])
        rows.move(hold.budget_id, wanted[hold.budget_id], 0)
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
    rows.end_holds(query_id, clock.now(), state=state)
    for hold in holds:
        rows.move(hold.budget_id, -hold.amount_nano, 0)
        for rate in _rates_of([hold]):
            rate.taken_nano -= hold.amount_nano
            rate.save(update_fields=["taken_nano"])
    _follow_lines(rows.parents_of(tuple(hold.budget_id for hold in holds)))
    return StepOutcome(lines=_lines(holds))


@transaction.atomic
def correct(correction: Correction) -> StepOutcome:
    """Book a correction; fills in `spent_after_nano`."""
    parents = rows.parents_of((correction.budget_id,))
    budgets = {budget.pk: budget for budget in rows.locked((correction.budget_id, *parents))}
    budget = budgets.get(correction.budget_id)
    if budget is None:
        return StepOutcome("foreign")
    spent = budget.spent_nano + correction.amount_nano
    if correction.amount_nano > budget.remaining_nano or spent < 0:
        return StepOutcome("insufficient", available_nano=budget.remaining_nano)
    rows.move(budget.pk, 0, correction.amount_nano)
    correction.spent_after_nano = spent
    correction.save(force_insert=True)
    _follow_lines(parents)
    return DONE


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
    rates = rows.rates_of_budgets(tuple(days))
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
        rows.move(line.budget_id, line.amount_nano, 0)
        rows.count_on(line.budget_id, days[line.budget_id])


def _take_rates(
    rates: Sequence[RateLimit], wanted: dict[UUID, int], days: dict[UUID, date]
) -> None:
    for rate in rates:
        present = window_of(rate.period, days[rate.budget_id], rate)
        rate.taken_nano = present.taken_nano + wanted[rate.budget_id]
        rate.window_start = present.start
        rate.save(update_fields=["taken_nano", "window_start"])


def _held(query_id: UUID) -> list[Reservation]:
    return sorted(rows.holding(query_id), key=lambda hold: hold.budget_id.bytes)


def _lines(holds: Sequence[Reservation]) -> tuple[Line, ...]:
    return tuple(Line(hold.budget_id, hold.amount_nano, hold.factor) for hold in holds)


def _book(hold: Reservation) -> None:
    rows.move(hold.budget_id, -hold.amount_nano, hold.amount_nano)
    Charge.objects.create(
        tenant_id=hold.tenant_id,
        budget_id=hold.budget_id,
        query_id=hold.query_id,
        amount_nano=hold.amount_nano,
        spent_after_nano=rows.spent_of(hold.budget_id).pop(),
    )


def _follow_lines(parents: Sequence[UUID]) -> None:
    """A dataset with parts has the counters of its largest part."""
    for parent in parents:
        lines = Budget.objects.filter(as_part__dataset_budget=parent)
        spent = max(line.spent_nano for line in lines)
        committed = max(line.committed_nano for line in lines)
        Budget.objects.filter(pk=parent).update(spent_nano=spent, reserved_nano=committed - spent)
