"""How pages of limits find the shared budget that their address names."""

from uuid import UUID

from django.http import Http404, HttpRequest

from dpgov.budgets.models import Budget
from dpgov.budgets.populations import get_population
from dpgov.tenants.requests import membership_of


def population_or_404(request: HttpRequest, population_id: UUID) -> Budget:
    """A shared budget that the tenant has, is in or was in."""
    try:
        return get_population(membership_of(request).tenant, population_id)
    except Budget.DoesNotExist as missing:
        raise Http404 from missing


def own_or_404(request: HttpRequest, population_id: UUID) -> Budget:
    """The tenant's own; one of another organisation looks missing where only its owner may act."""
    budget = population_or_404(request, population_id)
    if budget.tenant_id != membership_of(request).tenant_id:
        raise Http404
    return budget
