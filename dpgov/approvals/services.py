"""Requesting, deciding and withdrawing; each writes exactly one audit entry.

Must never let one person do both: not by another role, not by another tab, not by a second
membership; the database checks it once more.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, Q

from dpgov.approvals.errors import (
    AlreadyDecided,
    AlreadyRequested,
    MayNotDecide,
    MayNotRequest,
    NotApproved,
    NotYourRequest,
    OwnRequest,
    ReasonMissing,
    RequesterGone,
    Stale,
)
from dpgov.approvals.kinds import CarryOut, kind_of
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.selectors import has_role_to_decide
from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.language.said import as_values
from dpgov.operation import clock
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import role_for
from dpgov.tenants.roles import having_since
from dpgov.tenants.selectors import actor_of

_LONGEST_REASON = 500
State = ChangeRequest.State


@dataclass(frozen=True, slots=True)
class Decision:
    """The request as decided, and what to show once; `request.state` may be STALE."""

    request: ChangeRequest
    shown_once: str = ""
    afterwards: Callable[[Callable[[str], str]], object] | None = None


@transaction.atomic
def request_change(
    *,
    membership: Membership,
    kind: str,
    subject: str,
    payload: dict[str, Any],
    reason: str,
    dataset: str = "",
) -> ChangeRequest:
    """Ask for a change; what is written here is what will be done, word for word.

    Raises MayNotRequest, ReasonMissing, and AlreadyRequested while the same waits.
    """
    current = _membership_now(membership, MayNotRequest)
    role = role_for(current, kind_of(kind).asked_with)
    if role is None:
        raise MayNotRequest
    request = ChangeRequest(
        tenant_id=current.tenant_id,
        kind=kind,
        subject=subject,
        dataset=dataset,
        payload=payload,
        reason=_reason(reason),
        requested_by=current.user,
        requested_role=role,
    )
    try:
        with transaction.atomic():
            request.save(force_insert=True)
    except IntegrityError as error:
        raise AlreadyRequested from error
    _record(request, current, Action.CHANGE_REQUESTED, reason=request.reason, payload=payload)
    return request


@transaction.atomic
def approve(*, request_id: UUID, decider: Membership, reason: str, carry_out: CarryOut) -> Decision:
    """Agree, and carry the change out in the same transaction: both, or neither.

    `carry_out` is given the approved request and checks everything again; when it raises Stale
    the request ends as STALE, with nothing carried out. Every other refusal of it is passed on
    and leaves the request waiting. It ends so, too, when whoever requested it was removed,
    suspended or given another role since. Raises AlreadyDecided, OwnRequest, MayNotDecide and
    ReasonMissing.
    """
    request, current = _open_for(request_id, decider)
    try:
        with transaction.atomic():
            _end(request, State.APPROVED, current, _reason(reason))
            _still_stands(request)
            effect = carry_out(request)
    except Stale as refusal:
        return _lapse(request, current, refusal)
    _record(
        request,
        current,
        Action.CHANGE_APPROVED,
        requested_by=request.requested_by.email,
        reason=request.reason,
        decision_reason=request.decision_reason,
        effect=dict(effect.detail),
    )
    return Decision(request, effect.shown_once, effect.afterwards)


def _still_stands(request: ChangeRequest) -> None:
    """Raises RequesterGone unless who asked is still who they were; kept so until the end."""
    rows = Membership.objects.filter(tenant_id=request.tenant_id, user_id=request.requested_by_id)
    same = rows.filter(
        having_since(request.requested_role, request.requested_at), user__is_active=True
    )
    if same.select_for_update(of=("self",)).first() is None:
        raise RequesterGone


def _lapse(request: ChangeRequest, decider: Membership, refusal: Stale) -> Decision:
    request.outcome = as_values(refusal.sentence)
    _end(request, State.STALE, decider, request.decision_reason)
    _record(request, decider, Action.CHANGE_LAPSED, outcome=request.outcome)
    return Decision(request)


@transaction.atomic
def reject(*, request_id: UUID, decider: Membership, reason: str) -> ChangeRequest:
    """Say no, with a reason. Raises as `approve`."""
    request, current = _open_for(request_id, decider)
    _end(request, State.REJECTED, current, _reason(reason))
    _record(
        request,
        current,
        Action.CHANGE_REJECTED,
        requested_by=request.requested_by.email,
        decision_reason=request.decision_reason,
    )
    return request


@transaction.atomic
def withdraw(*, request_id: UUID, membership: Membership) -> ChangeRequest:
    """Take one's own request back. Raises NotYourRequest and AlreadyDecided."""
    current = _membership_now(membership, NotYourRequest)
    request = _waiting(request_id, current)
    if request.requested_by_id != current.user_id:
        raise NotYourRequest
    _end(request, State.WITHDRAWN, current, "")
    _record(request, current, Action.CHANGE_WITHDRAWN)
    return request


