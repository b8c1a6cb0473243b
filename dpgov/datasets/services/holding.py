"""Whether a tenant's new data waits for an officer, by the officers' own rule; and what a hold is.

Where a hold begins and ends, it does so in the caller's transaction, with the caller's entry.
"""

from uuid import UUID

from django.db import transaction

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.datasets.models import Dataset, DatasetVersion, Look, NewDataRule
from dpgov.datasets.services.turns import queue_up
from dpgov.operation import clock
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


def hold(dataset: Dataset, reason: Dataset.HeldReason) -> None:
    """Nobody can see or ask about it until somebody has decided; what was asked before goes on."""
    dataset.held_at, dataset.held_reason = clock.now(), reason
    dataset.save(update_fields=["held_at", "held_reason"])


def end_hold(dataset: Dataset) -> None:
    """It can be asked about from now on.

    The look or the approval that ends it is stored before: the database asks for it (guard_hold).
    """
    dataset.held_at, dataset.held_reason = None, ""
    dataset.opened_at = dataset.opened_at or clock.now()
    dataset.save(update_fields=["held_at", "held_reason", "opened_at"])


def looked_at(dataset: Dataset, by: User, outcome: Look.Outcome) -> list[int]:
    """Every version that waits for a look has had it; their numbers."""
    waiting = list(DatasetVersion.objects.filter(dataset=dataset, look__isnull=True))
    Look.objects.bulk_create(
        Look(tenant_id=dataset.tenant_id, version=version, by=by, outcome=outcome)
        for version in waiting
    )
    return sorted(version.number for version in waiting)
