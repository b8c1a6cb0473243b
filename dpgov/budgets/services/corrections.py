"""Amounts that no release charged; each is a new row, signed by its kind.

Among them refunds: giving back what one query was charged, everywhere it was charged, once. Whether
a query may be refunded is for its own room to say; here only the charges are known.
"""

from collections.abc import Iterable, Sequence
from uuid import UUID, uuid4

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approved
from dpgov.budgets.errors import (
    AlreadyCorrected,
    AmountOutOfRange,
    ForeignBudget,
    InsufficientBudget,
    NothingCharged,
)
from dpgov.budgets.models import Budget, BudgetPart, Charge, Correction
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
    identity: UUID | None = None,
) -> Correction:
    """Book `amount_nano` more as spent (less, for a refund); the caller records it in the log.

    `identity` is the row's own id where the row is of one thing, once.

    Raises InsufficientBudget when it does not fit under the limit, AlreadyCorrected for a second
    refund of a query, AmountOutOfRange for an amount of the wrong sign.
    """
    if type(amount_nano) is not int or not 0 < abs(amount_nano) <= MAX_NANO:
        raise AmountOutOfRange(amount_nano)
    if (kind == Correction.Kind.REFUND) != (amount_nano < 0 and query_id is not None):
        raise AmountOutOfRange(amount_nano)
    row = Correction(
        id=identity or uuid4(),
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
        raise AlreadyCorrected(query_id or row.pk) from error
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


REFUND = "refund"


def refund_charges(request: ChangeRequest) -> list[Correction]:
    """Book every charge of the approved request's query back, all or none.

    No rate window is given back: what was used in a week was used in it. Raises NotApproved,
    NothingCharged, and AlreadyCorrected for a query that was refunded before.
    """
    query_id = UUID(approved(request, REFUND)["query"])
    charges = list(Charge.objects.filter(query_id=query_id, tenant_id=request.tenant_id))
    if not charges:
        raise NothingCharged(query_id)
    budgets = _locked([charge.budget_id for charge in charges])
    return [
        correct(
            budget=budgets[charge.budget_id],
            kind=Correction.Kind.REFUND,
            amount_nano=-charge.amount_nano,
            query_id=query_id,
            tenant_id=charge.tenant_id,
            reason=request.reason,
        )
        for charge in charges
    ]


def refunded(query_ids: Iterable[UUID]) -> set[UUID]:
    """Which of these queries have been refunded."""
    refunds = refunds_of_queries().filter(query_id__in=list(query_ids))
    return {query_id for query_id in refunds.values_list("query_id", flat=True) if query_id}


def charged_lines(query_id: UUID) -> list[Charge]:
    """What a query was charged, budget by budget, for whoever decides about a refund."""
    charges = Charge.objects.filter(query_id=query_id).select_related("budget")
    return list(charges.order_by("budget__kind", "budget__label"))


def _locked(ids: Sequence[UUID]) -> dict[UUID, Budget]:
    """All of them and the datasets of lines, in the one order, before the first is booked."""
    lines = BudgetPart.objects.filter(budget__in=ids).order_by()
    parents = lines.values_list("dataset_budget", flat=True)
    rows = Budget.objects.select_for_update(no_key=True).filter(pk__in=[*ids, *parents])
    return {row.pk: row for row in rows.order_by("pk")}


def refunds_of_queries() -> QuerySet[Correction]:
    """Every refund; the query that it gave back is its `query_id`."""
    return Correction.objects.filter(kind=Correction.Kind.REFUND)
