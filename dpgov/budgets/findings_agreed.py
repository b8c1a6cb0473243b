"""What two persons have to have agreed to, and did not: refunds, and limits that went up.

The guards of the database refuse both; this finds what came past them, by whatever right.
"""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.db.models import F, OuterRef, QuerySet, Subquery

from dpgov.approvals.models import ChangeRequest
from dpgov.budgets.models import Budget, Charge, Correction, LimitChange
from dpgov.budgets.services.agreed import MERGE_SHARED_BUDGETS
from dpgov.budgets.services.raising import RAISE_LIMIT
from dpgov.budgets.services.refunds import REFUND
from dpgov.budgets.words import amount
from dpgov.language.said import said

_GUARDED = (Budget.Kind.DATASET, Budget.Kind.SHARED_BUDGET)


def disagreed(budgets: QuerySet[Budget]) -> Iterator[str]:
    """One sentence for each refund and each raised limit of these budgets that nobody approved."""
    yield from _refunds(budgets)
    yield from _raises(budgets)


def _refunds(budgets: QuerySet[Budget]) -> Iterator[str]:
    charged = Charge.objects.filter(query_id=OuterRef("query_id"), budget=OuterRef("budget"))
    refunds = Correction.objects.filter(budget__in=budgets, kind=Correction.Kind.REFUND)
    rows = refunds.annotate(charged=Subquery(charged.values("amount_nano")[:1]))
    for refund in rows.select_related("budget").order_by("pk"):
        agreed = _agreed(REFUND, refund.tenant_id, query=str(refund.query_id))
        if not agreed or refund.charged != -refund.amount_nano:
            yield said(
                "{budget}: {amount} was given back for question {question}, which no two persons "
                "approved",
                budget=refund.budget.label,
                amount=amount(-refund.amount_nano, refund.budget.currency),
                question=str(refund.query_id),
            )


def _raises(budgets: QuerySet[Budget]) -> Iterator[str]:
    raised = LimitChange.objects.filter(
        budget__in=budgets.filter(kind__in=_GUARDED), before_nano__gt=0
    ).filter(after_nano__gt=F("before_nano"))
    for change in raised.select_related("budget").order_by("pk"):
        budget = change.budget
        requests = _agreed(RAISE_LIMIT, budget.tenant_id, budget=str(budget.pk))
        merges = _agreed(MERGE_SHARED_BUDGETS, budget.tenant_id, into=str(budget.pk))
        if not merges and change.after_nano not in (
            agreed.get("after_nano") for agreed in requests
        ):
            yield said(
                "{budget}: its limit was raised from {before} to {after}, which no two persons "
                "approved",
                budget=budget.label,
                before=amount(change.before_nano, budget.currency),
                after=amount(change.after_nano, budget.currency),
            )


def _agreed(kind: str, tenant_id: UUID, **about: str) -> list[dict[str, Any]]:
    """The payloads of the approved requests of this kind about this."""
    found = ChangeRequest.objects.filter(
        tenant_id=tenant_id, kind=kind, state=ChangeRequest.State.APPROVED
    ).exclude(decided_by=F("requested_by"))
    rows = found.filter(**{f"payload__{key}": value for key, value in about.items()})
    return list(rows.values_list("payload", flat=True))
