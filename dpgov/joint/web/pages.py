"""Pages of joint questions: the list, a proposal, another organisation's code, and one of them."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from dpgov.approvals.errors import ApprovalRefusal
from dpgov.approvals.selectors import waiting_about
from dpgov.budgets.errors import BudgetFrozen
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.joint.errors import JointRefusal, NotTakingPart
from dpgov.joint.installed import JOIN_JOINT
from dpgov.joint.models import JointQuestion
from dpgov.joint.selectors import (
    candidates_of,
    datasets_for,
    datasets_that_count_rho,
    get_joint_question,
    joint_questions_of,
    party_of,
)
from dpgov.joint.services import leave, look_at, propose, request_to_join
from dpgov.joint.services.prepared import Proposal
from dpgov.joint.web.forms import JointCodeForm, ProposalForm, TakePartForm
from dpgov.joint.wording import GATHERING, KEYS, PROPOSED, asked_words, price_for, view_of
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.wording.words import in_words
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page

REFUSALS = (JointRefusal, ApprovalRefusal, InvalidPlan)


@requires(Permission.REQUEST_CHANGES)
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Every joint question that this organisation proposed or takes part in."""
    membership = membership_of(request)
    rows = [
        (question, view_of(question, party_of(membership, question)), in_words(question.plan))
        for question in joint_questions_of(membership)
    ]
    return render(request, "joint/list.html", {"rows": rows})


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Propose one, as it would be asked of one's own dataset."""
    membership = membership_of(request)
    datasets = datasets_that_count_rho(membership)
    slug = request.POST.get("dataset", request.GET.get("dataset", ""))
    dataset = datasets.filter(slug=slug).first()
    if dataset is None:
        return render(request, "joint/choose.html", {"datasets": datasets})
    posted = request.POST if request.method == "POST" else None
    form = ProposalForm(posted, schema=schema_of(current_version(dataset)))
    if form.is_bound and form.is_valid():
        typed = form.cleaned_data
        try:
            made = propose(
                membership=membership,
                dataset=dataset,
                title=typed["title"],
                raw_plan=form.plan(),
                parties=typed["parties"],
                colluders=typed["colluders"],
            )
        except REFUSALS as refusal:
            form.refuse(refusal)
        else:
            return _page(request, made.question, code=made.code)
    context = {"form": form, "dataset": dataset}
    return show_page(request, "joint/new.html", context, refused=form.errors)


@requires(Permission.REGISTER_DATASETS)
@require_http_methods(["GET", "HEAD", "POST"])
def code(request: HttpRequest) -> HttpResponse:
    """Enter a code; see what it offers; ask an officer to take part with a dataset."""
    form = JointCodeForm(request.POST if request.method == "POST" else None)
    if not form.is_bound or not form.is_valid():
        return _code_page(request, form)
    membership, typed = membership_of(request), form.cleaned_data["code"]
    try:
        offer = look_at(membership=membership, code=typed)
        fits = candidates_of(membership, Proposal.of(offer))
        datasets = [one.dataset for one in fits if one.fits]
        joining = TakePartForm(
            request.POST if "reason" in request.POST else None,
            datasets=datasets,
            initial={"code": typed},
        )
    except REFUSALS as refusal:
        form.add_error("code", _why(refusal))
        return _code_page(request, form)
    if joining.is_bound and joining.is_valid():
        try:
            change = request_to_join(
                membership=membership,
                dataset=joining.chosen(),
                reason=joining.cleaned_data["reason"],
                code=typed,
            )
        except REFUSALS as refusal:
            joining.add_error(None, _why(refusal))
        else:
            messages.success(request, _("Requested. An officer has to approve it."))
            return redirect("oversight:approval", change.pk)
    more = {"offer": offer, "joining": joining, "words": asked_words(offer.plan)}
    return _code_page(request, form, **more, datasets=datasets, fits=fits)


@requires(Permission.REQUEST_CHANGES)
@require_safe
def detail(request: HttpRequest, joint_id: UUID) -> HttpResponse:
    """One of them: how it stands, who takes part, what it costs."""
    return _page(request, _question(request, joint_id))


@requires(Permission.REGISTER_DATASETS)
@require_POST
def join(request: HttpRequest, joint_id: UUID) -> HttpResponse:
    """Ask an officer to take part in one's own proposal."""
    membership, question = membership_of(request), _question(request, joint_id)
    form = TakePartForm(request.POST, datasets=datasets_for(membership, Proposal.of(question)))
    if not form.is_valid():
        return _page(request, question, form=form)
    try:
        change = request_to_join(
            membership=membership,
            dataset=form.chosen(),
            reason=form.cleaned_data["reason"],
            question=question,
        )
    except REFUSALS as refusal:
        form.add_error(None, _why(refusal))
        return _page(request, question, form=form)
    messages.success(request, _("Requested. An officer has to approve it."))
    return redirect("oversight:approval", change.pk)


@requires(Permission.REGISTER_DATASETS)
@require_POST
def leave_it(request: HttpRequest, joint_id: UUID) -> HttpResponse:
    """Take part no more, before it is opened."""
    membership, question = membership_of(request), _question(request, joint_id)
    party = party_of(membership, question)
    try:
        if party is None:
            raise NotTakingPart
        leave(membership=membership, party=party)
    except (JointRefusal, BudgetFrozen) as refusal:
        return _page(request, question, refusal=str(refusal))
    messages.success(request, _("Your organisation no longer takes part. Nothing was charged."))
    return redirect("joint:detail", question.pk)


def _question(request: HttpRequest, joint_id: UUID) -> JointQuestion:
    try:
        return get_joint_question(membership_of(request), joint_id)
    except JointQuestion.DoesNotExist as missing:
        raise Http404 from missing


def _page(
    request: HttpRequest,
    question: JointQuestion,
    *,
    code: str = "",
    form: TakePartForm | None = None,
    refusal: str = "",
) -> HttpResponse:
    membership = membership_of(request)
    party = party_of(membership, question)
    view = view_of(question, party)
    datasets: list[Dataset] = (
        datasets_for(membership, Proposal.of(question)) if party is None else []
    )
    context: dict[str, Any] = {
        "question": question,
        "party": party,
        "view": view,
        "code": code,
        "refusal": refusal,
        "words": asked_words(question.plan),
        "price": price_for(party, question, datasets),
        "waiting": waiting_about(membership.tenant_id, JOIN_JOINT, f"joint:{question.pk}"),
        "datasets": datasets,
        "form": form or TakePartForm(datasets=datasets),
        "may_join": view.state == PROPOSED,
        "may_leave": view.state in (GATHERING, KEYS),
    }
    refused = refusal or (form is not None and form.errors)
    return show_page(request, "joint/detail.html", context, refused=refused)


def _code_page(request: HttpRequest, form: JointCodeForm, **more: Any) -> HttpResponse:
    joining = more.get("joining")
    refused = form.errors or (joining is not None and joining.errors)
    return show_page(request, "joint/code.html", {"form": form, **more}, refused=refused)


def _why(refusal: Exception) -> str:
    if isinstance(refusal, InvalidPlan):
        return " ".join(problem.message for problem in refusal.problems)
    return str(refusal)
