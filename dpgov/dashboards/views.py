"""The pages that everybody lands on: overview, budget and history.

Each view asks a selector, builds figures and renders; nothing here changes anything.
"""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from dpgov.budgets.standing import parts_of
from dpgov.dashboards import selectors
from dpgov.dashboards.figures import spending as spending_figures
from dpgov.dashboards.history import QuestionTable, csv_lines, history_filter, sorting
from dpgov.dashboards.limits import ways_to_ask
from dpgov.dashboards.newest import MOST, NewestPages, newest
from dpgov.dashboards.next_steps import next_steps
from dpgov.dashboards.shares import shares_by_analyst, shares_by_mechanism, sums_of
from dpgov.datasets.lookup import dataset_or_404
from dpgov.datasets.selectors import datasets_of
from dpgov.queries.selectors import visible_queries
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may, requires
from dpgov.tenants.requests import membership_of

_PAGE = 25
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
    recent = QuestionTable(latest, orderable=False, exclude=_hidden_columns(membership))
    recent.before_render(request)
    context = {
        "page": page,
        "recent": recent,
        "steps": next_steps(membership, list(page.object_list)),
    }
    return render(request, "dashboards/overview.html", context)


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
            balances, split=split, until=timezone.now(), currency=currency
        ),
        "analyst_figure": spending_figures.shares(by_analyst, split=split, currency=currency),
        "mechanism_figure": spending_figures.shares(by_mechanism, split=split, currency=currency),
    }
    return render(request, "dashboards/budget.html", context)


@requires(Permission.VIEW_DATASETS)
@require_safe
def history(request: HttpRequest) -> HttpResponse:
    """The questions that this person may see, filtered, sorted and in pages."""
    membership = membership_of(request)
    filtered = history_filter(membership, request.GET)
    sort = sorting(request.GET.get("sort", ""))
    listed = filtered.qs if sort == "-submitted_at" else newest(filtered.qs)
    table = QuestionTable(listed, order_by=sort, exclude=_hidden_columns(membership))
    table.paginator = NewestPages(table.rows, _PAGE, of=filtered.qs)
    table.page = table.paginator.get_page(request.GET.get("page"))
    table.before_render(request)
    context = {
        "filter": filtered,
        "table": table,
        "most": MOST,
        "is_filtered": any(filtered.form.cleaned_data.values()) or filtered.form.errors,
    }
    return render(request, "dashboards/history.html", context)


@requires(Permission.VIEW_DATASETS)
@require_safe
def history_export(request: HttpRequest) -> StreamingHttpResponse:
    """The same rows as a CSV file."""
    filtered = history_filter(membership_of(request), request.GET)
    response = StreamingHttpResponse(csv_lines(filtered.qs), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="questions.csv"'
    return response


def _hidden_columns(membership: Membership) -> tuple[str, ...]:
    """Who sees only their own questions needs no column that says so."""
    return () if may(membership, Permission.VIEW_ALL_QUERIES) else ("analyst",)
