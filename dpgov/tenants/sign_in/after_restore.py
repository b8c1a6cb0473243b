"""After a restore: what lets people in is as old as the backup, so that all of it ends.

A session that was ended since, a token that was revoked and an invitation that was taken back would
work again. Whoever signs in does so with the password of then; who is a member as whom is as the
backup has it, and for people to compare.
"""

from dataclasses import dataclass
from uuid import UUID

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import transaction

from dpgov.operation import clock
from dpgov.tenants.invitations import open_invitations
from dpgov.tenants.models import ApiToken, Membership, Role, Tenant
from dpgov.tenants.roles import having


@dataclass(frozen=True, slots=True)
class InCharge:
    """Who decides there about people and about what a backup lacks, by their addresses."""

    officers: list[str]
    administrators: list[str]


@transaction.atomic
def end_access(tenant_id: UUID) -> None:
    """Sign everybody out, and end the tokens and open invitations of this organisation.

    Sessions are of people, who may be in many; all organisations of a restored database are frozen.
    """
    Session.objects.all().delete()
    UserSession.objects.all().delete()
    ApiToken.objects.filter(membership__tenant=tenant_id).delete()
    open_invitations(Tenant(pk=tenant_id)).update(ended_at=clock.now())


def in_charge(tenant_id: UUID) -> InCharge:
    """For whoever restored the backup to compare with what is known elsewhere."""
    members = Membership.objects.filter(tenant=tenant_id, user__is_active=True)

    def emails(role: Role) -> list[str]:
        found = members.filter(having(role)).order_by("user__email")
        return list(found.values_list("user__email", flat=True))

    return InCharge(officers=emails(Role.OFFICER), administrators=emails(Role.ADMIN))
