"""Bookings that no release made; each is a new row, signed by its kind."""

from uuid import UUID

from django.db import IntegrityError, connection, transaction

from dpgov.budgets.errors import AlreadyCorrected, ForeignBudget, InsufficientBudget, InvalidAmount
from dpgov.budgets.models import Budget, Correction
from dpgov.budgets.services import one_statement, portable
from dpgov.budgets.words import whose_said
from dpgov.privacy.accounting.decimals import MAX_NANO


def correct(
    *,
    budget: Budget,
    kind: Correction.Kind,
    amount_nano: int,
    reason: str = "",
    query_id: UUID | None = None,
    source: Budget | None = None,
    tenant_id: UUID | None = None,
) -> Correction:
    """Book `amount_nano` more as spent (less, for a refund); the caller records it in the log.

    Raises InsufficientBudget when it does not fit under the limit, AlreadyCorrected for a second
    refund of a query, InvalidAmount for an amount of the wrong sign.
    """
    if type(amount_nano) is not int or not 0 < abs(amount_nano) <= MAX_NANO:
        raise InvalidAmount(amount_nano)
    if (kind == Correction.Kind.REFUND) != (amount_nano < 0 and query_id is not None):
        raise InvalidAmount(amount_nano)
    row = Correction(
        tenant_id=tenant_id or budget.tenant_id,
        budget=budget,
        kind=kind,
        amount_nano=amount_nano,
        query_id=query_id,
        source=source,
        reason=reason[:500],
    )
    database = one_statement if connection.vendor == "postgresql" else portable
    try:
        with transaction.atomic():
            outcome = database.correct(row)
    except IntegrityError as error:
        raise AlreadyCorrected(query_id) from error
    if outcome.refusal == "foreign":
        raise ForeignBudget(row.pk)
    if outcome.refusal == "insufficient":
        raise InsufficientBudget(
            requested_nano=amount_nano,
            remaining_nano=outcome.available_nano or 0,
            limit=whose_said(budget),
            currency=budget.currency,
        )
    return row
