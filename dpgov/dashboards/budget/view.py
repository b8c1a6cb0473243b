"""The budget page. Asks selectors, makes figures and renders; changes nothing."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from dpgov.budgets.standing import parts_of
from dpgov.dashboards.budget import figures, selectors
from dpgov.dashboards.budget.marks import marks_of
from dpgov.dashboards.budget.shares import (
    Taken,
    days_by_analyst,
    queries_by_analyst,
    shares_by_analyst,
    shares_by_mechanism,
    shares_by_purpose,
    taken_of,
)
from dpgov.dashboards.chosen import ChosenQuestions
from dpgov.dashboards.forecast.daily import days_of
from dpgov.dashboards.forecast.forecast import Forecast, forecast_of
from dpgov.dashboards.forecast.pace import first_day
from dpgov.datasets.lineage import origins_of
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import dataset_or_404
from dpgov.limits.ways import lacking, ways_to_ask
from dpgov.operation import clock
from dpgov.queries.pictures.figures import Leads
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may, membership_of, requires
from dpgov.web.span import Span

_PAGE = 25
_MOST_ROWS = 200


@requires(Permission.VIEW_DATASETS)
@require_safe
def budget(request: HttpRequest, slug: str) -> HttpResponse:
    """Where one dataset's budget went and what still fits."""
    membership = membership_of(request)
    dataset = dataset_or_404(request, slug)
    split = may(membership, Permission.VIEW_SPLIT_BY_ANALYST)
    span = Span.of(request, clock.today())
    chosen = ChosenQuestions.read(membership, request.GET)
    balances, is_thinned = selectors.balances(dataset.budget, split=split)
    taken = taken_of(dataset, membership, span.first, chosen)
    kept = chosen.address(dataset=str(dataset.pk), range=span.text)
    leads = Leads(kept, reverse("dashboards:history"))
    ways, currency = ways_to_ask(dataset, membership), dataset.budget.currency
    outlook = selectors.outlook(dataset, membership, ways)
    ahead, marks = _ahead(membership, dataset, outlook, span) if split else (None, [])
    context: dict[str, Any] = {
        "dataset": dataset,
        "split": split,
        "span": span,
        "chips": chosen.chips,
        "chosen_analyst": chosen.analyst,
        "outlook": outlook,
        "status": outlook.status,
        "forecast": ahead,
        "marks": list(reversed(marks))[:_PAGE],
        "ways": ways,
        "lacking": "" if ways else lacking(dataset, membership),
        "parts": parts_of(dataset.budget) if dataset.partition_column else [],
        "balances": list(reversed(balances))[:_PAGE],
        "is_thinned": is_thinned,
        "over_time_figure": figures.burn_down(
            balances,
            first=span.first,
            until=clock.now(),
            forecast=ahead,
            marks=marks,
            currency=currency,
        ),
        "differs": split and not chosen.chips and taken.differs_from(dataset),
        **_taken(dataset, membership, taken, leads),
    }
    return render(request, "dashboards/budget.html", context)


def _taken(dataset: Dataset, membership: Membership, taken: Taken, leads: Leads) -> dict[str, Any]:
    """By day, analyst, statistic and purpose: shares, and figures whose marks lead to the list."""
    split = may(membership, Permission.VIEW_SPLIT_BY_ANALYST)
    shares = {
        "analyst": shares_by_analyst(dataset, membership, taken),
        "mechanism": shares_by_mechanism(dataset, membership, taken),
        "purpose": shares_by_purpose(taken),
    }
    currency = dataset.budget.currency
    figures_of = {
        f"{name}_figure": figures.shares(of, split=split, currency=currency, leads=leads)
        for name, of in shares.items()
    }
    by_day, queries = days_by_analyst(membership, taken), queries_by_analyst(membership, taken)
    return {
        **{f"by_{name}": figures.largest(of, _MOST_ROWS) for name, of in shares.items()},
        **figures_of,
        "leads": leads,
        "taken_nano": sum(one.total_nano for one in shares["analyst"]),
        "day_rows": _day_rows(by_day, leads, queries),
        "day_figure": figures.by_day(by_day, currency.symbol, leads, queries),
    }


def _ahead(
    membership: Membership, dataset: Dataset, outlook: selectors.Outlook, span: Span
) -> tuple[Forecast, list[figures.DayMark]]:
    """When it would be used up, and what happened to it in the range."""
    opened = dataset.created_at.astimezone(UTC).date()
    lately = first_day(span.today)
    since = min(span.first or opened, lately)
    parents = [one.parent for one in origins_of(dataset)]
    budgets = [dataset.budget_id, *(one.budget_id for one in parents)]
    days = days_of(budgets, since, events=True, lately=lately)
    reads_log = may(membership, Permission.READ_AUDIT_LOG)
    marks = marks_of(days[dataset.budget_id], dataset, span.first, reads_log=reads_log)
    return forecast_of(dataset, outlook.limits, days, span.today, parents), marks


def _day_rows(
    by_day: Mapping[str, Counter[date]], leads: Leads, queries: Mapping[str, str]
) -> list[tuple[date, str, int, str]]:
    """The newest first, each with where it leads."""
    rows = [
        (day, name, nano, figures.day_link(leads, queries.get(name), day))
        for name, days in by_day.items()
        for day, nano in days.items()
    ]
    return sorted(rows, key=lambda row: (-row[0].toordinal(), -row[2]))[:_MOST_ROWS]
