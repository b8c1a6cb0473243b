"""The portfolio of an organisation, for its owners and officers. Changes nothing."""

from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.budgets.words import amount
from dpgov.dashboards.forecast.forecast import forecasts
from dpgov.dashboards.home.headline import headline
from dpgov.dashboards.home.sparkline import sparkline
from dpgov.dashboards.portfolio import figures
from dpgov.dashboards.portfolio.crossed import Crossed, crossed
from dpgov.dashboards.portfolio.shared import figure_of, shared_of
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import datasets_of
from dpgov.operation import clock
from dpgov.tenants.permissions import Permission, membership_of, requires

_DRAWN = 20
_LISTED = 25
_COLUMNS = 12


@requires(Permission.VIEW_SPLIT_BY_ANALYST)
@require_safe
def portfolio(request: HttpRequest) -> HttpResponse:
    """Every budget with where it leads, and who took how much of which dataset."""
    membership = membership_of(request)
    tenant = membership.tenant
    today = clock.today()
    datasets = list(datasets_of(membership))
    found = forecasts(datasets, today)
    taken = crossed(tenant, {one.pk: one.budget.limit_nano for one in datasets})
    columns = [one.dataset for one in found[:_COLUMNS]]
    shared = shared_of(tenant, datasets, today)
    page = Paginator(found, _LISTED).get_page(request.GET.get("page"))
    context = {
        "headline": headline(found, today),
        "page": page,
        "budgets": [(one, sparkline(one.course, one.dataset.budget.limit_nano)) for one in page],
        "budget_figure": figures.budgets(found[:_DRAWN]),
        "people_figure": figures.people(taken, columns),
        "shared_budgets": shared,
        "shared_figure": figure_of(shared),
        "columns": columns,
        "people": _table(taken, columns),
    }
    return render(request, "dashboards/portfolio.html", context)


def _table(taken: Crossed, columns: list[Dataset]) -> list[tuple[UUID, str, list[tuple[str, str]]]]:
    """(person, name, for each dataset its id and what they took of it)."""
    return [
        (person, name, [(str(one.pk), _cell(taken, person, one)) for one in columns])
        for person, name in taken.people
    ]


def _cell(taken: Crossed, person: UUID, dataset: Dataset) -> str:
    nano = taken.nano.get((person, dataset.pk), 0)
    return amount(nano, dataset.budget.currency) if nano else ""
