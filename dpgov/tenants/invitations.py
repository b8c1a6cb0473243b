"""Invitations to a tenant: made, sent again, taken back. Each step makes one audit entry.

The token goes to the invited address alone, and only its hash is kept. Must never look whether the
address has an account: inviting does the same work, and says the same, for everybody.
"""

import hashlib
import secrets
from datetime import timedelta
from uuid import UUID

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR, Actor
from dpgov.audit.services import append
from dpgov.operation import clock
from dpgov.tenants.accounts import normal_email
from dpgov.tenants.models import (
    Invitation,
    Membership,
    Role,
    Tenant,
    User,
)
from dpgov.tenants.role_names import TAKES_TWO_PERSONS
from dpgov.tenants.roles import having_since
from dpgov.tenants.selectors import actor_of, hold_turn
from dpgov.tenants.services import AlreadyMember, RoleTakesTwoPersons

VALID_FOR = timedelta(days=7)
MOST_AN_HOUR = 20
MOST_LETTERS = 5
BY_OPERATOR = "operator"


class InvitationRefused(ValueError):
    """The invitation cannot be used: unknown, used, taken back or too old; nobody is told which."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "This invitation cannot be used any more. Ask the person who invited you for a new "
                "one."
            )
        )


class InviterGone(InvitationRefused):
    """Who invited them could not do so any more, so that no link of it works."""

    def __init__(self) -> None:
        ValueError.__init__(
            self,
            _(
                "Whoever invited them may not invite anybody any more, so that a link would not "
                "work. Take this invitation back and invite them anew."
            ),
        )


class TooManyInvitations(ValueError):
    """The tenant has invited as many people as it may in an hour."""

    def __init__(self) -> None:
        text = _("{number} people were invited within an hour. Invite more in an hour.")
        super().__init__(text.format(number=MOST_AN_HOUR))


class TooManyLetters(ValueError):
    """The invitation was sent as often as it may be."""

    def __init__(self) -> None:
        text = _("This invitation was sent {number} times. Take it back and invite them anew.")
        super().__init__(text.format(number=MOST_LETTERS))


def open_invitations(tenant: Tenant) -> QuerySet[Invitation]:
    """Those that wait, newest first, also when they are too old."""
    waiting = Invitation.objects.filter(
        tenant=tenant, ended_at__isnull=True, accepted_at__isnull=True
    )
    return waiting.select_related("invited_by").order_by("-created_at")


@transaction.atomic
def invite(*, membership: Membership, email: str, role: str) -> tuple[Invitation, str]:
    """An invitation to a role that one person may give, and its token for the letter.

    An earlier one of the address ends with it. Raises AlreadyMember, TooManyInvitations and
    RoleTakesTwoPersons.
    """
    if role in TAKES_TWO_PERSONS:
        raise RoleTakesTwoPersons(role)
    invitation = propose(membership=membership, email=email, role=role)
    token = _issue(invitation)
    record(invitation, actor_of(membership.user), Action.INVITATION_SENT)
    return invitation, token


@transaction.atomic
def invite_as_operator(*, tenant: Tenant, email: str, role: str) -> tuple[Invitation, str]:
    """An invitation by whoever runs the installation, to any role. Raises AlreadyMember."""
    invitation = _make(tenant, email, role, consent=BY_OPERATOR)
    token = _issue(invitation)
    record(invitation, OPERATOR, Action.INVITATION_SENT)
    return invitation, token


def propose(*, membership: Membership, email: str, role: str) -> Invitation:
    """An invitation that nobody can use until `let_out`; whoever proposes it keeps the log.

    Raises AlreadyMember and TooManyInvitations.
    """
    tenant = membership.tenant
    # People before the organisation, as everywhere; whether they may is asked with the request.
    Membership.objects.select_for_update(of=("self",)).filter(pk=membership.pk).first()
    hold_turn(tenant.pk)
    lately = clock.now() - timedelta(hours=1)
    made = Invitation.objects.filter(tenant=tenant, created_at__gt=lately)
    if made.exclude(invited_by=None).count() >= MOST_AN_HOUR:
        raise TooManyInvitations
    return _make(tenant, email, role, invited_by=membership.user)


def let_out(*, invitation_id: UUID, tenant_id: UUID, consent: str) -> tuple[Invitation, str]:
    """The token of an invitation that a second person agreed to; whoever agreed keeps the log.

    Raises InvitationRefused when it was taken back, and AlreadyMember.
    """
    rows = Invitation.objects.filter(tenant_id=tenant_id, pk=invitation_id, ended_at__isnull=True)
    invitation = rows.select_for_update(of=("self",)).select_related("tenant").first()
    if invitation is None:
        raise InvitationRefused
    refuse_members(invitation.tenant, invitation.email)
    invitation.consent = consent
    return invitation, _issue(invitation)


@transaction.atomic
def issue_again(
    *, invitation: Invitation, actor: Actor, action: Action = Action.INVITATION_SENT
) -> str:
    """Another token for one that waits; the one before works no more.

    Raises InvitationRefused when it was used, taken back, or nobody agreed to it; InviterGone;
    TooManyLetters.
    """
    rows = open_invitations(invitation.tenant).select_for_update(of=("self",))
    current = rows.filter(pk=invitation.pk).first()
    if current is None or not current.is_agreed:
        raise InvitationRefused
    if not stands_behind(current):
        raise InviterGone
    if current.letters >= MOST_LETTERS and actor != OPERATOR:
        raise TooManyLetters
    token = _issue(current)
    record(current, actor, action)
    return token


@transaction.atomic
def revoke(*, invitation: Invitation, actor: Actor) -> None:
    """Take it back. Raises InvitationRefused when it has been used or taken back already."""
    end(invitation)
    record(invitation, actor, Action.INVITATION_REVOKED)


def end(invitation: Invitation) -> None:
    """Make it useless, for whoever keeps the log. Raises InvitationRefused as `revoke`."""
    found = Invitation.objects.filter(
        pk=invitation.pk, ended_at__isnull=True, accepted_at__isnull=True
    )
    if not found.update(ended_at=clock.now()):
        raise InvitationRefused


def hash_of(token: str) -> str:
    """What is kept of a token: it has 256 bits of its own, so a plain hash gives nothing away."""
    return hashlib.sha256(token.encode()).hexdigest()


def _make(
    tenant: Tenant, email: str, role: str, *, invited_by: User | None = None, consent: str = ""
) -> Invitation:
    address = normal_email(email)
    refuse_members(tenant, address)
    open_invitations(tenant).filter(email=address).update(ended_at=clock.now())
    return Invitation.objects.create(
        tenant=tenant,
        email=address,
        role=Role(role),
        # Of a token that nobody was told.
        token_hash=hash_of(secrets.token_urlsafe(32)),
        invited_by=invited_by,
        consent=consent,
        expires_at=clock.now() + VALID_FOR,
    )


def stands_behind(invitation: Invitation) -> bool:
    """Whether who invited them could still do so: an invitation ends with its sender's role."""
    if invitation.invited_by_id is None:
        return True
    senders = Membership.objects.filter(
        having_since(Role.ADMIN, invitation.created_at),
        tenant_id=invitation.tenant_id,
        user_id=invitation.invited_by_id,
    )
    return senders.filter(user__is_active=True).exists()


def refuse_members(tenant: Tenant, address: str) -> None:
    """Raise AlreadyMember for any address that a member's account has, or has confirmed as theirs.

    A second account of one person would be the second person of their own requests.
    """
    confirmed = EmailAddress.objects.filter(email__iexact=address, verified=True)
    whose = Q(user__email__iexact=address) | Q(user__in=confirmed.values("user"))
    if Membership.objects.filter(whose, tenant=tenant).exists():
        raise AlreadyMember(address)


def _issue(invitation: Invitation) -> str:
    token = secrets.token_urlsafe(32)
    invitation.token_hash = hash_of(token)
    invitation.expires_at = clock.now() + VALID_FOR
    invitation.letters += 1
    invitation.sent_at = None
    invitation.save(update_fields=["token_hash", "expires_at", "letters", "sent_at", "consent"])
    return token


def record(invitation: Invitation, actor: Actor, action: Action, **detail: str) -> None:
    """The entry of a step of an invitation."""
    append(
        tenant_id=invitation.tenant_id,
        actor=actor,
        action=action,
        subject=f"invitation:{invitation.pk}",
        detail={"email": invitation.email, "role": invitation.role, **detail},
    )
