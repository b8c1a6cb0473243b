"""Every change to tenants and their people; each makes exactly one audit entry.

Must never leave a tenant without an administrator.
"""

from dataclasses import dataclass
from uuid import uuid4

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR, Actor
from dpgov.audit.services import append
from dpgov.tenants.accounts import Account, account_for
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants
from dpgov.tenants.models import Membership, ProjectMember, Role, Tenant

_SLUG_LENGTH = 50


class AlreadyMember(ValueError):
    """The person belongs to the tenant already; change the role instead."""

    def __init__(self, email: str) -> None:
        text = _("{email} is a member already. Change the role in the list instead.")
        super().__init__(text.format(email=email))


class LastAdministrator(ValueError):
    """The step would leave the tenant without an administrator."""

    def __init__(self) -> None:
        super().__init__(
            _("This is the last administrator. Make somebody else administrator first.")
        )


class RoleUnchanged(ValueError):
    """The member has that role already; nothing was changed."""

    def __init__(self) -> None:
        super().__init__(_("That is the role already. Nothing was changed."))


@dataclass(frozen=True, slots=True)
class NewMember:
    """A membership just made, and whether its person still has to set a password."""

    membership: Membership
    account: Account

    @property
    def needs_password(self) -> bool:
        """Whether somebody must hand the person a link to set the first password."""
        return self.account is not Account.EXISTING


@transaction.atomic
def create_tenant(
    *, name: str, admin_email: str, admin_name: str = "", actor: Actor = OPERATOR
) -> NewMember:
    """Create a tenant with its first administrator. Raises UnconfirmedAddress."""
    tenant = Tenant(id=uuid4(), name=name, slug=_free_slug(name))
    with acting_for(tenant.id):
        tenant.save(force_insert=True)
        user, account = account_for(email=admin_email, name=admin_name)
        membership = Membership.objects.create(tenant=tenant, user=user, role=Role.ADMIN)
        detail = {"name": name, "slug": tenant.slug, "admin": user.email}
        append(
            tenant_id=tenant.id,
            actor=actor,
            action=Action.TENANT_CREATED,
            subject=f"tenant:{tenant.id}",
            detail={**detail, "account": account.value},
        )
    return NewMember(membership, account)


def _free_slug(name: str) -> str:
    wanted = slugify(name)[:_SLUG_LENGTH] or "tenant"
    taken = {tenant.slug for tenant in tenants()}
    slug, number = wanted, 1
    while slug in taken:
        number += 1
        slug = f"{wanted}-{number}"
    return slug


@transaction.atomic
def add_member(*, tenant: Tenant, email: str, role: str, actor: Actor, name: str = "") -> NewMember:
    """Give a person a role. Raises AlreadyMember and UnconfirmedAddress."""
    _lock(tenant)
    if Membership.objects.filter(tenant=tenant, user__email__iexact=email).exists():
        raise AlreadyMember(email)
    user, account = account_for(email=email, name=name)
    membership = Membership.objects.create(tenant=tenant, user=user, role=Role(role))
    _record(
        membership, actor, Action.MEMBER_ADDED, {"role": membership.role, "account": account.value}
    )
    return NewMember(membership, account)


@transaction.atomic
def change_role(*, membership: Membership, role: str, actor: Actor) -> Membership:
    """Give a member another role, from the next request on.

    Raises RoleUnchanged, LastAdministrator and Membership.DoesNotExist when removed meanwhile.
    """
    current = _locked(membership)
    before, after = current.role, Role(role)
    if before == after:
        raise RoleUnchanged
    _keep_an_administrator(current)
    current.role = after
    current.save(update_fields=["role"])
    _record(current, actor, Action.MEMBER_ROLE_CHANGED, {"before": before, "after": after.value})
    return current


@transaction.atomic
def remove_member(*, membership: Membership, actor: Actor) -> None:
    """End a membership, its tokens and its places in projects at once; the account itself stays.

    Raises LastAdministrator and Membership.DoesNotExist when removed meanwhile.
    """
    current = _locked(membership)
    _keep_an_administrator(current)
    _record(current, actor, Action.MEMBER_REMOVED, {"role": current.role})
    ProjectMember.objects.filter(tenant=current.tenant, user=current.user).delete()
    current.delete()


def _lock(tenant: Tenant) -> None:
    """Changes to the people of one tenant happen one after another."""
    Tenant.objects.select_for_update().get(pk=tenant.pk)


def _locked(membership: Membership) -> Membership:
    _lock(membership.tenant)
    everybody = Membership.objects.select_related("tenant", "user")
    return everybody.select_for_update(of=("self",)).get(pk=membership.pk)


def _keep_an_administrator(membership: Membership) -> None:
    others = Membership.objects.filter(
        tenant=membership.tenant, role=Role.ADMIN, user__is_active=True
    ).exclude(pk=membership.pk)
    if membership.role == Role.ADMIN and not others.exists():
        raise LastAdministrator


def _record(membership: Membership, actor: Actor, action: Action, detail: dict[str, str]) -> None:
    append(
        tenant_id=membership.tenant_id,
        actor=actor,
        action=action,
        subject=f"member:{membership.user_id}",
        detail={"email": membership.user.email, **detail},
    )
