"""The entry about two datasets that somebody wanted put together, and that were not."""

from typing import Any
from uuid import UUID

from dpgov.audit.actions import Action
from dpgov.audit.services import append
from dpgov.datasets.models import Arrival, DatasetVersion
from dpgov.datasets.services.derived.parents import Derivation
from dpgov.tenants.selectors import actor_of


def record_not_derived(arrival: Arrival) -> None:
    """Who wanted what of whom. Not why: what failed over these rows would be a word about them."""
    declared = Derivation.of_json(arrival.declared)
    append(
        tenant_id=arrival.tenant_id,
        actor=actor_of(arrival.asked_by),
        action=Action.DATASET_NOT_DERIVED,
        subject=f"arrival:{arrival.pk}",
        detail={"name": declared.name, "derived_from": _parents(declared)},
    )


def _parents(declared: Derivation) -> list[dict[str, Any]]:
    """How much of which, as where it is made; one that is gone by its address alone."""
    versions = DatasetVersion.objects.select_related("dataset").in_bulk(
        [UUID(side.version) for side in declared.sides]
    )
    return [
        {
            "dataset": side.slug,
            **_named(versions.get(UUID(side.version))),
            "rows_of_unit": side.rows_of_unit,
            "columns": list(side.columns),
            "prefix": side.prefix,
        }
        for side in declared.sides
    ]


def _named(version: DatasetVersion | None) -> dict[str, Any]:
    if version is None:
        return {}
    dataset = version.dataset
    return {"dataset": dataset.slug, "name": dataset.name, "version": version.number}
