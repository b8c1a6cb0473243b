"""Where a hold begins and ends: in the caller's transaction, with the caller's entry."""

from django.utils import timezone

from dpgov.datasets.models import Dataset, DatasetVersion, Look
from dpgov.tenants.models import User


def hold(dataset: Dataset, reason: Dataset.HeldReason) -> None:
    """Nobody can see or ask about it until somebody has decided; what was asked before goes on."""
    dataset.held_at, dataset.held_reason = timezone.now(), reason
    dataset.save(update_fields=["held_at", "held_reason"])


def end_hold(dataset: Dataset) -> None:
    """It can be asked about from now on.

    The look or the approval that ends it is stored before: the database asks for it (guard_hold).
    """
    dataset.held_at, dataset.held_reason = None, ""
    dataset.opened_at = dataset.opened_at or timezone.now()
    dataset.save(update_fields=["held_at", "held_reason", "opened_at"])


def looked_at(dataset: Dataset, by: User, outcome: Look.Outcome) -> list[int]:
    """Every version that waits for a look has had it; their numbers."""
    waiting = list(DatasetVersion.objects.filter(dataset=dataset, look__isnull=True))
    Look.objects.bulk_create(
        Look(tenant_id=dataset.tenant_id, version=version, by=by, outcome=outcome)
        for version in waiting
    )
    return sorted(version.number for version in waiting)
