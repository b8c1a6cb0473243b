"""The limits of a dataset: how they stand, and what its owner may change alone.

Owners change allocations and rates by themselves, as the lifetime limit binds whatever they do;
raising that one takes two persons and is not offered here.
"""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from dpgov.budgets.errors import LimitBelowCommitted
from dpgov.budgets.models import Allocation, RateLimit
from dpgov.budgets.services import (
    AllocationEnded,
    NotAHolder,
    OwnAllocation,
    allocate,
    set_rate_limit,
    withdraw,
)
from dpgov.budgets.standing import (
    allocations_under,
    get_allocation,
    granted_together,
    parts_of,
    rates_of,
)
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import dataset_or_404
from dpgov.limits.web.forms.limits import (
    AllocationForm,
    AmountForm,
    RateForm,
    ReasonForm,
    projects_with,
)
from dpgov.tenants.models import User
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.tenants.selectors import actor_of
from dpgov.web.lists import listed
from dpgov.web.pages import show_page

_FORM_METHODS = ["GET", "HEAD", "POST"]


@requires(Permission.VIEW_SPLIT_BY_ANALYST)
@require_safe
def limits(request: HttpRequest, slug: str) -> HttpResponse:
    """Every limit of the dataset: for its lifetime, by period, by holder and by part."""
    dataset = dataset_or_404(request, slug)
    granted = granted_together(dataset.budget)
    holders = ("user__name", "user__email", "project__name")
    found = listed(request, allocations_under(dataset.budget), by=holders)
    context = {
        "dataset": dataset,
        "rates": rates_of(dataset.budget),
        "found": found,
        "allocations": found.rows,
        "own": _own(membership_of(request).user, found.rows),
        "granted_nano": granted,
        "promises_more": granted > dataset.budget.limit_nano,
        "parts": parts_of(dataset.budget),
    }
    return render(request, "limits/limits.html", context)


def _own(user: User, allocations: Iterable[Allocation]) -> set[UUID]:
    """Those that this person would use: another owner decides about them."""
    mine = projects_with(user)
    return {one.pk for one in allocations if one.user_id == user.pk or one.project_id in mine}


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(_FORM_METHODS)
def grant(request: HttpRequest, slug: str) -> HttpResponse:
    """Grant an allocation to an analyst or a project."""
    dataset = dataset_or_404(request, slug)
    form = AllocationForm(request.POST or None, dataset=dataset, owner=membership_of(request).user)
    if request.method == "POST" and form.is_valid():
        holder = form.cleaned_data["holder"]
        if _granted(request, dataset, holder, form):
            messages.success(request, _("%(holder)s has an allocation.") % {"holder": holder})
            return redirect("limits:limits", slug)
    return _page(request, "allocation_new", dataset, form)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(_FORM_METHODS)
def change_allocation(request: HttpRequest, slug: str, allocation_id: UUID) -> HttpResponse:
    """Change how much an allocation allows, or give a withdrawn one back."""
    dataset, allocation = _allocation(request, slug, allocation_id)
    form = AmountForm(request.POST or None, currency=dataset.budget.currency)
    if request.method == "POST" and form.is_valid():
        holder = allocation.project or allocation.user
        if _granted(request, dataset, holder, form):
            words = _("The allocation of %(holder)s is changed.")
            messages.success(request, words % {"holder": allocation})
            return redirect("limits:limits", slug)
    return _page(request, "allocation_change", dataset, form, allocation=allocation)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(_FORM_METHODS)
def withdraw_allocation(request: HttpRequest, slug: str, allocation_id: UUID) -> HttpResponse:
    """Ask why, then end the allocation."""
    dataset, allocation = _allocation(request, slug, allocation_id)
    form = ReasonForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            withdraw(
                allocation=allocation,
                actor=actor_of(membership_of(request).user),
                reason=form.cleaned_data["reason"],
            )
        except (AllocationEnded, OwnAllocation) as refusal:
            messages.warning(request, str(refusal))
        else:
            words = _("The allocation of %(holder)s is withdrawn.")
            messages.success(request, words % {"holder": allocation})
        return redirect("limits:limits", slug)
    return _page(request, "allocation_withdraw", dataset, form, allocation=allocation)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(_FORM_METHODS)
def rate(request: HttpRequest, slug: str, period: str) -> HttpResponse:
    """Set, change or lift what may be used in a day, a week or a month."""
    dataset = dataset_or_404(request, slug)
    if period not in RateLimit.Period.values:
        raise Http404
    present = next(rate for rate in rates_of(dataset.budget) if rate.period == period)
    form = RateForm(request.POST or None, rate=present, currency=dataset.budget.currency)
    if request.method == "POST" and form.is_valid():
        set_rate_limit(
            budget=dataset.budget,
            period=RateLimit.Period(period),
            limit_nano=form.cleaned_data["epsilon_limit"],
            actor=actor_of(membership_of(request).user),
            reason=form.cleaned_data["reason"],
        )
        words = _("The limit for %(period)s is changed.")
        messages.success(request, words % {"period": present.words})
        return redirect("limits:limits", slug)
    return _page(request, "rate", dataset, form, rate=present)


def _granted(request: HttpRequest, dataset: Dataset, holder: Any, form: Any) -> bool:
    """Grant it, or put the refusal at its field."""
    try:
        allocate(
            dataset_budget=dataset.budget,
            holder=holder,
            limit_nano=form.cleaned_data["epsilon_limit"],
            actor=actor_of(membership_of(request).user),
            reason=form.cleaned_data["reason"],
        )
    except LimitBelowCommitted as refusal:
        form.add_error("epsilon_limit", str(refusal))
    except (NotAHolder, OwnAllocation) as refusal:
        form.add_error("holder" if "holder" in form.fields else "epsilon_limit", str(refusal))
    return not form.errors


def _allocation(request: HttpRequest, slug: str, allocation_id: UUID) -> tuple[Dataset, Allocation]:
    dataset = dataset_or_404(request, slug)
    try:
        return dataset, get_allocation(dataset.budget, allocation_id)
    except Allocation.DoesNotExist as missing:
        raise Http404 from missing


def _page(
    request: HttpRequest, name: str, dataset: Dataset, form: Any, **more: object
) -> HttpResponse:
    context = {"dataset": dataset, "form": form, **more}
    return show_page(request, f"limits/limits_{name}.html", context, refused=form.errors)
