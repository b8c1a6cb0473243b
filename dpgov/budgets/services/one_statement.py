"""The steps on PostgreSQL: one function call each, written down in budgets/sql/ledger.sql."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection

from dpgov.budgets.models import Correction, Reservation
from dpgov.budgets.services.line import Line, Outcome


def reserve(query_id: UUID, tenant_id: UUID, lines: Sequence[Line]) -> Outcome:
    """Hold all lines or none."""
    return Outcome(
        *_call(
            "SELECT refusal, budget, available, period FROM budgets_reserve(%s,%s,%s,%s,%s,%s)",
            query_id,
            tenant_id,
            [line.budget_id for line in lines],
            [line.amount_nano for line in lines],
            [line.factor for line in lines],
            settings.TIME_ZONE,
        )
    )


def settle(query_id: UUID, amount_nano: int) -> Outcome:
    """Book every hold of the query."""
    refusal, held = _call("SELECT refusal, held FROM budgets_settle(%s,%s)", query_id, amount_nano)
    return Outcome(refusal, available_nano=held)


def give_back(query_id: UUID, state: Reservation.State) -> Outcome:
    """End every hold of the query without booking it."""
    return Outcome(
        *_call("SELECT budgets_give_back(%s,%s,%s)", query_id, state.value, settings.TIME_ZONE)
    )


def correct(correction: Correction) -> Outcome:
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
    return Outcome(refusal, available_nano=available)


def _call(statement: str, *arguments: Any) -> tuple[Any, ...]:
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments)
        row: tuple[Any, ...] = cursor.fetchone()
    return row
