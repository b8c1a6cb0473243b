"""Reads about requests: who sees them, who may decide them, how many wait."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Case, QuerySet, TextField, Value, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from dpgov.approvals.kinds import Second, kind_of, kinds_decided_by, seen_by
from dpgov.approvals.models import ASKED_BY, ChangeRequest
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.permissions import Permission, may
from dpgov.tenants.roles import having


def requests_of(membership: Membership) -> QuerySet[ChangeRequest]:
    """The tenant's requests that are for this member to see (`kinds.ChangeKind.seen`), those that
    wait first, then the newest; none without permission.
    """
    requests = ChangeRequest.objects.filter(tenant_id=membership.tenant_id)
    if may(membership, Permission.REQUEST_CHANGES):
        requests = requests.filter(seen_by(membership))
    else:
        requests = requests.none()
    waiting_first = Case(When(state=ChangeRequest.State.WAITING, then=Value(0)), default=Value(1))
    return requests.select_related("requested_by", "decided_by").order_by(
        waiting_first, "-requested_at", "-id"
    )


def get_request(membership: Membership, request_id: UUID) -> ChangeRequest:
    """One of the above; ChangeRequest.DoesNotExist for a foreign and a missing one alike."""
    return requests_of(membership).get(pk=request_id)


def in_requests(membership: Membership) -> tuple[str, str]:
    """How requests spell this person: who asked, and whom one is about."""
    return str(membership.user_id), _about(membership)


def decidable_by(membership: Membership, asked_by: str, subject: str) -> QuerySet[ChangeRequest]:
    """The requests that this person, whom `in_requests` spells like that, could decide now."""
    if not may(membership, Permission.REQUEST_CHANGES):
        return ChangeRequest.objects.none()
    waiting = ChangeRequest.objects.filter(
        tenant_id=membership.tenant_id, state=ChangeRequest.State.WAITING
    ).exclude(requested_by_id=membership.user_id)
    asker = Cast(KT(f"payload__{ASKED_BY}"), TextField())
    own = waiting.alias(asker=asker).filter(asker=asked_by)
    # A request without this key is on nobody else's behalf, and SQL would drop it.
    waiting = waiting.exclude(subject=subject).exclude(pk__in=own)
    if not may(membership, Permission.DECIDE_CHANGES):
        owners_too = kinds_decided_by(Second.OFFICER_OR_OWNER)
        waiting = waiting.filter(kind__in=owners_too, requested_role=Role.OFFICER)
    return waiting


def waiting_about(tenant_id: UUID, kind: str, subject: str) -> ChangeRequest | None:
    """The request of this kind about this thing that waits, if there is one."""
    return ChangeRequest.objects.filter(
        tenant_id=tenant_id, kind=kind, subject=subject, state=ChangeRequest.State.WAITING
    ).first()


def all_waiting_about(
    tenant_id: UUID, kinds: Collection[str], subject: str
) -> QuerySet[ChangeRequest]:
    """The requests of these kinds about this thing that wait."""
    return ChangeRequest.objects.filter(
        tenant_id=tenant_id, kind__in=kinds, subject=subject, state=ChangeRequest.State.WAITING
    ).order_by("requested_at")


def subjects_waiting(tenant_id: UUID, kind: str) -> set[str]:
    """What the waiting requests of this kind are about."""
    waiting = ChangeRequest.objects.filter(
        tenant_id=tenant_id, kind=kind, state=ChangeRequest.State.WAITING
    )
    return set(waiting.values_list("subject", flat=True))


def has_role_to_decide(membership: Membership, request: ChangeRequest) -> bool:
    """Whoever is second for this kind (`kinds.Second`); nobody decides about themselves."""
    if request.subject == _about(membership):
        return False
    if may(membership, Permission.DECIDE_CHANGES):
        return True
    return (
        membership.has(Role.OWNER)
        and kind_of(request.kind).second is Second.OFFICER_OR_OWNER
        and request.requested_role == Role.OFFICER
    )


def may_decide(membership: Membership, request: ChangeRequest) -> bool:
    """Whether this person, in this role, could decide the request now."""
    return (
        request.is_waiting
        and not request.is_of(membership.user_id)
        and has_role_to_decide(membership, request)
    )


def deciders(request: ChangeRequest) -> list[Membership]:
    """Everybody who could decide this request now."""
    people = Membership.objects.filter(tenant_id=request.tenant_id, user__is_active=True)
    people = people.filter(having(Role.OWNER, Role.OFFICER)).select_related("user")
    return [person for person in people.order_by("user__email") if may_decide(person, request)]


def _about(membership: Membership) -> str:
    """The subject of a request that is about this person."""
    return f"member:{membership.user_id}"
