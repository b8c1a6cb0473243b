"""A declared file goes through the child process, then into the database: both or neither."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar
from uuid import UUID, uuid4

from django.db import transaction

from dpgov.datasets import storage
from dpgov.datasets.models import DatasetVersion, Upload
from dpgov.datasets.services.appending import rows_of
from dpgov.datasets.services.files.joins import join_of
from dpgov.datasets.services.files.uploads import UploadUsed, child_limits
from dpgov.datasets.services.likeness import installation_key
from dpgov.datasets.services.parts import ReadAgain, earlier_files
from dpgov.engines import child
from dpgov.engines.child import Ingested, Progress, RefusedFile
from dpgov.engines.ingest.request import EarlierFile, UnitNames
from dpgov.privacy.plan.schema import DatasetSchema

R = TypeVar("R")
# Other files can enter the same budget while this one is read.
_TRIES = 3


class Follower(Protocol):
    """Whoever wants to know how far a file is; what it raises ends the reading."""

    def begins(self, version_id: UUID) -> None:
        """Before anything is written under this name."""

    def look(self, progress: Progress) -> None:
        """At least twice a second."""

    def recorded(self, made: Any) -> None:
        """At the end of the transaction that records the version."""


class _Alone:
    """Nobody follows."""

    def begins(self, version_id: UUID) -> None:
        pass

    def look(self, progress: Progress) -> None:
        pass

    def recorded(self, made: Any) -> None:
        pass


def remove_attempt(version_id: UUID | None) -> None:
    """What is left of a version that is not going to be recorded, if anything is."""
    if version_id is not None:
        for path in storage.left_behind(version_id):
            path.unlink(missing_ok=True)
        storage.arriving_path(version_id).unlink(missing_ok=True)


def ingest_and_record(
    upload: Upload,
    schema: DatasetSchema,
    record: Callable[[UUID, Ingested], R],
    *,
    partition_column: str = "",
    budget_id: UUID | None = None,
    append_to: DatasetVersion | None = None,
    follower: Follower | None = None,
) -> R:
    """Store the upload's codes as a new version's, then call `record` with the version's id.

    Those of `append_to` come first, as they are stored.

    Where a column names the unit, rows of a unit elsewhere than in its one part of the budget
    are left out. `record` is one transaction. If it or the follower raises, no data file is left,
    and the upload can be used again; after ReadAgain the file is read once more, beside those of
    that budget. Raises RefusedFile, NoRoom, UploadUsed, FingerprintKeyChanged, InvalidDomain.
    """
    followed = follower or _Alone()
    for _again in range(_TRIES):
        try:
            return _once(upload, schema, record, partition_column, budget_id, append_to, followed)
        except ReadAgain as moved:
            budget_id = moved.budget_id
    return _once(upload, schema, record, partition_column, budget_id, append_to, followed)


def _once(
    upload: Upload,
    schema: DatasetSchema,
    record: Callable[[UUID, Ingested], R],
    partition_column: str,
    budget_id: UUID | None,
    append_to: DatasetVersion | None,
    followed: Follower,
) -> R:
    source = storage.upload_path(upload.id)
    if not source.exists():
        raise UploadUsed(upload.id)
    earlier = earlier_files(budget_id, schema, partition_column, append_to)
    before = None if append_to is None else rows_of(append_to, schema)
    join = join_of(upload)
    version_id = uuid4()
    target, arriving = storage.data_path(version_id), storage.arriving_path(version_id)
    arriving.touch(mode=0o600)

    def watch(progress: Progress) -> None:
        arriving.touch()
        followed.look(progress)

    try:
        followed.begins(version_id)
        ingested = child.ingest(
            source,
            target,
            columns=schema.columns,
            max_rows=schema.max_rows,
            limits=child_limits(),
            key=installation_key(),
            unit=_unit_names(schema, partition_column, earlier),
            before=before,
            reading=upload.reading,
            join=join,
            watch=watch,
        )
        with transaction.atomic():
            recorded = record(version_id, ingested)
            followed.recorded(recorded)
    except BaseException as problem:
        target.unlink(missing_ok=True)
        arriving.unlink(missing_ok=True)
        if isinstance(problem, child.NoRoom):
            raise storage.NoRoom from problem
        if isinstance(problem, RefusedFile) and not source.exists():
            # A twin of this request registered the file and removed it under the reader.
            raise UploadUsed(upload.id) from problem
        raise
    arriving.unlink(missing_ok=True)
    source.unlink(missing_ok=True)
    if join is not None:
        Path(join.path).unlink(missing_ok=True)
    return recorded


def _unit_names(
    schema: DatasetSchema, partition_column: str, earlier: tuple[EarlierFile, ...]
) -> UnitNames | None:
    named = schema.unit.private_id
    return None if named is None else UnitNames(named, partition_column, earlier)
