"""Reads of requests for budget: who sees which, and how many wait for an owner."""

from uuid import UUID

from django.db.models import Case, QuerySet, Value, When

from dpgov.queries.models import BudgetRequest
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may


def budget_requests_of(membership: Membership) -> QuerySet[BudgetRequest]:
    """An analyst's own, or all of the organisation's; those that wait first, then the newest."""
    found = BudgetRequest.objects.filter(tenant_id=membership.tenant_id)
    if not may(membership, Permission.VIEW_SPLIT_BY_ANALYST):
        found = found.filter(asked_by_id=membership.user_id)
    waiting_first = Case(When(state=BudgetRequest.State.WAITING, then=Value(0)), default=Value(1))
    return found.select_related("dataset__budget", "asked_by", "answered_by").order_by(
        waiting_first, "-asked_at", "-id"
    )


def get_budget_request(membership: Membership, request_id: UUID) -> BudgetRequest:
    """One of the above; BudgetRequest.DoesNotExist for a foreign and a missing one alike."""
    return budget_requests_of(membership).get(pk=request_id)


def budget_requests_waiting(membership: Membership) -> QuerySet[BudgetRequest]:
    """Those that this person could answer now."""
    if not may(membership, Permission.REGISTER_DATASETS):
        return BudgetRequest.objects.none()
    return BudgetRequest.objects.filter(
        tenant_id=membership.tenant_id, state=BudgetRequest.State.WAITING
    )
