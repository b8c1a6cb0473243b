"""The desk: one address, and for each role what it needs next. It changes nothing.

An analyst's part: what can be asked, what was kept, and what was asked last. Declared metadata,
limits and this person's own questions; it never looks at answers or data.
"""

from datetime import UTC
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dpgov.approvals.kinds import title_of
from dpgov.approvals.selectors import requests_of
from dpgov.dashboards.desk.checklist import checklist
from dpgov.dashboards.desk.forecast import forecasts
from dpgov.dashboards.history.table import columns_for, question_table
from dpgov.datasets.finding import first_by_name
from dpgov.datasets.selectors import datasets_of, uploads_of
from dpgov.operation import clock
from dpgov.queries.selectors import visible_queries
from dpgov.queries.workbench.budget_requests import budget_requests_waiting
from dpgov.queries.workbench.saved import saved_questions
from dpgov.tenants.permissions import Permission, may, membership_of, requires

_DATASETS = 8
_OWN = 5
_MOST = 50
_REQUESTS = 10


def workbench(request: HttpRequest) -> dict[str, Any]:
    """The first datasets by name, and the newest saved and asked questions of this person."""
    membership = membership_of(request)
    found, every = first_by_name(membership, _DATASETS)
    # Without the allocations that were charged: the list of all questions has them.
    recent = question_table(visible_queries(membership)[:_OWN], columns_for(membership))
    return {
        "found": found,
        "more_datasets": every - len(found),
        "kept": saved_questions(membership)[:_OWN],
        "recent": recent,
    }


@requires(Permission.VIEW_DATASETS)
@require_safe
def desk(request: HttpRequest) -> HttpResponse:
    """What is left to set up; for owners and officers budgets with forecasts, and requests.

    For analysts what they can ask, what they kept and what they asked last.
    """
    membership = membership_of(request)
    context: dict[str, Any] = {"checklist": checklist(membership)}
    if may(membership, Permission.VIEW_SPLIT_BY_ANALYST):
        today = clock.now().astimezone(UTC).date()
        found = forecasts(list(datasets_of(membership.tenant)), today)
        context |= {"forecasts": found[:_MOST], "left_out": max(0, len(found) - _MOST)}
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
    if may(membership, Permission.SUBMIT_QUERIES):
        context |= workbench(request)
    return render(request, "dashboards/desk.html", context)
