"""Accepting an invitation: the only way into a tenant. Makes one audit entry.

Must never let anybody in as somebody else, nor without their own yes: who has an account signs in
to it first, and who had one before starts anew.
"""

from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.operation import clock
from dpgov.tenants.accounts import Account, living_account, new_account, set_password
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import belongs_somewhere, tenant_of_invitation
from dpgov.tenants.invitations import (
    InvitationRefused,
    hash_of,
    record,
    refuse_members,
    stands_behind,
)
from dpgov.tenants.models import Invitation, Membership, Role, Tenant, User
from dpgov.tenants.selectors import actor_of
from dpgov.tenants.services import AlreadyMember


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
            invited_by=str(invitation.invited_by or ""),
            needs_password=user is None or not belongs_somewhere(user.pk),
        )


def accept(*, token: str, person: Any, name: str = "", password: str = "") -> Membership:
    """Make the invited person a member: `person` when they have an account, else with a password.

    Raises InvitationRefused, SignInFirst, AlreadyMember and, for a password against the rules,
    ValidationError. Nothing is done then, and the invitation can still be used.
    """
    with acting_for(tenant_of_invitation(hash_of(token))), transaction.atomic():
        invitation = _usable(token, lock=True)
        refuse_members(invitation.tenant, invitation.email)
        user, account = living_account(invitation.email), Account.EXISTING
        if user is None:
            user, account = new_account(email=invitation.email, name=name), Account.NEW
            set_password(user=user, password=password)
        elif not person.is_authenticated or person.pk != user.pk:
            raise SignInFirst(invitation.email)
        membership = _join(invitation, user)
        record(invitation, actor_of(user), Action.INVITATION_ACCEPTED, account=account.value)
        return membership


def _usable(token: str, *, lock: bool = False) -> Invitation:
    rows = Invitation.objects.select_related("tenant", "invited_by")
    if lock:
        rows = rows.select_for_update(of=("self",))
    found = rows.filter(
        token_hash=hash_of(token),
        ended_at__isnull=True,
        accepted_at__isnull=True,
        expires_at__gt=clock.now(),
    ).first()
    if found is None or not found.is_agreed or not stands_behind(found):
        raise InvitationRefused
    return found


def _join(invitation: Invitation, user: User) -> Membership:
    try:
        with transaction.atomic():
            membership = Membership.objects.create(
                tenant=invitation.tenant,
                user=user,
                role=invitation.role,
                role_since=clock.database_now(),
            )
    except IntegrityError as error:
        raise AlreadyMember(invitation.email) from error
    invitation.accepted_by, invitation.accepted_at = user, clock.now()
    invitation.save(update_fields=["accepted_by", "accepted_at"])
    return membership
