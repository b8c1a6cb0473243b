"""Other limits on what one person may add: a new version over the same data and the same budget.

Every row was stored with its place among its person's rows, so that no file is read again.
Questions on their way keep the version, and the limits, that they were asked of.
"""

import os
from dataclasses import replace
from uuid import UUID, uuid4

from dpgov.audit.actions import Action
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, DatasetVersion, Look
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.datasets.services.entries import record
from dpgov.datasets.services.likeness import kept_fingerprint
from dpgov.datasets.services.recording import (
    create_live_version,
    create_version,
    noted_unit,
)
from dpgov.datasets.services.stored import keeping
from dpgov.datasets.services.stored.seals import is_kept_as_recorded
from dpgov.datasets.services.turns import queue_up
from dpgov.engines.child import Ingested
from dpgov.language.said import said
from dpgov.privacy.plan.domains import check_capacity
from dpgov.privacy.plan.schema import DatasetSchema, InvalidDomain, PrivacyUnit
from dpgov.tenants.models import User
from dpgov.tenants.selectors import actor_of

_MISSING = said(
    "The file of this dataset is not on this machine as it was recorded. Ask the people who run "
    "this installation to put it back."
)


def change_unit_bounds(
    *, dataset: Dataset, max_rows: int, max_groups: int | None, user: User
) -> DatasetVersion:
    """Use so many rows of each person from now on, and count them in so many groups at most.

    Raises InvalidDomain where no column names people, where nothing would change, where sums could
    not be kept exact, or where the file is not there as it was recorded; Dataset.DoesNotExist when
    it was archived meanwhile.
    """
    version_id = uuid4()
    arriving, target = storage.arriving_path(version_id), storage.data_path(version_id)
    arriving.touch(mode=0o600)
    recording, wanted = keeping.Recording(), PrivacyUnit(None, max_rows, max_groups)
    try:
        with recording.transaction():
            version = _record(dataset, wanted, version_id, user)
    except BaseException:
        if not recording.may_be_there:
            target.unlink(missing_ok=True)
            arriving.unlink(missing_ok=True)
        raise
    arriving.unlink(missing_ok=True)
    return version


def _record(dataset: Dataset, wanted: PrivacyUnit, version_id: UUID, user: User) -> DatasetVersion:
    queue_up(dataset.tenant)
    free = Dataset.objects.select_for_update(of=("self",))
    present = free.get(pk=dataset.pk, archived_at__isnull=True, held_at__isnull=True)
    before = current_version(present)
    schema = schema_of(before)
    unit = replace(wanted, private_id=schema.unit.private_id)
    _check(schema, unit)
    present.max_rows_per_unit = unit.max_rows_per_unit
    present.max_groups_per_unit = unit.max_groups_per_unit
    present.save(update_fields=["max_rows_per_unit", "max_groups_per_unit"])
    version = _over(before, present, schema, version_id)
    # The same file: there is nothing to look at that is not in the version before.
    Look.objects.create(tenant_id=present.tenant_id, version=version, outcome=Look.Outcome.GOES_ON)
    record(
        present,
        actor_of(user),
        Action.DATASET_VERSION_ADDED,
        {"version": version.number, **noted_unit(present)},
    )
    return version


def _over(
    before: DatasetVersion, dataset: Dataset, schema: DatasetSchema, version_id: UUID
) -> DatasetVersion:
    """The next version over the same rows."""
    number, added_by_id = before.number + 1, before.added_by_id
    if before.file_seal == DatasetVersion.LIVE:
        return create_live_version(
            dataset=dataset,
            version_id=version_id,
            number=number,
            schema=schema,
            added_by_id=added_by_id,
        )
    # The same bytes under a second name: data files are never written again.
    if not keeping.share(before.pk, version_id):
        if not is_kept_as_recorded(before):
            raise InvalidDomain("max_rows_per_unit", _MISSING)
        os.link(storage.data_path(before.pk), storage.data_path(version_id))
    return create_version(
        dataset=dataset,
        version_id=version_id,
        number=number,
        schema=schema,
        ingested=Ingested(0, kept_fingerprint(before)),
        link_of=before,
        added_by_id=added_by_id,
    )


def _check(schema: DatasetSchema, unit: PrivacyUnit) -> None:
    if unit.private_id is None:
        raise InvalidDomain(
            "max_rows_per_unit", said("Here each row is one person: there is no limit.")
        )
    if unit == schema.unit:
        raise InvalidDomain("max_rows_per_unit", said("These are the limits already."))
    check_capacity(replace(schema, unit=unit))
