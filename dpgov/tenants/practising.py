"""Who is let in where an organisation practises: all its people, each in their own role; and out.

Everything there is invented, so nobody has to agree; each step is in the log of that organisation.
Must never let anybody in elsewhere: it is found through who is in both, and says whose it is. Nor
must anybody stay who left: there are the names of everybody who comes.
"""

from collections.abc import Iterable

from django.db import transaction

from dpgov.audit.actor import Actor
from dpgov.tenants.boundary import acting_as, acting_for
from dpgov.tenants.invitations import invite_as_operator
from dpgov.tenants.joining import accept
from dpgov.tenants.models import Membership, Tenant
from dpgov.tenants.selectors import memberships_of
from dpgov.tenants.services import (
    change_role_in_practice,
    remove_from_practice,
    remove_member,
)

# Whoever was there when the practice was made is in it; so many of them are asked at most.
_ASKED = 20


def practice_of(tenant: Tenant, people: Iterable[Membership]) -> Tenant | None:
    """Where the organisation of these members practises, if it does."""
    for one in people:
        with acting_as(one.user_id):
            for other in memberships_of(one.user):
                if other.tenant.practice_of == tenant.pk:
                    return other.tenant
    return None


def let_in(practice: Tenant, one: Membership) -> None:
    """Make the person of this membership a member there too, once, in the same roles."""
    user = one.user
    with acting_for(practice.pk):
        if Membership.objects.filter(tenant=practice, user=user).exists():
            return
        _invitation, token = invite_as_operator(tenant=practice, email=user.email, role=one.role)
    member = accept(token=token, person=user)
    if one.second_role:
        with acting_for(practice.pk):
            change_role_in_practice(membership=member, role=one.roles_code)


def let_in_newcomer(newcomer: Membership) -> None:
    """Whoever has just joined an organisation practises where its people do, if they do."""
    tenant = newcomer.tenant
    if tenant.is_practice:
        return
    with acting_for(tenant.pk):
        others = Membership.objects.filter(tenant=tenant).exclude(pk=newcomer.pk)
        active = others.filter(user__is_active=True).select_related("user")
        people = list(active.order_by("created_at")[:_ASKED])
    practice = practice_of(tenant, people)
    if practice is not None:
        let_in(practice, newcomer)


def remove_with_practice(*, membership: Membership, actor: Actor) -> None:
    """End a membership, and that where its organisation practises.

    Raises what `services.remove_member` raises; then both are as they were.
    """
    practice = practice_of(membership.tenant, [membership])
    with transaction.atomic():
        remove_member(membership=membership, actor=actor)
        if practice is None:
            return
        with acting_for(practice.pk):
            there = Membership.objects.filter(tenant=practice, user=membership.user_id).first()
            if there is not None:
                remove_from_practice(membership=there)
