"""The portfolio of an organisation, for its owners and officers. Changes nothing."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.budgets.words import amount
from dpgov.dashboards.chosen import ChosenQuestions
from dpgov.dashboards.forecast.forecast import days_of_all
from dpgov.dashboards.forecast.many import outlook
from dpgov.dashboards.home.headline import headline
from dpgov.dashboards.home.sparkline import sparkline
from dpgov.dashboards.portfolio import figures
from dpgov.dashboards.portfolio.crossed import Crossed, crossed
from dpgov.dashboards.portfolio.shared import figure_of, members_of, shared_of
from dpgov.dashboards.portfolio.totals import totals_of
from dpgov.dashboards.refused import figure_by_dataset, refused_by_dataset
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import datasets_of
from dpgov.operation import clock
from dpgov.queries.models import Refusal
from dpgov.surveys.selectors import charged_surveys
from dpgov.tenants.models import Tenant
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.span import Span, taken_along

_LISTED = 20
_COLUMNS = 12
_REFUSED = 25
_SURVEYS = 10
# What of hundreds of datasets and budgets no line of this page needs.
_UNREAD = (
    *("description", "owner", "private_id", "max_rows_per_unit", "max_groups_per_unit"),
    *("group_size", "public_rows", "public_units", "data_deleted_at", "pause_reason"),
    *("resumed_at", "kept_until", "terms_version", "live"),
    *(f"budget__{name}" for name in ("protects", "frozen_reason", "undivided_at", "counted_on")),
)


@requires(Permission.VIEW_SPLIT_BY_ANALYST)
@require_safe
def portfolio(request: HttpRequest) -> HttpResponse:
    """Every budget with where it leads, and who took how much of which dataset."""
    membership = membership_of(request)
    tenant = membership.tenant
    today = clock.today()
    span, chosen = Span.of(request, today), ChosenQuestions.read(membership, request.GET)
    along = urlencode({name: text for name, text in taken_along(request.GET).items()
                       if name != "dataset"})  # fmt: skip
    datasets = datasets_of(membership).defer(*_UNREAD)
    days = days_of_all([tenant.pk], today)
    members = members_of(tenant)
    found = outlook(datasets, days, today, first=_LISTED, joined=members)
    taken = crossed(tenant, datasets, span.first, chosen)
    columns = [one.dataset for one in found[:_COLUMNS]]
    # What shares a budget is among those that move.
    shared = shared_of(tenant, [one.dataset for one in found.moving], members, days, today)
    page = Paginator(found, _LISTED).get_page(request.GET.get("page"))
    context = {
        "span": span,
        "chips": chosen.chips,
        "chosen_analyst": chosen.analyst,
        "headline": headline(found.first, today),
        "totals": totals_of(datasets, found.moving),
        "page": page,
        "budgets": [(one, sparkline(one.course, one.dataset.budget.limit_nano)) for one in page],
        "budget_figure": figures.budgets(list(page), along),
        "people_figure": figures.people(taken, columns, chosen.address(range=span.text)),
        "people_leads": chosen.address(range=span.text),
        "shared_budgets": shared,
        "shared_figure": figure_of(shared),
        "columns": columns,
        "people": _table(taken, columns),
        **_refused(tenant, span),
        "surveys": charged_surveys(membership, _SURVEYS),
    }
    return render(request, "dashboards/portfolio.html", context)


def _refused(tenant: Tenant, span: Span) -> dict[str, Any]:
    """The refusals of the range by dataset, the most refused first."""
    rows = Refusal.objects.filter(tenant=tenant)
    rows = rows.filter(day__gte=span.first) if span.first else rows
    every = refused_by_dataset(rows, urlencode({"range": span.text}))
    return {
        "refused": every[:_REFUSED],
        "refused_rest": len(every[_REFUSED:]),
        "refused_figure": figure_by_dataset(every) if every else None,
    }


def _table(taken: Crossed, columns: list[Dataset]) -> list[tuple[UUID, str, list[tuple[str, str]]]]:
    """(person, name, for each dataset its id and what they took of it)."""
    return [
        (person, name, [(str(one.pk), _cell(taken, person, one)) for one in columns])
        for person, name in taken.people
    ]


def _cell(taken: Crossed, person: UUID, dataset: Dataset) -> str:
    nano = taken.nano.get((person, dataset.pk), 0)
    return amount(nano, dataset.budget.currency) if nano else ""
