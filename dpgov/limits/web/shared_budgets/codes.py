"""Entering a code of another organisation: first what it offers, then a request to join.

Must never say why a code does not work, or whose it is.
"""

from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dpgov.approvals.errors import ApprovalRefusal
from dpgov.budgets.crossing import Preview
from dpgov.budgets.errors import LedgerRefusal
from dpgov.budgets.services.invitations import look_at, request_to_join
from dpgov.limits.web.forms.shared_budgets import AcceptSharedBudgetForm, SharedBudgetCodeForm
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def accept(request: HttpRequest) -> HttpResponse:
    """Enter a code; see the preview; ask a second person to let own datasets join."""
    if request.method != "POST":
        return _page(request, SharedBudgetCodeForm())
    if "reason" in request.POST:
        return _join(request)
    form = SharedBudgetCodeForm(request.POST)
    preview = _preview(request, form) if form.is_valid() else None
    if preview is None:
        return _page(request, form)
    tenant = membership_of(request).tenant
    joining = AcceptSharedBudgetForm(tenant=tenant, initial={"code": form.cleaned_data["code"]})
    return _page(request, joining, preview=preview)


def _join(request: HttpRequest) -> HttpResponse:
    membership = membership_of(request)
    form = AcceptSharedBudgetForm(request.POST, tenant=membership.tenant)
    if not form.is_valid():
        return _again(request, form)
    try:
        change = request_to_join(
            membership=membership,
            code=form.cleaned_data["code"],
            dataset_budgets=form.budgets(),
            reason=form.cleaned_data["reason"],
        )
    except (ApprovalRefusal, LedgerRefusal) as refusal:
        form.add_error(None, str(refusal))
        return _again(request, form)
    done = _("Requested. Another person of your organisation has to approve it.")
    messages.success(request, done)
    return redirect("oversight:approval", change.pk)


def _again(request: HttpRequest, form: AcceptSharedBudgetForm) -> HttpResponse:
    """The same preview with what is wrong; or the first step where the code does not work."""
    first = SharedBudgetCodeForm({"code": request.POST.get("code", "")})
    preview = _preview(request, first) if first.is_valid() else None
    return _page(request, first) if preview is None else _page(request, form, preview=preview)


def _preview(request: HttpRequest, form: SharedBudgetCodeForm) -> Preview | None:
    try:
        return look_at(code=form.cleaned_data["code"], tenant_id=membership_of(request).tenant_id)
    except LedgerRefusal as refusal:
        form.add_error("code", str(refusal))
        return None


def _page(request: HttpRequest, form: Form, **more: Any) -> HttpResponse:
    return show_page(
        request,
        "limits/shared_budgets/accept.html",
        {"form": form, **more},
        refused=form.errors,
    )
