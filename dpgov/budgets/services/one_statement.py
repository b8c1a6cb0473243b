"""The steps on PostgreSQL: one function call each, written down in budgets/sql."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from dpgov.budgets.models import Correction, Reservation
from dpgov.budgets.services.line import Line, StepOutcome


def reserve(
    query_id: UUID, tenant_id: UUID, lines: Sequence[Line], moment: datetime | None
) -> StepOutcome:
    """Hold all lines or none."""
    return StepOutcome(
        *_call(
            "SELECT refusal, budget, available, period FROM budgets_reserve(%s,%s,%s,%s,%s,%s,%s)",
            query_id,
            tenant_id,
            [line.budget_id for line in lines],
            [line.amount_nano for line in lines],
            [line.factor for line in lines],
            settings.TIME_ZONE,
            moment,
        )
    )


def settle(query_id: UUID, amount_nano: int) -> StepOutcome:
    """Book every hold of the query."""
    refusal, held, *ended = _call(
        "SELECT refusal, held, budgets, amounts, factors FROM budgets_settle(%s,%s)",
        query_id,
        amount_nano,
    )
    return StepOutcome(refusal, available_nano=held, lines=_lines(*ended))


def extend(query_id: UUID, amount_nano: int) -> StepOutcome:
    """Hold more on every line of the query, or on none."""
    refusal, budget, available, period, *lines = _call(
        "SELECT refusal, budget, available, period, budgets, amounts, factors"
        " FROM budgets_extend(%s,%s)",
        query_id,
        amount_nano,
    )
    if refusal is not None:
        return StepOutcome(refusal, budget, available, period)
    return StepOutcome(lines=_lines(*lines))


def give_back(query_id: UUID, state: Reservation.State) -> StepOutcome:
    """End every hold of the query without booking it."""
    refusal, *ended = _call(
        "SELECT refusal, budgets, amounts, factors FROM budgets_give_back(%s,%s)",
        query_id,
        state.value,
    )
    return StepOutcome(refusal, lines=_lines(*ended))


def correct(correction: Correction) -> StepOutcome:
    """Book a correction; `spent_after_nano` is filled in by the database."""
    refusal, available = _call(
        "SELECT refusal, available FROM budgets_correct(%s,%s,%s,%s,%s,%s,%s,%s)",
        correction.pk,
        correction.tenant_id,
        correction.budget_id,
        correction.kind,
        correction.amount_nano,
        correction.query_id,
        correction.source_id,
        correction.reason,
    )
    return StepOutcome(refusal, available_nano=available)


def _lines(
    budgets: list[UUID] | None, amounts: list[int] | None, factors: list[int] | None
) -> tuple[Line, ...]:
    return tuple(map(Line, budgets or (), amounts or (), factors or ()))


def _call(statement: str, *arguments: Any) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments)
        row: tuple[Any, ...] = cursor.fetchone()
    return row
