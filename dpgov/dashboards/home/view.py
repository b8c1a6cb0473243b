"""Home: one address, and for each role its cockpit. It changes nothing.

An analyst's part: what can be asked, what was kept, and what was asked last. Declared metadata,
limits and this person's own questions; it never looks at answers or data.
"""

from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.approvals.kinds import title_of
from dpgov.approvals.selectors import requests_of
from dpgov.dashboards.forecast.forecast import Forecast, days_of_all
from dpgov.dashboards.forecast.many import outlook
from dpgov.dashboards.history.table import columns_for, question_table
from dpgov.dashboards.home.checklist import checklist
from dpgov.dashboards.home.headline import headline
from dpgov.dashboards.home.sparkline import Sparkline, sparkline
from dpgov.dashboards.home.tiles import Tile, admin_tiles, analyst_tiles, officer_tiles
from dpgov.datasets.finding import first_by_name
from dpgov.datasets.held import datasets_and_held
from dpgov.datasets.uploaded import uploads_of
from dpgov.operation import clock
from dpgov.queries.selectors import budget_requests_waiting, visible_queries
from dpgov.queries.workbench.saved import saved_questions
from dpgov.surveys.selectors import under_way
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may, membership_of, requires

_DATASETS = 8
_OWN = 5
_MOST = 10
_REQUESTS = 10
_SURVEYS = 8


@requires(Permission.VIEW_DATASETS)
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What is left to set up; what waits; and for each role how its budgets stand."""
    membership = membership_of(request)
    today = clock.today()
    context: dict[str, Any] = {"checklist": checklist(membership)}
    if may(membership, Permission.VIEW_SPLIT_BY_ANALYST):
        context |= _budgets(membership, today)
        context["waiting"] = [
            (change, title_of(change))
            for change in requests_of(membership)[:_REQUESTS]
            if change.is_waiting
        ]
    if may(membership, Permission.REGISTER_DATASETS):
        context["uploads"] = uploads_of(membership.tenant, membership.user)
        context["budget_requests"] = budget_requests_waiting(membership).select_related(
            "dataset__budget", "asked_by"
        )[:_REQUESTS]
    if may(membership, Permission.MAKE_SURVEYS):
        context["surveys"] = under_way(membership, _SURVEYS)
    context["tiles"] = _tiles(membership, today)
    if may(membership, Permission.SUBMIT_QUERIES):
        context |= _workbench(membership)
    if may(membership, Permission.VIEW_ALL_QUERIES):
        # Without the allocations that were charged: the list of all questions has them.
        context["latest"] = question_table(
            visible_queries(membership)[:_OWN], columns_for(membership)
        )
    return render(request, "dashboards/home.html", context)


def _tiles(membership: Membership, today: date) -> list[Tile]:
    """Those of every role that they have."""
    found: list[Tile] = []
    if may(membership, Permission.READ_AUDIT_LOG):
        found += officer_tiles(membership, today)
    if may(membership, Permission.MANAGE_MEMBERS):
        found += admin_tiles(membership)
    if may(membership, Permission.SUBMIT_QUERIES):
        found += analyst_tiles(membership, today)
    return found


def _budgets(membership: Membership, today: date) -> dict[str, Any]:
    """Every budget with where it leads, those that end first at the front; and what is held."""
    days = days_of_all([membership.tenant_id], today)
    found = outlook(datasets_and_held(membership), days, today, first=_MOST)
    shown = found[:_MOST]
    return {
        "headline": headline(found.first, today),
        "budgets": [(one, _line(one)) for one in shown],
        "held": found.held,
        "left_out": len(found) - len(shown),
    }


def _line(forecast: Forecast) -> Sparkline | None:
    return sparkline(forecast.course, forecast.dataset.budget.limit_nano)


def _workbench(membership: Membership) -> dict[str, Any]:
    """The first datasets by name, and the newest saved and asked questions of this person."""
    found, every = first_by_name(membership, _DATASETS)
    own = visible_queries(membership).filter(analyst=membership.user_id)
    recent = question_table(own[:_OWN], columns_for(membership))
    return {
        "found": found,
        "more_datasets": every - len(found),
        "kept": saved_questions(membership)[:_OWN],
        "recent": recent,
    }
