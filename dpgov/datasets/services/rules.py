"""Whether a tenant's new data waits for an officer: the officers' own rule."""

from uuid import UUID

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.datasets.models import NewDataRule
from dpgov.datasets.services.turns import queue_up
from dpgov.tenants.models import Tenant, User
from dpgov.tenants.selectors import actor_of


def new_data_waits(tenant_id: UUID) -> bool:
    """Whether new data waits for an officer's look; False until an officer says so."""
    rule = NewDataRule.objects.filter(tenant_id=tenant_id).values_list("waits", flat=True)
    return bool(rule.first())


@transaction.atomic
def change_new_data_rule(*, tenant: Tenant, waits: bool, user: User) -> None:
    """Let new data wait, or begin at once, from now on; what is there stays as it is."""
    queue_up(tenant)
    before = new_data_waits(tenant.pk)
    NewDataRule.objects.update_or_create(tenant_id=tenant.pk, defaults={"waits": waits})
    append(
        tenant_id=tenant.pk,
        actor=actor_of(user),
        action=Action.NEW_DATA_RULE_CHANGED,
        subject=f"tenant:{tenant.pk}",
        detail={"before_waits": before, "after_waits": waits},
    )
