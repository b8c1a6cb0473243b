"""Asking an owner to approve one question, and asking it with one press once it is approved."""

import json
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dpgov.budgets.errors import NotAdmitted
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import dataset_or_404
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.asking.once import IdempotencyConflict
from dpgov.queries.asking.policy import QueryLimitExceeded
from dpgov.queries.asking.quote import Quote, quote
from dpgov.queries.asking.submit import submit_approved
from dpgov.queries.models import BudgetRequest
from dpgov.queries.selectors import get_budget_request
from dpgov.queries.web.forms.approvals import ask_form
from dpgov.queries.web.forms.page import priced_form, refused_form
from dpgov.queries.web.forms.requests import AskForApprovalForm
from dpgov.queries.web.forms.sending import REFUSALS
from dpgov.queries.wording.words import in_words
from dpgov.queries.workbench.approvals import NotNeeded, TooManyWaiting, ask_for_approval
from dpgov.queries.workbench.budget_requests import AlreadyAsked
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def new(request: HttpRequest, slug: str) -> HttpResponse:
    """The question of the ask form with its price; then what it is for, which sends the request."""
    dataset = dataset_or_404(request, slug)
    if "plan" in request.POST:
        return _send(request, dataset)
    form, offer = priced_form(request, dataset)
    if offer.quote is None or not offer.quote.lacks_permit:
        notice = "" if offer.quote is None or offer.quote.refusal else str(NotNeeded())
        return refused_form(request, dataset, form, offer, notice)
    return _page(request, dataset, offer.quote, AskForApprovalForm())


def _send(request: HttpRequest, dataset: Dataset) -> HttpResponse:
    membership, form = membership_of(request), AskForApprovalForm(request.POST)
    try:
        raw = json.loads(request.POST["plan"])
        priced = quote(user=membership.user, dataset=dataset, raw_plan=raw)
        if not form.is_valid():
            return _page(request, dataset, priced, form)
        sent = ask_for_approval(
            membership=membership,
            dataset=dataset,
            raw_plan=raw,
            purpose=form.cleaned_data["purpose"],
        )
    except (ValueError, RecursionError) as problem:
        if isinstance(problem, AlreadyAsked | TooManyWaiting | NotNeeded):
            form.add_error(None, str(problem))
            return _page(request, dataset, priced, form)
        messages.error(request, _("This question cannot be read any more. Begin again."))
        return redirect("queries:ask", dataset.slug)
    except (NotAdmitted, QueryLimitExceeded) as refusal:
        form.add_error(None, str(refusal))
        return _page(request, dataset, priced, form)
    messages.success(request, _("Your request is sent. You see here what becomes of it."))
    return redirect("queries:budget_request", sent.pk)


def _page(
    request: HttpRequest, dataset: Dataset, priced: Quote, form: AskForApprovalForm
) -> HttpResponse:
    plan: dict[str, Any] = priced.plan.as_json()
    context = {
        "dataset": dataset,
        "form": form,
        "quote": priced,
        "plan": json.dumps(plan),
        "words": in_words(plan),
    }
    return show_page(request, "queries/approvals/new.html", context, refused=form.errors)


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def ask_now(request: HttpRequest, approval_id: UUID) -> HttpResponse:
    """Ask what was approved, just as it was; pressed twice it is one question."""
    membership = membership_of(request)
    try:
        sent = get_budget_request(membership, approval_id)
    except BudgetRequest.DoesNotExist as missing:
        raise Http404 from missing
    if not sent.is_approval or sent.asked_by_id != membership.user_id:
        raise Http404
    form = ask_form(sent, request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose what the question is charged to."))
        return redirect("queries:budget_request", sent.pk)
    try:
        asked = submit_approved(
            membership=membership,
            dataset=sent.dataset,
            approval_id=sent.pk,
            raw_plan=sent.plan,
            # A key of ours has a space, which no key of a program may have.
            idempotency_key=f"approval {sent.pk}",
            allocation_id=form.allocation_id,
        )
    except InvalidPlan:
        messages.error(request, _("The dataset has changed: this cannot be asked any more."))
    except IdempotencyConflict:
        messages.error(request, _("This question was asked already, charged to something else."))
    except REFUSALS as refusal:
        messages.error(request, str(refusal))
    else:
        return redirect("queries:detail", query_id=asked.query.pk)
    return redirect("queries:budget_request", sent.pk)
