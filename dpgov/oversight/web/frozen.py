"""After a restore: what is frozen, why, what to compare, and the officer's confirmation."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dpgov.budgets.errors import InsufficientBudget
from dpgov.budgets.models import Budget
from dpgov.budgets.services import confirm_budget
from dpgov.budgets.services.freezing import NotFrozen
from dpgov.budgets.standing import frozen_budgets, get_budget
from dpgov.language.translation import retold
from dpgov.limits.web.forms.reasons import ConfirmForm
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.tenants.selectors import actor_of
from dpgov.web.pages import show_page


@requires(Permission.REQUEST_CHANGES)
@require_safe
def frozen(request: HttpRequest) -> HttpResponse:
    """Every frozen dataset and shared budget, each with what its officer has to say."""
    return _page(request)


@requires(Permission.DECIDE_CHANGES)
@require_POST
def confirm(request: HttpRequest, budget_id: UUID) -> HttpResponse:
    """Admit questions again, after booking what the backup did not know."""
    budget = _budget(request, budget_id)
    form = ConfirmForm(request.POST, prefix=str(budget.pk), budget=budget)
    if form.is_valid():
        try:
            confirm_budget(
                budget=budget,
                actor=actor_of(membership_of(request).user),
                reason=form.cleaned_data["reason"],
                missing_nano=form.cleaned_data["missing"],
            )
        except InsufficientBudget as refusal:
            form.add_error("missing", str(refusal))
        except NotFrozen:
            return _page(request, problem=_("This was confirmed before. Nothing was changed."))
        else:
            words = _("%(name)s is confirmed. Questions are admitted again.")
            messages.success(request, words % {"name": budget.label})
            return redirect("dashboards:frozen")
    return _page(request, budget, form)


def _budget(request: HttpRequest, budget_id: UUID) -> Budget:
    try:
        return get_budget(membership_of(request).tenant_id, budget_id)
    except Budget.DoesNotExist as missing:
        raise Http404 from missing


def _page(
    request: HttpRequest,
    refused: Budget | None = None,
    form: ConfirmForm | None = None,
    problem: str = "",
) -> HttpResponse:
    found = frozen_budgets(membership_of(request).tenant_id)
    rows = [
        (
            budget,
            form
            if form and budget == refused
            else ConfirmForm(prefix=str(budget.pk), budget=budget),
            retold(budget.frozen_reason),
        )
        for budget in found
    ]
    return show_page(
        request,
        "oversight/approvals/frozen.html",
        {"rows": rows, "problem": problem},
        refused=form or problem,
    )
