"""How pages of limits find the shared budget that their address names."""

from uuid import UUID

from django.http import Http404, HttpRequest

from dpgov.budgets.models import Budget
from dpgov.budgets.shared_budgets import get_shared_budget, takes_part
from dpgov.tenants.permissions import membership_of


def shared_budget_or_404(request: HttpRequest, shared_budget_id: UUID) -> Budget:
    """A shared budget that the tenant has, is in or was in."""
    try:
        return get_shared_budget(membership_of(request).tenant, shared_budget_id)
    except Budget.DoesNotExist as missing:
        raise Http404 from missing


def taking_part_or_404(request: HttpRequest, shared_budget_id: UUID) -> Budget:
    """The tenant's own, or one that it is in now; to who has left it nothing is open any more."""
    budget = shared_budget_or_404(request, shared_budget_id)
    if not takes_part(budget, membership_of(request).tenant):
        raise Http404
    return budget


def own_or_404(request: HttpRequest, shared_budget_id: UUID) -> Budget:
    """The tenant's own; one of another organisation looks missing where only its owner may act."""
    budget = shared_budget_or_404(request, shared_budget_id)
    if budget.tenant_id != membership_of(request).tenant_id:
        raise Http404
    return budget
