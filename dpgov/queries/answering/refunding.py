"""Giving back the charge of a query whose data was never opened: two persons and a reason.

A released query, or one that failed after its data was opened, is never refunded.
"""

from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.approvals.errors import ApprovalRefusal, Stale
from dpgov.approvals.kinds import ChangeKind, Effect, Told
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import approved, request_change
from dpgov.budgets.services.corrections import REFUND, charged_lines, refund_charges, refunded
from dpgov.budgets.words import amount, limit_in_words, noted
from dpgov.language.said import said
from dpgov.queries.models import Query
from dpgov.queries.wording.words import in_words
from dpgov.tenants.models import Membership, Tenant


class NotRefundable(ApprovalRefusal):
    """The data was opened, or the question was answered, or it was never charged."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "Only a question that failed before its data was opened can be refunded. "
                "Everything else counts, because something may have been learned from it."
            )
        )


class RefundedBefore(ApprovalRefusal):
    """A charge is given back once."""

    def __init__(self) -> None:
        super().__init__(_("This question was refunded before."))


def refundable(tenant: Tenant) -> QuerySet[Query]:
    """The tenant's charged questions whose data was never opened, newest first; not for analysts.

    Those refunded before are among them; `budgets.services.corrections.refunded` tells which.
    """
    never_read = Query.objects.filter(
        tenant=tenant, state=Query.State.FAILED, never_read_at__isnull=False
    )
    return never_read.select_related("dataset", "analyst").order_by("-submitted_at")


def request_refund(*, membership: Membership, query: Query, reason: str) -> ChangeRequest:
    """Ask for the charge of this query back.

    Raises NotRefundable, RefundedBefore, and what `approvals.services.request_change` raises.
    """
    found = refundable(membership.tenant).filter(pk=query.pk).first()
    if found is None:
        raise NotRefundable
    if refunded([found.pk]):
        raise RefundedBefore
    currency = found.dataset.budget.currency
    return request_change(
        membership=membership,
        kind=REFUND,
        subject=f"query:{found.pk}",
        dataset=found.dataset.slug,
        payload={"query": str(found.pk), **noted(found.cost_nano, currency)},
        reason=reason,
    )


def refund(request: ChangeRequest) -> Effect:
    """Carry an approved refund out; Stale when the query is not refundable, or was refunded."""
    query_id = UUID(approved(request, REFUND)["query"])
    locked = Query.objects.select_for_update().filter(
        pk=query_id,
        tenant_id=request.tenant_id,
        state=Query.State.FAILED,
        never_read_at__isnull=False,
    )
    if not locked:
        raise Stale(
            said("This question cannot be refunded: its data was opened, or it was answered.")
        )
    if refunded([query_id]):
        raise Stale(said("This question was refunded before. Nothing was given back again."))
    corrections = refund_charges(request)
    return Effect(
        {
            "query": str(query_id),
            "corrections": [
                {"budget": str(row.budget_id), **noted(row.amount_nano, row.budget.currency)}
                for row in corrections
            ],
        }
    )


def _title(request: ChangeRequest) -> str:
    payload = request.payload
    sign, cost = ("ρ", payload["rho"]) if "rho" in payload else ("ε", payload["epsilon"])
    return _("Refund {amount} of a question about {about}").format(
        amount=f"{sign} {cost}", about=request.dataset or request.subject
    )


def _told(request: ChangeRequest) -> Told:
    query_id = UUID(request.payload["query"])
    query = Query.objects.select_related("analyst").get(pk=query_id)
    rows = []
    for charge in charged_lines(query_id):
        limit = limit_in_words(charge.budget)
        charged = amount(charge.amount_nano, charge.budget.currency)
        rows.append(
            (
                limit[:1].upper() + limit[1:],
                _("{amount} charged").format(amount=charged),
                _("given back"),
            )
        )
    return Told(
        rows,
        [
            _("The question: {question}. Asked by {person}.").format(
                question=in_words(query.plan), person=query.analyst
            ),
            _(
                "It failed before its data was opened, so nothing about anybody can have come out. "
                "That is the only case in which a charge is given back."
            ),
            _("What the question counted for in a day, a week or a month stays counted."),
        ],
    )


CHANGES = (
    ChangeKind(
        REFUND,
        gettext_lazy("Refund a question"),
        carry_out=refund,
        title=_title,
        describe=_told,
        about=lambda request: Q(queries=request.subject.partition(":")[2]),
    ),
)
