"""Asking for what takes two persons: merging, dividing and sharing.

Each page first says what it means; the request then waits for another person.
"""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import request_change
from dpgov.budgets.crossing import shared_with_others
from dpgov.budgets.models import Budget
from dpgov.budgets.services.agreed import (
    INVITE_TO_SHARE,
    LEAVE_SHARED_BUDGET,
    MERGE_SHARED_BUDGETS,
    SPLIT_SHARED_BUDGET,
)
from dpgov.budgets.services.dividing import check_division, check_merge
from dpgov.budgets.services.invitations import check_inviter
from dpgov.budgets.shared_budgets import shared_budgets_of
from dpgov.limits import shared_budgets
from dpgov.limits.web.forms.lookup import own_or_404, taking_part_or_404
from dpgov.limits.web.forms.requested import requested
from dpgov.limits.web.forms.shared_budgets import DivideForm, MergeForm, ShareForm
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page


@requires(Permission.REQUEST_CHANGES)
@require_http_methods(["GET", "HEAD", "POST"])
def merge(request: HttpRequest, shared_budget_id: UUID) -> HttpResponse:
    """Ask for another shared budget of the tenant to end in this one."""
    budget, tenant = own_or_404(request, shared_budget_id), membership_of(request).tenant
    others = [
        each
        for each in shared_budgets_of(tenant).filter(tenant=tenant).exclude(pk=budget.pk)
        if not shared_with_others(each.pk, tenant.pk)
    ]
    form = MergeForm(request.POST if request.method == "POST" else None, others=others)
    if form.is_bound and form.is_valid():
        other = next(each for each in others if str(each.pk) == form.cleaned_data["other"])
        payload = {
            "into": str(budget.pk),
            "other": str(other.pk),
            "into_limit_nano": budget.limit_nano,
            "other_limit_nano": other.limit_nano,
            "names": [budget.label, other.label],
        }
        possible = partial(check_merge, budget, other)
        done = _ask(request, form, MERGE_SHARED_BUDGETS, budget, payload, possible)
        if done is not None:
            return done
    return _page(request, "merge.html", form, budget, others=others)


@requires(Permission.REQUEST_CHANGES)
@require_http_methods(["GET", "HEAD", "POST"])
def divide(request: HttpRequest, shared_budget_id: UUID) -> HttpResponse:
    """Ask for some of the tenant's datasets to leave, into a shared budget of their own."""
    budget, tenant = taking_part_or_404(request, shared_budget_id), membership_of(request).tenant
    shared = shared_budgets.shared(budget, tenant)
    name = _("%(name)s, apart") % {"name": budget.label}
    initial = {"datasets": request.GET.getlist("dataset"), "name": name}
    form = DivideForm(named=shared.members, initial=initial)
    if request.method == "POST":
        form = DivideForm(request.POST, named=shared.members)
    if form.is_bound and form.is_valid():
        leaving = form.chosen()
        payload = {
            "shared_budget": str(budget.pk),
            "leaving": [str(budget_id) for budget_id in leaving],
            "name": form.cleaned_data["name"],
            "limit_nano": budget.limit_nano,
            **shared_budgets.names_in(tenant, leaving),
            "from": budget.label,
        }
        kind = LEAVE_SHARED_BUDGET if len(leaving) == 1 else SPLIT_SHARED_BUDGET
        possible = partial(check_division, budget, leaving, tenant)
        done = _ask(request, form, kind, budget, payload, possible)
        if done is not None:
            return done
    return _page(request, "divide.html", form, budget, shared=shared)


@requires(Permission.REQUEST_CHANGES)
@require_http_methods(["GET", "HEAD", "POST"])
def share(request: HttpRequest, shared_budget_id: UUID) -> HttpResponse:
    """Ask for a code by which another organisation's datasets may share the budget."""
    budget = own_or_404(request, shared_budget_id)
    form = ShareForm(request.POST) if request.method == "POST" else ShareForm()
    if form.is_bound and form.is_valid():
        payload = {"shared_budget": str(budget.pk), "name": budget.label}
        possible = partial(check_inviter, budget.tenant)
        done = _ask(request, form, INVITE_TO_SHARE, budget, payload, possible)
        if done is not None:
            return done
    return _page(request, "share.html", form, budget)


def _ask(
    request: HttpRequest,
    form: Form,
    kind: str,
    budget: Budget,
    payload: dict[str, Any],
    possible: Callable[[], object] = lambda: None,
) -> HttpResponse | None:
    """`possible` raises a refusal where nobody could do it as things are now."""

    def ask() -> ChangeRequest:
        possible()
        return request_change(
            membership=membership_of(request),
            kind=kind,
            subject=f"budget:{budget.pk}",
            payload=payload,
            reason=form.cleaned_data["reason"],
            dataset=budget.label,
        )

    return requested(request, form, ask)


def _page(
    request: HttpRequest, template: str, form: Form, budget: Budget, **more: Any
) -> HttpResponse:
    context = {"form": form, "shared_budget": budget, **more}
    return show_page(request, f"limits/shared_budgets/{template}", context, refused=form.errors)
