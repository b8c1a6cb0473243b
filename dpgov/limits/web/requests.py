"""Asking for what takes two persons: a higher limit, a refund."""

from collections.abc import Callable
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dpgov.approvals.errors import ApprovalRefusal
from dpgov.approvals.models import ChangeRequest, Kind
from dpgov.approvals.selectors import waiting_about
from dpgov.budgets.errors import NotRaised
from dpgov.budgets.services.raising import request_raise
from dpgov.datasets.lookup import dataset_or_404
from dpgov.datasets.models import Dataset
from dpgov.explain.weakening import weakening
from dpgov.limits.web.forms.reasons import RaiseForm, RefundForm
from dpgov.queries.answering.refunding import refundable, request_refund
from dpgov.queries.models import Query
from dpgov.queries.selectors import get_query
from dpgov.queries.wording.words import in_words
from dpgov.tenants.permissions import Permission, requires
from dpgov.tenants.requests import membership_of
from dpgov.web.pages import show_page


@requires(Permission.REQUEST_CHANGES)
@require_http_methods(["GET", "HEAD", "POST"])
def raise_limit(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for a higher limit: the page first says what it means, and only then sends it."""
    dataset, membership = dataset_or_404(request, slug), membership_of(request)
    form = RaiseForm(request.POST or None, budget=dataset.budget)
    if form.is_bound and form.is_valid() and _knows_what_it_means(request, form):
        change = _sent(
            form,
            lambda: request_raise(
                membership=membership,
                budget=dataset.budget,
                limit_nano=form.cleaned_data["epsilon_limit"],
                reason=form.cleaned_data["reason"],
            ),
        )
        if change is not None:
            return _to(request, change)
    return _raise_page(request, dataset, form)


def _knows_what_it_means(request: HttpRequest, form: RaiseForm) -> bool:
    """Whether the page has said what this very limit means."""
    return request.POST.get("confirmed") == str(form.cleaned_data["epsilon_limit"])


def _raise_page(request: HttpRequest, dataset: Dataset, form: RaiseForm) -> HttpResponse:
    wanted = form.cleaned_data["epsilon_limit"] if form.is_bound and not form.errors else None
    context = {
        "dataset": dataset,
        "form": form,
        "wanted_nano": wanted,
        "meaning": weakening(dataset.budget, wanted) if wanted else [],
        "waiting": waiting_about(
            dataset.tenant_id, Kind.RAISE_LIMIT, f"budget:{dataset.budget_id}"
        ),
    }
    return show_page(request, "limits/raise_limit.html", context, refused=form.errors)


@requires(Permission.REQUEST_CHANGES)
@require_http_methods(["GET", "HEAD", "POST"])
def refund(request: HttpRequest, query_id: UUID) -> HttpResponse:
    """Ask for the charge of a question whose data was never opened."""
    membership = membership_of(request)
    try:
        query = get_query(membership, query_id)
    except Query.DoesNotExist as missing:
        raise Http404 from missing
    form = RefundForm(request.POST or None)
    if form.is_bound and form.is_valid():
        reason = form.cleaned_data["reason"]
        change = _sent(
            form, lambda: request_refund(membership=membership, query=query, reason=reason)
        )
        if change is not None:
            return _to(request, change)
    context = {
        "query": query,
        "words": in_words(query.plan),
        "possible": refundable(membership.tenant).filter(pk=query.pk).exists(),
        "form": form,
    }
    return show_page(request, "limits/refund.html", context, refused=form.errors)


def _sent(form: forms.Form, ask: Callable[[], ChangeRequest]) -> ChangeRequest | None:
    """The new request, or None with the reason for which there is none on the form."""
    try:
        return ask()
    except (ApprovalRefusal, NotRaised) as refusal:
        form.add_error(None, str(refusal))
        return None


def _to(request: HttpRequest, change: ChangeRequest) -> HttpResponse:
    messages.success(
        request, _("Requested. Another person has to approve it before anything changes.")
    )
    return redirect("dashboards:approval", change.pk)
