"""Rows of a version: shared by a first registration and by new versions."""

from uuid import UUID

from dpgov.datasets.declaration import column_fields
from dpgov.datasets.models import Column, Dataset, DatasetVersion
from dpgov.datasets.services.fingerprints import keep_fingerprint
from dpgov.engines.child import Ingested
from dpgov.privacy.schema import ColumnSpec


def create_version(
    *,
    dataset: Dataset,
    version_id: UUID,
    number: int,
    columns: tuple[ColumnSpec, ...],
    ingested: Ingested,
) -> DatasetVersion:
    """The version with its columns and fingerprint, in the caller's transaction."""
    version = DatasetVersion.objects.create(
        id=version_id,
        tenant_id=dataset.tenant_id,
        dataset=dataset,
        number=number,
        public_rows=dataset.public_rows,
    )
    Column.objects.bulk_create(
        Column(
            tenant_id=dataset.tenant_id, version=version, position=position, **column_fields(spec)
        )
        for position, spec in enumerate(columns)
    )
    keep_fingerprint(version, ingested.fingerprint)
    return version
