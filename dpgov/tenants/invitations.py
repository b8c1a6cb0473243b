"""Invitations to a tenant: sent, accepted once, taken back; each step makes one audit entry.

Must never let anybody in as somebody else: who has an account signs in to it first, and an account
of another organisation counts only with a confirmed address. The token is shown and mailed once;
only its hash is kept.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.services import append
from dpgov.tenants.accounts import Account, account_for, normal_email, set_password
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import belongs_somewhere, tenant_of_invitation
from dpgov.tenants.models import Invitation, Membership, Role, Tenant, User
from dpgov.tenants.selectors import actor_of
from dpgov.tenants.services import AlreadyMember

VALID_FOR = timedelta(days=7)


class InvitationRefused(ValueError):
    """The invitation cannot be used: unknown, used, taken back or too old; nobody is told which."""

    def __init__(self) -> None:
        super().__init__(
            _("This invitation cannot be used any more. Ask whoever invited you for a new one.")
        )


class SignInFirst(ValueError):
    """The invited person has an account; the invitation is for that account alone."""

    def __init__(self, email: str) -> None:
        text = _("Sign in as {email} first, then open this page again.")
        super().__init__(text.format(email=email))


@dataclass(frozen=True, slots=True)
class Invited:
    """What the page of an invitation shows; `needs_password` where there is no account yet."""

    tenant: Tenant
    email: str
    role: str
    invited_by: str
    needs_password: bool


def open_invitations(tenant: Tenant) -> QuerySet[Invitation]:
    """Those that wait, newest first, also when they are too old."""
    waiting = Invitation.objects.filter(
        tenant=tenant, ended_at__isnull=True, accepted_at__isnull=True
    )
    return waiting.select_related("invited_by").order_by("-created_at")


@transaction.atomic
def invite(*, membership: Membership, email: str, role: str) -> tuple[Invitation, str]:
    """An invitation and its token, which nobody can read again; an earlier one ends with it.

    Raises AlreadyMember.
    """
    tenant, address = membership.tenant, normal_email(email)
    Tenant.objects.select_for_update().get(pk=tenant.pk)
    if Membership.objects.filter(tenant=tenant, user__email__iexact=address).exists():
        raise AlreadyMember(address)
    open_invitations(tenant).filter(email=address).update(ended_at=timezone.now())
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        tenant=tenant,
        email=address,
        role=Role(role),
        token_hash=hash_of(token),
        invited_by=membership.user,
        expires_at=timezone.now() + VALID_FOR,
    )
    _record(invitation, actor_of(membership.user), Action.INVITATION_SENT)
    return invitation, token


@transaction.atomic
def revoke(*, invitation: Invitation, actor: Actor) -> None:
    """Take it back. Raises InvitationRefused when it has been used or taken back already."""
    found = Invitation.objects.filter(
        pk=invitation.pk, ended_at__isnull=True, accepted_at__isnull=True
    )
    if not found.update(ended_at=timezone.now()):
        raise InvitationRefused
    _record(invitation, actor, Action.INVITATION_REVOKED)


def look_at(token: str) -> Invited:
    """What this invitation is to. Raises InvitationRefused."""
    tenant_id = tenant_of_invitation(hash_of(token))
    with acting_for(tenant_id):
        invitation = _usable(token)
        user = User.objects.filter(email__iexact=invitation.email).first()
        return Invited(
            tenant=invitation.tenant,
            email=invitation.email,
            role=Role(invitation.role).within,
            invited_by=str(invitation.invited_by),
            needs_password=user is None or not belongs_somewhere(user.pk),
        )


def accept(*, token: str, person: Any, name: str = "", password: str = "") -> Membership:
    """Make the invited person a member: `person` when they have an account, else with a password.

    Raises InvitationRefused, SignInFirst, AlreadyMember, UnconfirmedAddress and, for a password
    against the rules, ValidationError. Nothing is done then, and the invitation can still be used.
    """
    with acting_for(tenant_of_invitation(hash_of(token))), transaction.atomic():
        invitation = _usable(token, lock=True)
        user, account = account_for(email=invitation.email, name=name)
        if account is Account.EXISTING:
            if not person.is_authenticated or person.pk != user.pk:
                raise SignInFirst(invitation.email)
        else:
            set_password(user=user, password=password)
        membership = _join(invitation, user)
        _record(invitation, actor_of(user), Action.INVITATION_ACCEPTED, account=account.value)
        return membership


def hash_of(token: str) -> str:
    """What is kept of a token: it has 256 bits of its own, so a plain hash gives nothing away."""
    return hashlib.sha256(token.encode()).hexdigest()


def _usable(token: str, *, lock: bool = False) -> Invitation:
    rows = Invitation.objects.select_related("tenant", "invited_by")
    if lock:
        rows = rows.select_for_update(of=("self",))
    found = rows.filter(
        token_hash=hash_of(token),
        ended_at__isnull=True,
        accepted_at__isnull=True,
        expires_at__gt=timezone.now(),
    ).first()
    if found is None:
        raise InvitationRefused
    return found


def _join(invitation: Invitation, user: User) -> Membership:
    try:
        with transaction.atomic():
            membership = Membership.objects.create(
                tenant=invitation.tenant, user=user, role=invitation.role
            )
    except IntegrityError as error:
        raise AlreadyMember(invitation.email) from error
    invitation.accepted_by, invitation.accepted_at = user, timezone.now()
    invitation.save(update_fields=["accepted_by", "accepted_at"])
    return membership


def _record(invitation: Invitation, actor: Actor, action: Action, **detail: str) -> None:
    append(
        tenant_id=invitation.tenant_id,
        actor=actor,
        action=action,
        subject=f"invitation:{invitation.pk}",
        detail={"email": invitation.email, "role": invitation.role, **detail},
    )
