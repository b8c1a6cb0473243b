"""Giving people roles: what an administrator does alone, and what an officer has to agree to.

Owners say what is protected and how far, officers decide as the second person: who could make
either of them alone would be both persons of every decision. Must never hand a link to whoever
invites or agrees; it leaves by letter, to the address.
"""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from dpgov.approvals.errors import Stale
from dpgov.approvals.kinds import Effect
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.selectors import waiting_about
from dpgov.approvals.services import approved, request_change, withdraw
from dpgov.language.said import said
from dpgov.tenants import invitations, services
from dpgov.tenants.letters import send_invitation
from dpgov.tenants.models import Invitation, Membership, Tenant
from dpgov.tenants.role_names import TAKES_TWO_PERSONS
from dpgov.tenants.roles import takes_two_persons
from dpgov.tenants.selectors import actor_of

GIVE_ROLE = "give_role"


@dataclass(frozen=True, slots=True)
class Begun:
    """An invitation, and the token for its letter; "" while an officer has to agree."""

    invitation: Invitation
    token: str = ""


@transaction.atomic
def invite(*, membership: Membership, email: str, role: str, reason: str) -> Begun:
    """Invite somebody; as owner or officer once an officer agrees.

    Raises AlreadyMember, TooManyInvitations, MayNotRequest and, for those two roles, ReasonMissing.
    """
    if role not in TAKES_TWO_PERSONS:
        return Begun(*invitations.invite(membership=membership, email=email, role=role))
    invitation = invitations.propose(membership=membership, email=email, role=role)
    request_change(
        membership=membership,
        kind=GIVE_ROLE,
        subject=f"invitation:{invitation.pk}",
        payload={"invitation": str(invitation.pk), "email": invitation.email, "role": role},
        reason=reason,
    )
    return Begun(invitation)


@transaction.atomic
def change_role(
    *, membership: Membership, by: Membership, role: str, reason: str
) -> ChangeRequest | None:
    """Make a member something else, as a code: at once, or by the request that is returned.

    Raises what `tenants.services.change_role` and `request_change` raise, and RoleChanged when
    they are not any more what they were when this was asked.
    """
    if not takes_two_persons(role, membership.roles_code):
        try:
            services.change_role(membership=membership, role=role, actor=actor_of(by.user))
        except services.RoleTakesTwoPersons as moved:
            raise services.RoleChanged from moved
        return None
    return request_change(
        membership=by,
        kind=GIVE_ROLE,
        subject=f"member:{membership.user_id}",
        payload={
            "member": str(membership.user_id),
            "email": membership.user.email,
            "before": membership.roles_code,
            "role": role,
        },
        reason=reason,
    )


@transaction.atomic
def take_back(*, invitation: Invitation, membership: Membership) -> None:
    """End an invitation; one's own request for consent ends with it, and is the entry then.

    Raises InvitationRefused when it has been used or taken back already.
    """
    subject = f"invitation:{invitation.pk}"
    asked = waiting_about(membership.tenant_id, GIVE_ROLE, subject)
    if asked is None or asked.requested_by_id != membership.user_id:
        invitations.revoke(invitation=invitation, actor=actor_of(membership.user))
        return
    invitations.end(invitation)
    withdraw(request_id=asked.pk, membership=membership)


def give_as_agreed(request: ChangeRequest) -> Effect:
    """Carry out what an officer agreed to; an invitation's letter leaves afterwards.

    Raises Stale when the invitation was taken back or the member's role has changed.
    """
    payload = approved(request, GIVE_ROLE)
    try:
        if "invitation" in payload:
            return _let_out(request, UUID(payload["invitation"]))
        return _move(request, UUID(payload["member"]), payload["before"], payload["role"])
    except (
        invitations.InvitationRefused,
        services.AlreadyMember,
        services.RoleChanged,
        services.RoleUnchanged,
        services.LastAdministrator,
    ) as changed:
        raise Stale(
            said("The invitation was taken back, or the person’s role has changed meanwhile.")
        ) from changed


def _let_out(request: ChangeRequest, invitation_id: UUID) -> Effect:
    invitation, token = invitations.let_out(
        invitation_id=invitation_id, tenant_id=request.tenant_id, consent=str(request.pk)
    )

    def send(of_request: Callable[[str], str]) -> bool:
        return send_invitation(invitation, token, of_request)

    detail = {
        "invitation": str(invitation_id),
        "email": invitation.email,
        "role": invitation.role,
    }
    return Effect(detail, afterwards=send)


def _move(request: ChangeRequest, user_id: UUID, before: str, after: str) -> Effect:
    moved = services.give_role(
        tenant=Tenant.objects.get(pk=request.tenant_id),
        user_id=user_id,
        before=before,
        after=after,
        asked_at=request.requested_at,
    )
    return Effect({"email": moved.user.email, "before": before, "role": after})
