"""Keeps how a person wants to hear of each kind, from now on; nobody else's notices change."""

from collections.abc import Collection

from django.db import transaction

from dpgov.notices.kinds import kinds_for
from dpgov.notices.models import Choice
from dpgov.tenants.models import Membership


@transaction.atomic
def choose(*, membership: Membership, in_app: Collection[str], letters: Collection[str]) -> None:
    """From now on: these kinds in the product, these by e-mail, the person's others not at all."""
    for kind in kinds_for(membership.role):
        Choice.objects.update_or_create(
            tenant_id=membership.tenant_id,
            person_id=membership.user_id,
            kind=kind,
            defaults={"in_app": kind in in_app, "letter": kind in letters},
        )
