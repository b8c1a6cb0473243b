"""The budget page. Asks selectors, makes figures and renders; changes nothing."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.budgets.standing import parts_of
from dpgov.dashboards.budget import figures as spending_figures
from dpgov.dashboards.budget import selectors
from dpgov.dashboards.budget.shares import shares_by_analyst, shares_by_mechanism, sums_of
from dpgov.datasets.selectors import dataset_or_404
from dpgov.limits.ways import ways_to_ask
from dpgov.operation import clock
from dpgov.tenants.permissions import Permission, may, membership_of, requires

_PAGE = 25


@requires(Permission.VIEW_DATASETS)
@require_safe
def budget(request: HttpRequest, slug: str) -> HttpResponse:
    """Where one dataset's budget went and what still fits."""
    membership = membership_of(request)
    dataset = dataset_or_404(request, slug)
    split = may(membership, Permission.VIEW_SPLIT_BY_ANALYST)
    balances, is_thinned = selectors.balances(dataset.budget, split=split)
    taken = sums_of(dataset, membership)
    by_analyst = shares_by_analyst(dataset, membership, taken)
    by_mechanism = shares_by_mechanism(dataset, membership, taken)
    ways, currency = ways_to_ask(dataset, membership), dataset.budget.currency
    context: dict[str, Any] = {
        "dataset": dataset,
        "split": split,
        "outlook": selectors.outlook(dataset, membership, ways),
        "ways": ways,
        "parts": parts_of(dataset.budget) if dataset.partition_column else [],
        "balances": list(reversed(balances))[:_PAGE],
        "is_thinned": is_thinned,
        "by_analyst": by_analyst,
        "by_mechanism": by_mechanism,
        "over_time_figure": spending_figures.over_time(
            balances, split=split, until=clock.now(), currency=currency
        ),
        "analyst_figure": spending_figures.shares(by_analyst, split=split, currency=currency),
        "mechanism_figure": spending_figures.shares(by_mechanism, split=split, currency=currency),
    }
    return render(request, "dashboards/budget.html", context)
