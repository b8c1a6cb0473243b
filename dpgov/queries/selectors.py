"""Reads of queries, releases, receipts and requests for budget, each as who asks may see them."""

from datetime import date
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db.models import Case, Q, QuerySet, Value, When
from django.utils.translation import gettext_lazy as _

from dpgov.audit.receipts.proofs import release_receipt
from dpgov.datasets.audience import seen
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import permits
from dpgov.operation.prepared import Prepared
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.batch import MAX_PLANS
from dpgov.queries.models import BudgetRequest, Query, Release
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may


class PublicState(StrEnum):
    """All that anybody learns of a query's progress: nothing of workers, attempts or timing."""

    WAITING = "waiting"
    RELEASED = "released"
    FAILED = "failed"
    VOIDED = "voided"
    EXPIRED = "expired"


STATE_WORDS = {
    PublicState.WAITING: _("Waiting"),
    PublicState.RELEASED: _("Answered"),
    PublicState.FAILED: _("Failed, charged"),
    PublicState.VOIDED: _("Not run, not charged"),
    PublicState.EXPIRED: _("Expired, not charged"),
}


def visible_queries(membership: Membership) -> QuerySet[Query]:
    """The tenant's queries that this role may see: an analyst's own, or everybody's."""
    queries = Query.objects.filter(tenant_id=membership.tenant_id)
    if not may(membership, Permission.VIEW_ALL_QUERIES):
        queries = queries.filter(analyst_id=membership.user_id)
    # A sealed answer may have a million cells, and nobody who looks at a question reads it there.
    return (
        queries.select_related("dataset__budget", "analyst", "version")
        .defer("sealed_text")
        .order_by("-submitted_at", "-id")
    )


def get_query(membership: Membership, query_id: UUID) -> Query:
    """One visible query; Query.DoesNotExist for a missing and for a foreign one alike."""
    return visible_queries(membership).get(pk=query_id)


def get_answered(membership: Membership, query_id: UUID) -> Query:
    """The same with its answer, if it is published: for whoever comes to read that."""
    return visible_queries(membership).select_related("release").get(pk=query_id)


def find_by_key(membership: Membership, idempotency_key: str) -> Query | None:
    """The query that this person submitted under this key, if any."""
    return _by_key.first(membership.tenant_id, membership.user_id, idempotency_key)


@Prepared
def _by_key(tenant_id: UUID, user_id: UUID, idempotency_key: str) -> QuerySet[Query]:
    return Query.objects.filter(
        tenant_id=tenant_id, analyst_id=user_id, idempotency_key=idempotency_key
    )


def asked_together(query: Query) -> list[Query]:
    """The questions of its batch, in their order, itself among them; itself alone without one.

    They have one body, and one key with the places as its ends.
    """
    batch, space, _place = query.idempotency_key.rpartition(" ")
    if not space:
        return [query]
    found = Query.objects.filter(
        tenant_id=query.tenant_id,
        analyst_id=query.analyst_id,
        version_id=query.version_id,
        body_hash=query.body_hash,
        idempotency_key__startswith=f"{batch} ",
    ).select_related("dataset__budget", "analyst", "version")
    places = {f"{batch} {place}": place for place in range(MAX_PLANS)}
    known = [one for one in found if one.idempotency_key in places]
    return sorted(known, key=lambda one: places[one.idempotency_key]) or [query]


def public_state(query: Query) -> PublicState:
    """Waiting until it is published; then how it ended. A stored fact: no clock is asked."""
    if query.state not in Query.ENDED:
        return PublicState.WAITING
    return PublicState(query.state)


def ended_after_restore(query: Query) -> bool:
    """Whether it was charged unanswered, because a backup may lack its answer.

    Every other failure was sealed with an outcome first.
    """
    return query.state == Query.State.FAILED and not query.outcome


def with_public_state(queries: QuerySet[Query], state: PublicState) -> QuerySet[Query]:
    """Those whose public state is this one: the same rule as `public_state`, in the database."""
    if state is PublicState.WAITING:
        return queries.filter(state__in=Query.HOLDING)
    return queries.filter(state=state.value)


def committed_in_epsilon() -> Q:
    """Questions whose price is held or spent of a budget that counts in pure ε.

    Datasets that count in ρ are named apart, so that not every question is joined to its budget.
    """
    in_rho = Dataset.objects.exclude(budget__mode=Mode.PURE.value)
    return Q(state__in=(*Query.HOLDING, *Query.CHARGED)) & ~Q(dataset__in=in_rho.values("pk"))


def visible_release(query: Query) -> Release | None:
    """The stored answer, once it is published."""
    if public_state(query) is not PublicState.RELEASED:
        return None
    return query.release


def receipt_of(query: Query, release: Release) -> dict[str, Any]:
    """The receipt; without the proof (`complete` is false) until the next checkpoint is signed."""
    return release_receipt(
        tenant_id=query.tenant_id,
        query_id=query.pk,
        release_sha256=release.sha256,
        recorded_near=query.visible_at or release.created_at,
    )


def budget_requests_of(membership: Membership) -> QuerySet[BudgetRequest]:
    """An analyst's own, or all of the organisation's; those that wait first, then the newest.

    Those about a dataset that the person does not see wait with it, until they see it again.
    """
    mine = seen(membership, "dataset__")
    found = BudgetRequest.objects.filter(mine, tenant_id=membership.tenant_id)
    if not may(membership, Permission.VIEW_SPLIT_BY_ANALYST):
        found = found.filter(asked_by_id=membership.user_id)
    waiting_first = Case(When(state=BudgetRequest.State.WAITING, then=Value(0)), default=Value(1))
    return found.select_related("dataset__budget", "asked_by", "answered_by").order_by(
        waiting_first, "-asked_at", "-id"
    )


def get_budget_request(membership: Membership, request_id: UUID) -> BudgetRequest:
    """One of the above; BudgetRequest.DoesNotExist for a foreign and a missing one alike."""
    return budget_requests_of(membership).get(pk=request_id)


def permitted_until(budget_request: BudgetRequest) -> date | None:
    """The last day of the permit that answered it, as long as that permit is the one that counts.

    Whoever was given another one since, or another role, has no longer what was granted here.
    """
    if not budget_request.is_of_one_question or budget_request.state != BudgetRequest.State.GRANTED:
        return None
    found = permits().filter(
        dataset=budget_request.dataset_id,
        user=budget_request.asked_by_id,
        # A permit of this answer is dated before it, in the same step.
        created_at__lte=budget_request.answered_at,
    )
    return found.values_list("last_day", flat=True).first()


def budget_requests_waiting(membership: Membership) -> QuerySet[BudgetRequest]:
    """Those that this person could answer now: never their own."""
    if not may(membership, Permission.REGISTER_DATASETS):
        return BudgetRequest.objects.none()
    waiting = BudgetRequest.objects.filter(
        tenant_id=membership.tenant_id, state=BudgetRequest.State.WAITING
    )
    return waiting.exclude(asked_by_id=membership.user_id)
