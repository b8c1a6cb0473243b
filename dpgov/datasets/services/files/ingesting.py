"""A declared file goes through the child process, then into the database: both or neither."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar
from uuid import UUID, uuid4

from dpgov.datasets import storage
from dpgov.datasets.models import DatasetVersion, Upload
from dpgov.datasets.services.appending import rows_of
from dpgov.datasets.services.files.joins import joined_to
from dpgov.datasets.services.files.uploads import UploadUsed, limits_of, raw_file
from dpgov.datasets.services.fingerprint_key import installation_key
from dpgov.datasets.services.parts import ReadAgain, earlier_files
from dpgov.datasets.services.stored import keeping
from dpgov.datasets.store.base import Beat
from dpgov.engines import child
from dpgov.engines.child import Ingested, Progress, RefusedFile
from dpgov.engines.ingest.request import EarlierFile, UnitNames
from dpgov.privacy.plan.schema import DatasetSchema

R = TypeVar("R")
S = TypeVar("S")
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
        storage.remove_left_behind(version_id)
        storage.arriving_path(version_id).unlink(missing_ok=True)


def ingest_and_record(
    upload: Upload,
    schema: DatasetSchema,
    compare: Callable[[Ingested, Beat], S],
    record: Callable[[UUID, Ingested, S], R],
    *,
    partition_column: str = "",
    budget_id: UUID | None = None,
    append_to: DatasetVersion | None = None,
    follower: Follower | None = None,
) -> R:
    """Store the upload's codes as a new version's, then call `record` with the version's id.

    Those of `append_to` come first, as they are stored.

    Where a column names the unit, rows of a unit elsewhere than in its one part of the budget
    are left out. `record` is one transaction, and gets what `compare` found before it, which may
    take its time as long as it beats. If it or the follower raises, no data file is left,
    and the upload can be used again; where it broke off at COMMIT, `orphans` decides an hour later
    what is left. After ReadAgain the file is read once more, beside those of
    that budget. Raises RefusedFile, NoRoom, UploadUsed, FingerprintKeyChanged, InvalidDomain.
    """
    once = partial(
        _once,
        upload,
        schema,
        compare,
        record,
        partition_column,
        append_to=append_to,
        followed=follower or _Alone(),
    )
    for _again in range(_TRIES):
        try:
            return once(budget_id=budget_id)
        except ReadAgain as moved:
            budget_id = moved.budget_id
    return once(budget_id=budget_id)


def _once(
    upload: Upload,
    schema: DatasetSchema,
    compare: Callable[[Ingested, Beat], S],
    record: Callable[[UUID, Ingested, S], R],
    partition_column: str,
    *,
    budget_id: UUID | None,
    append_to: DatasetVersion | None,
    followed: Follower,
) -> R:
    if not keeping.is_kept_raw(upload.id):
        raise UploadUsed(upload.id)
    bringer = upload.uploader_id
    earlier = earlier_files(budget_id, schema, partition_column, append_to, brought_by=bringer)
    before = None if append_to is None else rows_of(append_to, schema)
    version_id = uuid4()
    target, arriving = storage.data_path(version_id), storage.arriving_path(version_id)
    arriving.touch(mode=0o600)
    watch, name, recording = _Watch(arriving, followed), "", keeping.Recording()
    try:
        followed.begins(version_id)
        bring = partial(raw_file, beat=watch.again)
        with (
            bring(upload) as source,
            joined_to(upload, bring) as join,
            keeping.at_hand(upload.tenant_id, _beside(earlier, append_to), beat=watch.again),
        ):
            used = [upload.pk] if join is None else [upload.pk, UUID(Path(join.path).name)]
            ingested = child.ingest(
                source,
                target,
                columns=schema.columns,
                max_rows=schema.max_rows,
                limits=limits_of(source, upload.reading),
                key=installation_key(),
                unit=_unit_names(schema, partition_column, earlier),
                before=before,
                reading=upload.reading,
                join=join,
                watch=watch,
            )
        name = keeping.keep(upload.tenant_id, target, beat=watch.again)
        found = compare(ingested, watch.again)
        with recording.transaction():
            recorded = record(version_id, ingested, found)
            keeping.note(upload.tenant_id, version_id, name)
            keeping.let_go(used)
            followed.recorded(recorded)
    except BaseException as problem:
        if recording.may_be_there:
            raise
        keeping.give_up(name)
        target.unlink(missing_ok=True)
        arriving.unlink(missing_ok=True)
        if isinstance(problem, child.FullDisk):
            raise storage.NoRoom from problem
        if isinstance(problem, RefusedFile) and not storage.upload_path(upload.id).exists():
            # A twin of this request registered the file and removed it under the reader.
            raise UploadUsed(upload.id) from problem
        raise
    keeping.settle(name)
    arriving.unlink(missing_ok=True)
    for upload_id in used:
        storage.upload_path(upload_id).unlink(missing_ok=True)
    return recorded


class _Watch:
    """Tells the follower how far it is, and again while files go to storage or come from there."""

    def __init__(self, arriving: Path, followed: Follower) -> None:
        self._arriving, self._followed = arriving, followed
        self._far = Progress()

    def __call__(self, progress: Progress) -> None:
        self._far = progress
        self._arriving.touch()
        self._followed.look(progress)

    def again(self) -> None:
        self(self._far)


def _beside(earlier: tuple[EarlierFile, ...], append_to: DatasetVersion | None) -> list[UUID]:
    """The versions whose files are read, too."""
    found = {UUID(Path(file.path).stem) for file in earlier}
    return sorted(found if append_to is None else found | {append_to.pk})


def _unit_names(
    schema: DatasetSchema, partition_column: str, earlier: tuple[EarlierFile, ...]
) -> UnitNames | None:
    named, most = schema.unit.private_id, schema.unit.max_rows_per_unit
    return None if named is None else UnitNames(named, partition_column, earlier, most)