def approved(request: ChangeRequest, kind: str) -> dict[str, Any]:
    """The payload of a request of this kind that a second person has approved.

    For whoever carries a change out: raises NotApproved for anything else.
    """
    agreed = ChangeRequest.objects.filter(pk=request.pk, kind=kind, state=State.APPROVED)
    stored = agreed.exclude(decided_by=F("requested_by")).first()
    if stored is None:
        raise NotApproved
    payload: dict[str, Any] = stored.payload
    return payload


def _open_for(request_id: UUID, decider: Membership) -> tuple[ChangeRequest, Membership]:
    """The request under its lock, and the decider with the role that they have at this moment."""
    _hold_people(request_id, decider)
    current = _membership_now(decider, MayNotDecide)
    request = _waiting(request_id, current)
    if request.is_of(current.user_id):
        raise OwnRequest
    if not has_role_to_decide(current, request):
        raise MayNotDecide
    return request, current


def _hold_people(request_id: UUID, decider: Membership) -> None:
    """Who asked, who decides and whose role it is about, in one order: they may meet again in
    another decision at the same moment, in other parts.
    """
    asked = ChangeRequest.objects.filter(pk=request_id, tenant_id=decider.tenant_id).first()
    meant = Q(pk=decider.pk)
    if asked is not None:
        users = {asked.requested_by_id, asked.payload.get("member")}
        meant |= Q(user__in=users - {None})
    people = Membership.objects.filter(meant, tenant_id=decider.tenant_id).order_by("pk")
    list(people.select_for_update(of=("self",)).values_list("pk"))


def _waiting(request_id: UUID, membership: Membership) -> ChangeRequest:
    requests = ChangeRequest.objects.filter(tenant_id=membership.tenant_id)
    request = requests.select_for_update(of=("self",)).get(pk=request_id)
    if not request.is_waiting:
        raise AlreadyDecided(request.get_state_display())
    return request


def _membership_now(membership: Membership, refusal: type[Exception]) -> Membership:
    """The membership as it is in the database now, kept so until the step is done."""
    current = Membership.objects.select_related("user").select_for_update(of=("self",))
    found = current.filter(pk=membership.pk, user__is_active=True).first()
    if found is None:
        raise refusal
    return found


def _reason(text: str) -> str:
    reason = text.strip()
    if not reason:
        raise ReasonMissing
    return reason[:_LONGEST_REASON]


def _end(request: ChangeRequest, state: State, membership: Membership, reason: str) -> None:
    request.state = state
    request.decided_by = membership.user
    request.decided_at = clock.database_now()
    request.decision_reason = reason
    request.save(update_fields=["state", "decided_by", "decided_at", "decision_reason", "outcome"])


def _record(request: ChangeRequest, actor: Membership, action: Action, **detail: Any) -> None:
    append(
        tenant_id=request.tenant_id,
        actor=actor_of(actor.user),
        action=action,
        subject=request.subject,
        dataset=request.dataset,
        detail={"request": str(request.pk), "kind": request.kind, **detail},
    )
