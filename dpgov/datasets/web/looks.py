"""Officers look at new data: what waits for a look, one version, the rule, and agreements.

Must never be reachable for an owner, nor write anything by being looked at: what a page shows
depends on other people's rows.
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dpgov.datasets import services
from dpgov.datasets.models import Agreement, DatasetVersion
from dpgov.datasets.web.forms.looks import PAUSE, AgreementForm, LookForm, RuleForm
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page

_MOST = 50


@requires(Permission.DECIDE_CHANGES)
@require_safe
def new_data(request: HttpRequest) -> HttpResponse:
    """What nobody looked at yet, oldest first; what it resembles is found on its own page."""
    membership = membership_of(request)
    waiting = services.waiting_for_a_look(membership.tenant)
    found = list(waiting[: _MOST + 1])
    waits = services.new_data_waits(membership.tenant_id)
    context = {
        "versions": found[:_MOST],
        "more": len(found) > _MOST,
        "waits": waits,
        "form": RuleForm(initial={"waits": "yes" if waits else "no"}),
    }
    return render(request, "datasets/held/new_data.html", context)


@requires(Permission.DECIDE_CHANGES)
@require_http_methods(["GET", "HEAD", "POST"])
def look(request: HttpRequest, version_id: UUID) -> HttpResponse:
    """One version, looked at before or not: what it resembles, and what shall become of it."""
    membership = membership_of(request)
    found = DatasetVersion.objects.filter(tenant_id=membership.tenant_id, pk=version_id)
    version = found.select_related("dataset__budget", "added_by", "look__by").first()
    if version is None or version.dataset.archived_at is not None:
        raise Http404
    form = LookForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _decided(request, version, form):
        return redirect("datasets:new_data")
    context: dict[str, Any] = {
        "version": version,
        "dataset": version.dataset,
        "form": form,
        "columns": version.columns.all(),
        "resembling": _seen(version, membership),
    }
    return show_page(request, "datasets/held/look.html", context, refused=form.errors)


def _decided(request: HttpRequest, version: DatasetVersion, form: LookForm) -> bool:
    step = services.pause if form.cleaned_data["step"] == PAUSE else services.let_begin
    try:
        step(
            version=version,
            membership=membership_of(request),
            reason=form.cleaned_data["reason"],
        )
    except (services.OwnData, services.LookedAtAlready) as refusal:
        form.add_error(None, str(refusal))
        return False
    messages.success(request, _("Noted. It stands in the audit log."))
    return True


def _seen(version: DatasetVersion, membership: Membership) -> services.Resembling | None:
    try:
        return services.resembling(version, seen_by=membership)
    except services.OwnData:
        return None


@requires(Permission.DECIDE_CHANGES)
@require_POST
def rule(request: HttpRequest) -> HttpResponse:
    """Let new data wait for a look, or begin at once."""
    form = RuleForm(request.POST)
    if not form.is_valid():
        raise Http404
    membership = membership_of(request)
    services.change_new_data_rule(
        tenant=membership.tenant, waits=form.cleaned_data["waits"], user=membership.user
    )
    messages.success(request, _("The rule is changed. It holds for everything that comes now."))
    return redirect("datasets:new_data")


@requires(Permission.DECIDE_CHANGES)
@require_http_methods(["GET", "HEAD", "POST"])
def agreements(request: HttpRequest) -> HttpResponse:
    """With which organisations data is compared, and the form for one more."""
    membership = membership_of(request)
    form = AgreementForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and _agreed(membership, form):
        messages.success(request, _("Agreed. Data is compared once the other side agrees too."))
        return redirect("datasets:agreements")
    context = {"form": form, "given": services.agreements_of(membership.tenant)}
    return show_page(request, "datasets/held/agreements.html", context, refused=form.errors)


def _agreed(membership: Membership, form: AgreementForm) -> bool:
    other = form.cleaned_data["other"]
    try:
        services.agree(tenant=membership.tenant, other=other, user=membership.user)
    except (services.AgreedAlready, services.OwnOrganisation) as refusal:
        form.add_error("other", str(refusal))
        return False
    return True


@requires(Permission.DECIDE_CHANGES)
@require_POST
def end_agreement(request: HttpRequest) -> HttpResponse:
    """Nothing is compared with that organisation any more, whatever it says."""
    membership, other = membership_of(request), request.POST.get("other", "")
    try:
        services.end_agreement(tenant=membership.tenant, other=other, user=membership.user)
    except Agreement.DoesNotExist as missing:
        raise Http404 from missing
    messages.success(request, _("Ended. Nothing is compared with that organisation any more."))
    return redirect("datasets:agreements")
