"""The page of a held dataset: its owner asks for a decision, officers see what it resembles too.

Must never tell an owner what the dataset resembles: the page is the same for every hold with the
same reason, and the reason depends on nobody else's rows.
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dpgov.approvals.errors import ApprovalRefusal
from dpgov.approvals.selectors import all_waiting_about
from dpgov.datasets import services
from dpgov.datasets.held import held_or_404
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.web.forms.changes import HeldDecisionForm
from dpgov.tenants.permissions import Permission, may, membership_of, requires
from dpgov.web.pages import show_page


@requires(Permission.REQUEST_CHANGES)
@require_http_methods(["GET", "HEAD", "POST"])
def held(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Why nobody can ask about it, and the form that asks for a decision."""
    version = held_or_404(request, dataset_id)
    dataset = version.dataset
    form = HeldDecisionForm(request.POST if request.method == "POST" else None, held=dataset)
    if form.is_valid() and _requested(request, dataset, form):
        messages.success(request, _("Requested. A compliance officer other than you decides."))
        return redirect("datasets:held", dataset.pk)
    context = {"held": dataset, "form": form, "waiting": _waiting(dataset)}
    context |= _for_officers(request, version)
    return show_page(request, "datasets/held/held.html", context, refused=form.errors)


def _requested(request: HttpRequest, dataset: Dataset, form: HeldDecisionForm) -> bool:
    data = form.cleaned_data
    try:
        services.request_decision(
            membership=membership_of(request),
            dataset=dataset,
            kind=data["kind"],
            reason=data["reason"],
            earlier=data.get("earlier"),
        )
    except (
        ApprovalRefusal,
        services.NotHeld,
        services.AskedAlready,
        services.OtherBudget,
    ) as refusal:
        form.add_error(None, str(refusal))
        return False
    return True


def _waiting(dataset: Dataset) -> list[Any]:
    """The requests about this dataset that nobody has decided yet."""
    subject = f"dataset:{dataset.pk}"
    return list(all_waiting_about(dataset.tenant_id, services.HOLD_KINDS, subject))


def _for_officers(request: HttpRequest, version: DatasetVersion) -> dict[str, Any]:
    if not may(membership_of(request), Permission.DECIDE_CHANGES):
        return {}
    try:
        found = services.resembling(version, seen_by=membership_of(request))
    except services.OwnData as refusal:
        return {"own_data": str(refusal)}
    return {"resembling": found, "columns": version.columns.all()}
