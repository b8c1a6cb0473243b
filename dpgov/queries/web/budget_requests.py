"""Asking for budget, and answering who asked. Shows amounts that people typed, never data."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dpgov.approvals.errors import ApprovalRefusal, RequesterGone
from dpgov.budgets.errors import LimitBelowCommitted, NotAdmitted, NotRaised, SharedLimit
from dpgov.budgets.services import AllocationNotMore, NotAHolder, OwnAllocation
from dpgov.datasets.rules import present_of
from dpgov.datasets.selectors import dataset_or_404
from dpgov.datasets.services import PermitNotMore, PermitOver
from dpgov.queries.models import BudgetRequest
from dpgov.queries.selectors import budget_requests_of, get_budget_request, permitted_until
from dpgov.queries.web.forms.approvals import asked_for
from dpgov.queries.web.forms.requests import GRANT, PASS_ON, AnswerForm, AskForBudgetForm
from dpgov.queries.workbench import approvals
from dpgov.queries.workbench import budget_requests as service
from dpgov.queries.workbench.no_more import NotMore
from dpgov.tenants.permissions import Permission, may, membership_of, requires
from dpgov.web.pages import show_page
from dpgov.web.typed import as_typed

_PAGE = 25
_REFUSALS = (
    AllocationNotMore,
    LimitBelowCommitted,
    NotAHolder,
    NotRaised,
    OwnAllocation,
    SharedLimit,
    ApprovalRefusal,
    NotAdmitted,
    service.AlreadyAnswered,
    service.MayNot,
    service.YourOwn,
)


@requires(Permission.SUBMIT_QUERIES)
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask the owners of a dataset for an allocation or a higher limit."""
    dataset, membership = dataset_or_404(request, slug), membership_of(request)
    sent = request.POST if request.method == "POST" else None
    form = AskForBudgetForm(sent, initial=_wanted(request), currency=dataset.budget.currency)
    if form.is_valid():
        try:
            budget_request = service.ask_for_budget(
                membership=membership,
                dataset=dataset,
                about=form.cleaned_data["about"],
                epsilon_nano=form.cleaned_data["epsilon_limit"],
                reason=form.cleaned_data["reason"],
            )
        except service.AlreadyAsked as refusal:
            form.add_error("about", str(refusal))
        except NotMore as refusal:
            form.add_error("epsilon_limit", str(refusal))
        else:
            messages.success(request, _("Your request is sent. You see here what becomes of it."))
            return redirect("queries:budget_request", budget_request.pk)
    present = present_of(membership.user, dataset)
    context = {"dataset": dataset, "form": form, "present": present}
    return show_page(request, "queries/budget_ask.html", context, refused=form.errors)


@requires(Permission.VIEW_DATASETS)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The requests that this person may see, those that wait first."""
    found = budget_requests_of(membership_of(request))
    page = Paginator(found, _PAGE).get_page(request.GET.get("page"))
    return render(request, "queries/budget_requests.html", {"page": page})


@requires(Permission.VIEW_DATASETS)
@require_safe
def detail(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """One request; for an owner with the form to answer it."""
    budget_request = _budget_request(request, request_id)
    return _page(request, budget_request, AnswerForm(budget_request=budget_request))


@requires(Permission.REGISTER_DATASETS)
@require_POST
def answer(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """Grant it, pass it on, or decline it."""
    budget_request = _budget_request(request, request_id)
    form = AnswerForm(request.POST, budget_request=budget_request)
    if form.is_valid() and _answered(request, budget_request, form):
        budget_request.refresh_from_db()
        if budget_request.state == BudgetRequest.State.STALE:
            messages.warning(request, _out_of_date(budget_request))
        else:
            messages.success(request, _("The analyst sees your answer."))
        return redirect("queries:budget_request", budget_request.pk)
    return _page(request, budget_request, form)


@requires(Permission.SUBMIT_QUERIES)
@require_POST
def withdraw(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """Take one's own request back."""
    budget_request = _budget_request(request, request_id)
    try:
        service.withdraw_request(membership=membership_of(request), request_id=budget_request.pk)
    except BudgetRequest.DoesNotExist as not_theirs:
        # An owner who asks sees those of others, too.
        raise Http404 from not_theirs
    except service.AlreadyAnswered as refusal:
        messages.warning(request, str(refusal))
    return redirect("queries:budget_request", budget_request.pk)


def _wanted(request: HttpRequest) -> dict[str, str]:
    """What a link from a refusal proposes; the form checks it like anything typed."""
    return {
        "about": request.GET.get("about", ""),
        "epsilon_limit": as_typed(request.GET.get("epsilon", "")[:60]),
    }


def _answered(request: HttpRequest, budget_request: BudgetRequest, form: AnswerForm) -> bool:
    """Do what was decided, or put the refusal at its field."""
    typed, decision = form.cleaned_data, form.cleaned_data["decision"]
    known: dict[str, Any] = {"membership": membership_of(request), "request_id": budget_request.pk}
    try:
        if decision == GRANT and budget_request.is_approval:
            approvals.approve_question(**known, answer=typed["answer"])
        elif decision == GRANT and budget_request.is_of_one_question:
            service.grant_permit(
                **known,
                epsilon_nano=typed["epsilon_limit"],
                last_day=typed["last_day"],
                answer=typed["answer"],
            )
        elif decision == GRANT:
            service.grant_request(
                **known, limit_nano=typed["epsilon_limit"], answer=typed["answer"]
            )
        elif decision == PASS_ON and budget_request.is_approval:
            raise service.MayNot
        elif decision == PASS_ON:
            service.pass_on(**known, limit_nano=typed["epsilon_limit"], answer=typed["answer"])
        else:
            service.decline_request(**known, answer=typed["answer"])
    except PermitOver as refusal:
        form.add_error("last_day", str(refusal))
    except PermitNotMore as refusal:
        form.add_error("last_day" if refusal.by_day else "epsilon_limit", str(refusal))
    except _REFUSALS as refusal:
        form.add_error("answer" if budget_request.is_approval else "epsilon_limit", str(refusal))
    return not form.errors


def _out_of_date(budget_request: BudgetRequest) -> str:
    if budget_request.is_approval:
        return _("Not approved: who asked, the data or the price had changed meanwhile.")
    return str(RequesterGone())


def _budget_request(request: HttpRequest, request_id: UUID) -> BudgetRequest:
    try:
        return get_budget_request(membership_of(request), request_id)
    except BudgetRequest.DoesNotExist as missing:
        raise Http404 from missing


def _page(request: HttpRequest, budget_request: BudgetRequest, form: AnswerForm) -> HttpResponse:
    membership = membership_of(request)
    is_own = budget_request.asked_by_id == membership.user_id
    answers = may(membership, Permission.REGISTER_DATASETS) and not is_own
    context: dict[str, Any] = {
        "budget_request": budget_request,
        "form": form,
        "may_answer": budget_request.is_waiting and answers,
        "is_own": is_own,
        "permitted_until": permitted_until(budget_request),
    }
    if budget_request.is_approval:
        context |= asked_for(budget_request, membership)
    elif budget_request.is_waiting:
        context["present"] = present_of(budget_request.asked_by, budget_request.dataset)
    return show_page(request, "queries/budget_request.html", context, refused=form.errors)
