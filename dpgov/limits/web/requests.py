"""Asking for what takes two persons: a higher limit, of a dataset or a shared budget; a refund."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from dpgov.approvals.selectors import waiting_about
from dpgov.budgets.crossing import shared_with_others
from dpgov.budgets.errors import SharedLimit
from dpgov.budgets.meaning import weakening
from dpgov.budgets.models import Budget
from dpgov.budgets.services.raising import RAISE_LIMIT, request_raise
from dpgov.datasets.lineage import protected_by
from dpgov.datasets.selectors import dataset_or_404
from dpgov.limits.web.forms.lookup import own_or_404
from dpgov.limits.web.forms.reasons import RaiseForm, RefundForm
from dpgov.limits.web.forms.requested import requested
from dpgov.queries.answering.refunding import refundable, request_refund
from dpgov.queries.models import Query
from dpgov.queries.selectors import get_query
from dpgov.queries.wording.words import in_words
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page


@requires(Permission.REQUEST_CHANGES)
@require_http_methods(["GET", "HEAD", "POST"])
def raise_limit(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for a higher limit of a dataset."""
    dataset = dataset_or_404(request, slug)
    return _raise(request, dataset.budget, "limits/raise_limit.html", {"dataset": dataset})


@requires(Permission.REQUEST_CHANGES)
@require_http_methods(["GET", "HEAD", "POST"])
def raise_shared_limit(request: HttpRequest, shared_budget_id: UUID) -> HttpResponse:
    """Ask for a higher limit of a shared budget."""
    budget = own_or_404(request, shared_budget_id)
    template, shown = "limits/shared_budgets/raise.html", {"shared_budget": budget}
    if request.method != "POST" and shared_with_others(budget.pk, budget.tenant_id):
        return render(request, template, {**shown, "cannot": SharedLimit()})
    return _raise(request, budget, template, shown)


def _raise(
    request: HttpRequest, budget: Budget, template: str, shown: dict[str, Any]
) -> HttpResponse:
    """The page first says what the new limit means, and only then sends it."""
    form = RaiseForm(request.POST if request.method == "POST" else None, budget=budget)
    wanted = form.cleaned_data["epsilon_limit"] if form.is_bound and form.is_valid() else None
    if wanted is not None and request.POST.get("confirmed") == str(wanted):
        done = requested(
            request,
            form,
            lambda: request_raise(
                membership=membership_of(request),
                budget=budget,
                limit_nano=wanted,
                reason=form.cleaned_data["reason"],
            ),
        )
        if done is not None:
            return done
    context = shown | {
        "form": form,
        "budget": budget,
        "wanted_nano": wanted,
        "meaning": _meaning(budget, wanted) if wanted and not form.errors else [],
        "waiting": waiting_about(budget.tenant_id, RAISE_LIMIT, f"budget:{budget.pk}"),
    }
    return show_page(request, template, context, refused=form.errors)


def _meaning(budget: Budget, wanted_nano: int) -> list[str]:
    return weakening(budget, wanted_nano, protected_by(budget.pk))


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
        done = requested(
            request, form, lambda: request_refund(membership=membership, query=query, reason=reason)
        )
        if done is not None:
            return done
    context = {
        "query": query,
        "words": in_words(query.plan),
        "possible": refundable(membership.tenant).filter(pk=query.pk).exists(),
        "form": form,
    }
    return show_page(request, "limits/refund.html", context, refused=form.errors)
