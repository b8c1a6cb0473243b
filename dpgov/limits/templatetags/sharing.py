"""On a dataset's page: with what it shares a budget. For everybody who sees the dataset."""

from typing import Any

from django import template

from dpgov.datasets.models import Dataset
from dpgov.limits.shared_budgets import beside
from dpgov.tenants.permissions import Permission, may

register = template.Library()


@register.inclusion_tag("limits/_shares_with.html", takes_context=True)
def shares_with(context: Any, dataset: Dataset) -> dict[str, Any]:
    """One paragraph, or nothing for a dataset that shares with nothing."""
    membership = context.get("membership")
    found = beside(dataset, membership) if membership is not None else None
    if found is None:
        return {}
    shared, words = found
    opens = may(membership, Permission.VIEW_SHARED_BUDGETS)
    return {"shared_budget": shared.budget, "words": words, "may_open": opens}
