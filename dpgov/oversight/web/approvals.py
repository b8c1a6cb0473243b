"""Requests that take two persons: the list, one of them, and the second person's decision.

Each view calls one service; what is foreign looks like what is missing.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from dpgov.approvals import selectors, services
from dpgov.approvals.errors import AlreadyDecided, ApprovalRefusal
from dpgov.approvals.kinds import carry_out, kind_of, title_of
from dpgov.approvals.models import ChangeRequest
from dpgov.budgets.errors import LedgerRefusal
from dpgov.budgets.services.corrections import REFUND, refunded
from dpgov.language.translation import retold
from dpgov.limits.web.forms.reasons import DecisionForm
from dpgov.oversight.background import background_of
from dpgov.queries.answering.refunding import refundable
from dpgov.queries.models import Query
from dpgov.queries.wording.words import in_words
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, membership_of, requires
from dpgov.web.pages import show_page

_PAGE = 25
_MOST_UNREAD = 25


@requires(Permission.REQUEST_CHANGES)
@require_safe
def approvals(request: HttpRequest) -> HttpResponse:
    """Every request, those that wait first; and the questions that could be refunded."""
    found = selectors.requests_of(membership_of(request))
    page = Paginator(found, _PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": [(change, title_of(change)) for change in page.object_list],
        "unread": _unread(request),
    }
    return render(request, "oversight/approvals/approvals.html", context)


@requires(Permission.REQUEST_CHANGES)
@require_safe
def approval(request: HttpRequest, change_id: UUID) -> HttpResponse:
    """One request: what it would change, who said what, and what to do now."""
    return _page(request, _change(request, change_id))


@requires(Permission.REQUEST_CHANGES)
@require_POST
def approve(request: HttpRequest, change_id: UUID) -> HttpResponse:
    """Agree, and carry it out."""
    change, form = _change(request, change_id), DecisionForm(request.POST)
    if not form.is_valid():
        return _page(request, change, form)
    try:
        decision = services.approve(
            request_id=change.pk,
            decider=membership_of(request),
            reason=form.cleaned_data["reason"],
            carry_out=carry_out,
        )
    except (ApprovalRefusal, LedgerRefusal) as refusal:
        return _refused(request, change_id, form, refusal)
    if decision.afterwards and not decision.afterwards(request.build_absolute_uri):
        text = _("The e-mail could not be sent. An administrator can send it again.")
        messages.warning(request, text)
    if decision.shown_once:
        return _page(request, decision.request, shown_once=decision.shown_once)
    if decision.request.state == ChangeRequest.State.STALE:
        outcome = retold(decision.request.outcome)
        messages.warning(request, _("Not carried out. {outcome}").format(outcome=outcome))
    else:
        messages.success(request, _("Approved and carried out."))
    return redirect("oversight:approval", change_id)


@requires(Permission.REQUEST_CHANGES)
@require_POST
def reject(request: HttpRequest, change_id: UUID) -> HttpResponse:
    """Say no."""
    change, form = _change(request, change_id), DecisionForm(request.POST)
    if not form.is_valid():
        return _page(request, change, form)
    reason = form.cleaned_data["reason"]
    try:
        services.reject(request_id=change.pk, decider=membership_of(request), reason=reason)
    except ApprovalRefusal as refusal:
        return _refused(request, change_id, form, refusal)
    messages.success(request, _("Rejected. Nothing was changed."))
    return redirect("oversight:approval", change_id)


@requires(Permission.REQUEST_CHANGES)
@require_POST
def withdraw(request: HttpRequest, change_id: UUID) -> HttpResponse:
    """Take one's own request back."""
    change = _change(request, change_id)
    try:
        services.withdraw(request_id=change.pk, membership=membership_of(request))
    except ApprovalRefusal as refusal:
        return _refused(request, change_id, DecisionForm(), refusal)
    messages.success(request, _("Withdrawn. Nothing was changed."))
    return redirect("oversight:approval", change_id)


def _change(request: HttpRequest, change_id: UUID) -> ChangeRequest:
    try:
        return selectors.get_request(membership_of(request), change_id)
    except ChangeRequest.DoesNotExist as missing:
        raise Http404 from missing


def _refused(
    request: HttpRequest, change_id: UUID, form: DecisionForm, refusal: Exception
) -> HttpResponse:
    """The page as things are now, with what was typed and why it was not done."""
    if isinstance(refusal, AlreadyDecided):
        form = DecisionForm()
    return _page(request, _change(request, change_id), form, problem=str(refusal))


def _page(
    request: HttpRequest, change: ChangeRequest, form: DecisionForm | None = None, **more: Any
) -> HttpResponse:
    membership = membership_of(request)
    context = {
        "change": change,
        "title": title_of(change),
        "words": kind_of(change.kind).describe(change),
        "form": form or DecisionForm(),
        "may_decide": selectors.may_decide(membership, change),
        "around": background_of(change),
        "is_own": change.requested_by_id == membership.user_id,
        "outcome": retold(change.outcome),
        "deciders": _any_of(selectors.deciders(change)) if change.is_waiting else "",
        **more,
    }
    return show_page(
        request,
        "oversight/approvals/approval.html",
        context,
        refused=(form and form.errors) or more.get("problem"),
    )


def _unread(request: HttpRequest) -> list[tuple[Query, str]]:
    """Questions charged although their data was never opened, for which nobody asked a refund."""
    tenant = membership_of(request).tenant
    latest = list(refundable(tenant)[: 4 * _MOST_UNREAD])
    done = refunded(query.pk for query in latest)
    asked = selectors.subjects_waiting(tenant.pk, REFUND)
    left = [q for q in latest if q.pk not in done and f"query:{q.pk}" not in asked]
    return [(query, in_words(query.plan)) for query in left[:_MOST_UNREAD]]


def _any_of(people: Sequence[Membership]) -> str:
    """ "a@x (Data owner), b@x (Compliance officer) or c@x (Compliance officer)"."""
    named = [f"{person.user} ({person.get_role_display()})" for person in people]
    if len(named) < 2:
        return "".join(named)
    return _("{some} or {last}").format(some=", ".join(named[:-1]), last=named[-1])
