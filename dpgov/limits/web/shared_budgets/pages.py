"""Pages of shared budgets: the list, a new one, one of them, and what one person may do to it.

Each view calls one service; what is foreign looks like what is missing.
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from dpgov.approvals.selectors import requests_of
from dpgov.budgets.errors import LedgerRefusal
from dpgov.budgets.services import change_limit
from dpgov.budgets.services.shared_budgets import join_shared_budget, open_shared_budget
from dpgov.budgets.web.forms import declared_currency
from dpgov.budgets.words import amount
from dpgov.datasets.web.forms.changes import LimitForm
from dpgov.limits import shared_budgets
from dpgov.limits.web.forms.lookup import (
    own_or_404,
    shared_budget_or_404,
    taking_part_or_404,
)
from dpgov.limits.web.forms.shared_budgets import OneDatasetForm, OpenSharedBudgetForm
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.tenants.selectors import actor_of
from dpgov.web.lists import listed
from dpgov.web.pages import show_page


@requires(Permission.VIEW_SHARED_BUDGETS)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Every shared budget that the tenant has or is in."""
    found = shared_budgets.shared_budgets(membership_of(request).tenant)
    return render(request, "limits/shared_budgets/shared_budgets.html", {"shared_budgets": found})


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Open a shared budget."""
    form = (
        OpenSharedBudgetForm(request.POST) if request.method == "POST" else OpenSharedBudgetForm()
    )
    membership = membership_of(request)
    if form.is_bound and form.is_valid():
        try:
            opened = open_shared_budget(
                tenant=membership.tenant,
                name=form.cleaned_data["name"],
                limit_nano=form.cleaned_data["epsilon_limit"],
                currency=declared_currency(form),
                actor=actor_of(membership.user),
            )
        except LedgerRefusal as refusal:
            form.add_error("name", str(refusal))
        else:
            messages.success(request, _("Opened. Now add the datasets about these people."))
            return redirect("limits:shared_budget_join", opened.pk)
    return _page(request, "new.html", form)


@requires(Permission.VIEW_SHARED_BUDGETS)
@require_safe
def detail(request: HttpRequest, shared_budget_id: UUID) -> HttpResponse:
    """One shared budget: how much is left, who is in it, what happened; the last to who left."""
    membership, budget = membership_of(request), shared_budget_or_404(request, shared_budget_id)
    waiting = requests_of(membership).filter(state="waiting", subject=f"budget:{budget.pk}")
    shared, history = shared_budgets.with_history(budget, membership.tenant)
    context = {"shared": shared, "history": history, "waiting": waiting}
    return render(request, "limits/shared_budgets/shared_budget.html", context)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, shared_budget_id: UUID) -> HttpResponse:
    """The datasets that could join, and one of them that does."""
    membership, budget = membership_of(request), taking_part_or_404(request, shared_budget_id)
    could = shared_budgets.candidates(membership.tenant)
    form = OneDatasetForm(request.POST, candidates=could) if request.method == "POST" else None
    if form is not None and form.is_valid():
        (chosen,) = shared_budgets.named(membership.tenant, [form.cleaned_data["dataset"]])
        try:
            carried = join_shared_budget(
                shared_budget=budget, dataset_budget=chosen.budget, actor=actor_of(membership.user)
            )
        except LedgerRefusal as refusal:
            problem = _("%(names)s did not join. %(why)s")
            form.add_error("dataset", problem % {"names": chosen.names, "why": refusal})
        else:
            done = _("%(names)s shares this budget from now on. %(amount)s was carried over.")
            carried_text = amount(carried, budget.currency)
            messages.success(request, done % {"names": chosen.names, "amount": carried_text})
            return redirect("limits:shared_budget", budget.pk)
    shared = shared_budgets.shared(budget, membership.tenant)
    found = listed(request, could, by=shared_budgets.with_name)
    rows = shared_budgets.named(membership.tenant, found.rows, budget)
    return _page(request, "join.html", form, shared=shared, found=found, candidates=rows)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def limit(request: HttpRequest, shared_budget_id: UUID) -> HttpResponse:
    """Lower the limit of an own shared budget, once the page has said what that means."""
    budget = own_or_404(request, shared_budget_id)
    posted = request.POST if request.method == "POST" else None
    form = LimitForm(posted, budget=budget)
    if form.is_confirmed:
        try:
            change_limit(
                budget=budget,
                limit_nano=form.cleaned_data["epsilon_limit"],
                actor=actor_of(membership_of(request).user),
                reason=form.cleaned_data["reason"],
            )
        except LedgerRefusal as refusal:
            form.add_error("epsilon_limit", str(refusal))
        else:
            messages.success(request, _("The limit is lowered."))
            return redirect("limits:shared_budget", budget.pk)
    shared = shared_budgets.shared(budget, membership_of(request).tenant)
    return _page(request, "limit.html", form, shared_budget=budget, shared=shared)


def _page(request: HttpRequest, template: str, form: Form | None, **more: Any) -> HttpResponse:
    return show_page(
        request,
        f"limits/shared_budgets/{template}",
        {"form": form, **more},
        refused=form is not None and form.errors,
    )
