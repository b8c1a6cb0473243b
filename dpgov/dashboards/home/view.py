"""The page that everybody lands on: all datasets, what to do next, the latest questions."""

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.budgets.standing import allocations_charged
from dpgov.dashboards.history.table import columns_for, question_table
from dpgov.dashboards.home.next_steps import next_steps
from dpgov.datasets.selectors import datasets_of
from dpgov.queries.selectors import visible_queries
from dpgov.tenants.permissions import Permission, membership_of, requires

_DATASETS_PAGE = 12
_RECENT = 8


@requires(Permission.VIEW_DATASETS)
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """All datasets of the tenant with their budgets, what to do next, the latest questions."""
    membership = membership_of(request)
    datasets = datasets_of(membership.tenant)
    page = Paginator(datasets, _DATASETS_PAGE).get_page(request.GET.get("page"))
    latest = list(visible_queries(membership)[:_RECENT])
    allocations = allocations_charged(query.pk for query in latest)
    context = {
        "page": page,
        "recent": question_table(latest, columns_for(membership), allocations=allocations),
        "steps": next_steps(membership, list(page.object_list)),
    }
    return render(request, "dashboards/overview.html", context)
