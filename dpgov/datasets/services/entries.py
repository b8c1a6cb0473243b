"""The log's entries about a dataset: all of them name it in the same way."""

from collections.abc import Mapping

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.services import append
from dpgov.datasets.models import Dataset


def record(dataset: Dataset, actor: Actor, action: Action, detail: Mapping[str, object]) -> None:
    """What somebody did with the dataset, as one entry of its organisation's log."""
    append(
        tenant_id=dataset.tenant_id,
        actor=actor,
        action=action,
        subject=f"dataset:{dataset.pk}",
        dataset=dataset.slug,
        detail=dict(detail),
    )
