"""Giving back what one query was charged, everywhere it was charged, once.

Whether a query may be refunded is for its own room to say; here only the charges are known.
"""

from collections.abc import Iterable, Sequence
from uuid import UUID

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approved
from dpgov.budgets.errors import NothingCharged
from dpgov.budgets.models import Budget, BudgetPart, Charge, Correction
from dpgov.budgets.services.corrections import correct

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
    refunds = Correction.objects.filter(kind=Correction.Kind.REFUND, query_id__in=list(query_ids))
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
