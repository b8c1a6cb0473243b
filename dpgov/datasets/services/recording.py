"""Rows of a version: shared by a first registration and by new versions."""

from typing import Any
from uuid import UUID

from dpgov.budgets.services import is_undivided
from dpgov.datasets.cubes import made_with
from dpgov.datasets.declaration import column_fields
from dpgov.datasets.models import Column, Dataset, DatasetVersion
from dpgov.datasets.services.likeness import keep_fingerprint
from dpgov.datasets.services.parts import enter_budget
from dpgov.datasets.services.stored.seals import seal_of
from dpgov.engines.child import Ingested
from dpgov.privacy.plan.schema import DatasetSchema, PrivacyUnit


def create_version(
    *,
    dataset: Dataset,
    version_id: UUID,
    number: int,
    schema: DatasetSchema,
    ingested: Ingested,
    added_by_id: UUID,
    link_of: DatasetVersion | None = None,
    joined: dict[str, Any] | None = None,
) -> DatasetVersion:
    """The version with its columns and fingerprint, in the caller's transaction.

    `added_by_id` is who brought the file. It enters the dataset's budget: raises ReadAgain, see
    `parts.enter_budget`. With `link_of` it is the very file of that version. `joined` is the public
    table beside its rows.
    """
    if link_of is None:
        enter_budget(
            dataset,
            schema,
            ingested,
            brought_by=added_by_id,
            adds_rows=ingested.addition is not None,
        )
    # The very file, which need not be here where it lies in shared storage: sealed as it was.
    seal = link_of.file_seal if link_of else seal_of(version_id)
    version = _create(
        dataset,
        schema,
        id=version_id,
        number=number,
        added_by_id=added_by_id,
        file_seal=seal,
        joined=(joined or {}) if link_of is None else link_of.joined,
        cubes=made_with(schema) if link_of is None else link_of.cubes,
    )
    keep_fingerprint(version, ingested.fingerprint, ingested.addition)
    return version


def create_live_version(
    *,
    dataset: Dataset,
    version_id: UUID,
    number: int,
    schema: DatasetSchema,
    added_by_id: UUID,
    refreshed_by_id: UUID | None = None,
) -> DatasetVersion:
    """A version of a live table: declarations alone, in the caller's transaction.

    `refreshed_by_id` is who declared that it has other rows since the version before.
    """
    return _create(
        dataset,
        schema,
        id=version_id,
        number=number,
        added_by_id=added_by_id,
        refreshed_by_id=refreshed_by_id,
        file_seal=DatasetVersion.LIVE,
    )


def _create(dataset: Dataset, schema: DatasetSchema, **fields: Any) -> DatasetVersion:
    version = DatasetVersion.objects.create(
        tenant_id=dataset.tenant_id,
        dataset=dataset,
        public_rows=dataset.public_rows,
        max_rows_per_unit=dataset.max_rows_per_unit,
        max_groups_per_unit=dataset.max_groups_per_unit,
        **fields,
    )
    Column.objects.bulk_create(columns_declared(version, schema))
    return version


def columns_declared(version: DatasetVersion, schema: DatasetSchema) -> list[Column]:
    """The columns of a version as they are declared; nothing is written."""
    return [
        Column(
            tenant_id=version.tenant_id, version=version, position=position, **column_fields(spec)
        )
        for position, spec in enumerate(schema.columns)
    ]


def unit_fields(unit: PrivacyUnit) -> dict[str, Any]:
    """A declared unit as it is stored with the dataset."""
    return {
        "unit": Dataset.Unit.ROW if unit.private_id is None else Dataset.Unit.PERSON,
        "private_id": unit.private_id or "",
        "max_rows_per_unit": unit.max_rows_per_unit,
        "max_groups_per_unit": unit.max_groups_per_unit,
    }


def noted_unit(dataset: Dataset) -> dict[str, Any]:
    """The same in an audit entry."""
    return {
        "unit": str(dataset.unit),
        "private_id": dataset.private_id,
        "max_rows_per_unit": dataset.max_rows_per_unit,
        "max_groups_per_unit": dataset.max_groups_per_unit,
    }


def noted_join(joined: dict[str, Any]) -> dict[str, Any]:
    """In an audit entry: the public table beside a version's rows, where there is one."""
    return {"public_table": joined} if joined else {}


def noted_parts(dataset: Dataset) -> dict[str, Any]:
    """In an audit entry: whether the parts of a partition are charged apart any more."""
    if not dataset.partition_column:
        return {}
    return {"parts_charged_apart": not is_undivided(dataset.budget_id)}
