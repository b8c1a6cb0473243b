"""Reads about tenants and their people."""

from uuid import UUID

from django.db.models import QuerySet

from dpgov.audit.actor import Actor
from dpgov.operation.prepared import Prepared
from dpgov.tenants.models import ApiToken, Membership, Role, Tenant, User
from dpgov.tenants.roles import having


def memberships_of(user: User) -> list[Membership]:
    """Everything this user belongs to, oldest first, with the tenants."""
    return _memberships(user.pk)


@Prepared
def _memberships(user_id: UUID) -> QuerySet[Membership]:
    theirs = Membership.objects.filter(user=user_id).select_related("tenant", "user")
    return theirs.order_by("created_at", "id")


def membership_in(membership_id: UUID, tenant_id: UUID, user_id: UUID, roles: str) -> Membership:
    """One of which only this is told: what a statement that is prepared says of its reader."""
    first, _, second = roles.partition("+")
    return Membership(
        id=membership_id, tenant_id=tenant_id, user_id=user_id, role=first, second_role=second
    )


def places_of(membership: Membership) -> tuple[UUID, UUID, UUID]:
    """The three ids that such a statement asks for; its `roles` are `roles_code`."""
    return membership.pk, membership.tenant_id, membership.user_id


def members_of(tenant: Tenant) -> QuerySet[Membership]:
    """The people of a tenant, by name."""
    return (
        Membership.objects.filter(tenant=tenant)
        .select_related("user")
        .order_by("user__name", "user__email")
    )


def has_officer(tenant: Tenant) -> bool:
    """Whether anybody is there who could agree to owners and officers."""
    return has_somebody(tenant, Role.OFFICER)


def has_somebody(tenant: Tenant, role: Role) -> bool:
    """Whether anybody has this role who can sign in."""
    members = Membership.objects.filter(having(role), tenant=tenant)
    return members.filter(user__is_active=True).exists()


def theirs_alone(membership: Membership) -> tuple[Role, ...]:
    """The roles of this person that nobody else has who can sign in."""
    others = Membership.objects.filter(tenant=membership.tenant, user__is_active=True)
    others = others.exclude(pk=membership.pk)
    roles = (role for role in Role if membership.has(role))
    return tuple(role for role in roles if not others.filter(having(role)).exists())


def tokens_of(membership: Membership) -> QuerySet[ApiToken]:
    """The tokens that act as this membership, newest first."""
    return membership.tokens.select_related("user", "membership").order_by("-created", "name")


def tokens_of_tenant(tenant: Tenant) -> QuerySet[ApiToken]:
    """Everybody's tokens, for an administrator: by person, newest first."""
    tokens: QuerySet[ApiToken] = ApiToken.objects.filter(membership__tenant=tenant)
    return tokens.select_related("user", "membership").order_by("user__email", "-created", "name")


def is_by(user_id: UUID, actor: Actor) -> bool:
    """Whether this person is who acts: the same account, in whichever role."""
    return actor.kind == "user" and actor.id == str(user_id)


def actor_of(user: User) -> Actor:
    """How the audit log names this person."""
    return Actor(kind="user", id=str(user.id), label=user.email)


def hold_turn(tenant_id: UUID) -> None:
    """Whoever else asks for the tenant's turn waits until the transaction ends.

    By the tenant's row: who only refers to it, such as a submitted question, does not wait. SQLite
    has one writer at a time. Budgets are opened and frozen in this turn, so that either a freeze
    finds a new one, or who opens it sees the freeze.
    """
    Tenant.objects.select_for_update(no_key=True).values_list("pk").get(pk=tenant_id)
