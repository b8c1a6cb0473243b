"""Every change to tenants and their people; each makes exactly one audit entry.

Must never leave a tenant without an administrator.
"""

from datetime import datetime
from uuid import UUID, uuid4

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR, Actor
from dpgov.audit.services import append
from dpgov.operation import clock
from dpgov.tenants.boundary import acting_for
from dpgov.tenants.crossing import tenants
from dpgov.tenants.models import Membership, ProjectMember, Role, Tenant
from dpgov.tenants.roles import having, having_since, roles_in, takes_two_persons
from dpgov.tenants.selectors import hold_turn

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
            _("This is the last administrator. Make someone else administrator first.")
        )


class RoleChanged(ValueError):
    """The member was removed or has another role than when this was agreed."""

    def __init__(self) -> None:
        super().__init__(_("The person was removed, or their role has changed meanwhile."))


class RoleTakesTwoPersons(ValueError):
    """The role is one that nobody gives alone; a bug, because every door asks first."""


class RoleUnchanged(ValueError):
    """The member has that role already; nothing was changed."""

    def __init__(self) -> None:
        super().__init__(_("That is the role already. Nothing was changed."))


@transaction.atomic
def create_tenant(*, name: str, actor: Actor = OPERATOR, practice_of: UUID | None = None) -> Tenant:
    """Create a tenant without people; whoever runs the installation invites the first ones.

    With `practice_of` it is where the people of that tenant practise: for good.
    """
    tenant = Tenant(id=uuid4(), name=name, slug=_free_slug(name), practice_of=practice_of)
    practice = {"practice_of": str(practice_of)} if practice_of else {}
    with acting_for(tenant.id):
        tenant.save(force_insert=True)
        append(
            tenant_id=tenant.id,
            actor=actor,
            action=Action.TENANT_CREATED,
            subject=f"tenant:{tenant.id}",
            detail={"name": name, "slug": tenant.slug} | practice,
        )
    return tenant


def _free_slug(name: str) -> str:
    wanted = slugify(name)[:_SLUG_LENGTH] or "tenant"
    taken = {tenant.slug for tenant in tenants()}
    slug, number = wanted, 1
    while slug in taken:
        number += 1
        slug = f"{wanted}-{number}"
    return slug


@transaction.atomic
def change_role(*, membership: Membership, role: str, actor: Actor) -> Membership:
    """Make a member what one person may make them, from the next request on; `role` is a code.

    Raises RoleUnchanged, LastAdministrator, RoleTakesTwoPersons, and Membership.DoesNotExist when
    removed meanwhile.
    """
    current = _locked(membership)
    if takes_two_persons(role, current.roles_code):
        raise RoleTakesTwoPersons(role)
    before = _move(current, role)
    _record(current, actor, Action.MEMBER_ROLE_CHANGED, {"before": before, "after": role})
    return current


@transaction.atomic
def change_role_in_practice(*, membership: Membership, role: str) -> Membership:
    """Make somebody anything where they practise: all of it is invented, and nobody has to agree.

    Raises RoleTakesTwoPersons anywhere else, and RoleUnchanged.
    """
    current = _locked(membership)
    if not current.tenant.is_practice:
        raise RoleTakesTwoPersons(role)
    before = _move(current, role)
    _record(current, OPERATOR, Action.MEMBER_ROLE_CHANGED, {"before": before, "after": role})
    return current


def give_role(
    *, tenant: Tenant, user_id: UUID, before: str, after: str, asked_at: datetime
) -> Membership:
    """Give what a second person agreed to, as codes; whoever agreed keeps the log.

    Raises RoleChanged unless the member has been what they are `before` without a break since it
    was asked for, and LastAdministrator.
    """
    people = Membership.objects.select_for_update(of=("self",)).select_related("tenant", "user")
    same = people.filter(tenant=tenant, user_id=user_id)
    for role in roles_in(before):
        same = same.filter(having_since(role, asked_at))
    current = same.first()
    if current is None or current.roles_code != before:
        raise RoleChanged
    hold_turn(tenant.pk)
    _move(current, after)
    return current


def _move(current: Membership, after: str) -> str:
    """A role that somebody keeps is theirs without a break; by the clock of permits and namings.

    Whoever asks no more loses their places in projects, as by being removed: what was granted to
    those lets nobody ask who was something else meanwhile. The entry of the step says both.
    """
    before, wanted, now = current.roles_code, roles_in(after), clock.database_now()
    if before == after:
        raise RoleUnchanged
    if Role.ADMIN not in wanted:
        _keep_an_administrator(current)
    if current.has(Role.ANALYST) and Role.ANALYST not in wanted:
        _end_places(current)
    since = [current.since(role) or now for role in wanted]
    current.role, current.role_since = wanted[0], since[0]
    two = len(wanted) > 1
    current.second_role, current.second_since = (wanted[1], since[1]) if two else ("", None)
    current.save(update_fields=["role", "role_since", "second_role", "second_since"])
    return before


@transaction.atomic
def remove_member(*, membership: Membership, actor: Actor) -> None:
    """End a membership, its tokens and its places in projects at once; the account itself stays.

    Raises LastAdministrator and Membership.DoesNotExist when removed meanwhile.
    """
    current = _locked(membership)
    _keep_an_administrator(current)
    _end(current, actor)


@transaction.atomic
def remove_from_practice(*, membership: Membership) -> None:
    """The same where people practise, of the last administrator too: nobody has to stay there.

    Raises LastAdministrator of one anywhere else.
    """
    current = _locked(membership)
    if not current.tenant.is_practice:
        _keep_an_administrator(current)
    _end(current, OPERATOR)


def _end(current: Membership, actor: Actor) -> None:
    # With tokens and namings, which others hold before they take the turn of the log.
    Membership.objects.filter(pk=current.pk).delete()
    _record(current, actor, Action.MEMBER_REMOVED, {"role": current.roles_code})
    _end_places(current)


def _end_places(current: Membership) -> None:
    ProjectMember.objects.filter(tenant=current.tenant, user=current.user).end()


def _locked(membership: Membership) -> Membership:
    """Changes to the people of one tenant happen one after another.

    The person comes first, as where a second person decides something about them.
    """
    everybody = Membership.objects.select_related("tenant", "user")
    current = everybody.select_for_update(of=("self",)).get(pk=membership.pk)
    hold_turn(current.tenant_id)
    return current


def _keep_an_administrator(membership: Membership) -> None:
    others = Membership.objects.filter(
        having(Role.ADMIN), tenant=membership.tenant, user__is_active=True
    ).exclude(pk=membership.pk)
    if membership.has(Role.ADMIN) and not others.exists():
        raise LastAdministrator


def _record(membership: Membership, actor: Actor, action: Action, detail: dict[str, str]) -> None:
    append(
        tenant_id=membership.tenant_id,
        actor=actor,
        action=action,
        subject=f"member:{membership.user_id}",
        detail={"email": membership.user.email, **detail},
    )
