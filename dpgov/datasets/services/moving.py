"""Files that are there already move from the state folder into shared storage, and back.

One at a time, and each in the order in which nothing can be lost, wherever a process dies:

* into storage: put, marked as arriving; read back and compared; recorded, with the lock of whoever
  could delete the data; only then is what lies here a copy, and goes unless somebody reads it.
* back: brought and compared, here for good; then let go, while nobody takes the copy away; storage
  is rid of it once that is decided.

A reader finds the one or the other. What a dead process left in storage goes by its mark, by the
database's word. Must never remove a file that was not found, whole, in its other place. Run where
the files are, by one process for each state folder; where bytes lie is no step of the log.
"""

import enum
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.db import transaction

from dpgov.datasets import storage
from dpgov.datasets.crossing import forget_stored, kept_among, living_among, stored_among
from dpgov.datasets.models import Dataset, DatasetVersion, StoredFile, Upload
from dpgov.datasets.services.files.uploads import UploadUsed, ready_upload
from dpgov.datasets.services.stored import keeping
from dpgov.datasets.services.stored.seals import seal_of
from dpgov.datasets.store import store
from dpgov.datasets.store.base import StoreAway
from dpgov.datasets.store.copies import draft_of, hold, take_away
from dpgov.engines.ingest.drafts import force_to_disk


class MoveOutcome(enum.Enum):
    """What became of a file."""

    MOVED = "moved"
    # Neither here nor there is the file that was recorded: nothing was done.
    LEFT = "left"
    # Its data was deleted or it was registered meanwhile.
    NOT_NEEDED = "not needed"


Moved = tuple[UUID, MoveOutcome]


class _NotNeeded(Exception):
    """Somebody decided that it goes."""


@dataclass(frozen=True, slots=True)
class _File:
    """A version's file with its seal and its dataset, or an upload's."""

    id: UUID
    path: Path
    seal: str = ""
    dataset_id: UUID | None = None

    def is_recorded(self) -> bool:
        """Whether what is here is what was recorded, as far as that says."""
        return not self.seal or seal_of(self.id) == self.seal


def move_to_store(tenant_id: UUID) -> Iterator[Moved]:
    """Each file of the tenant that storage has not, with what became of it.

    Inside `acting_for` the tenant. Raises StoreAway and OSError; then the file that was moved last
    is in one place or in both, and whoever calls again goes on there.
    """
    files = _files(tenant_id)
    for file_id in sorted(files.keys() - kept_among(list(files))):
        yield file_id, _ended(_to_store, tenant_id, files[file_id])


def move_to_folder(tenant_id: UUID) -> Iterator[Moved]:
    """Each file of the tenant that storage has; likewise."""
    files = _files(tenant_id)
    for file_id in sorted(files.keys() & kept_among(list(files))):
        yield file_id, _ended(_to_folder, tenant_id, files[file_id])


def _ended(move: Callable[[UUID, _File], MoveOutcome], tenant_id: UUID, file: _File) -> MoveOutcome:
    with keeping.one_bringer(file.id):
        try:
            outcome = move(tenant_id, file)
            if outcome is MoveOutcome.LEFT:
                with transaction.atomic():
                    _lock(file)
        except _NotNeeded:
            return MoveOutcome.NOT_NEEDED
        return outcome


def _files(tenant_id: UUID) -> dict[UUID, _File]:
    """What questions and registrations of the tenant may still ask for."""
    versions = DatasetVersion.objects.filter(tenant_id=tenant_id)
    versions = versions.exclude(file_seal=DatasetVersion.LIVE)
    found = list(versions.values_list("pk", "file_seal", "dataset_id"))
    living = living_among([pk for pk, _, _ in found])
    ready = Upload.objects.filter(tenant_id=tenant_id, state=Upload.State.READY, live__isnull=True)
    files = [_File(pk, storage.upload_path(pk)) for pk in ready.values_list("pk", flat=True)]
    files += [
        _File(pk, storage.data_path(pk), seal, dataset_id)
        for pk, seal, dataset_id in found
        if pk in living
    ]
    return {file.id: file for file in files}


def _to_store(tenant_id: UUID, file: _File) -> MoveOutcome:
    with ExitStack() as held:
        if not hold(file.path, held) or not file.is_recorded():
            return MoveOutcome.LEFT
        name = _shared_name(file) or _put(tenant_id, file)
        try:
            _record_in_store(tenant_id, file, name)
        except _NotNeeded:
            if not stored_among([name]):
                keeping.give_up(name)
            raise
        keeping.settle(name)
        _look_again(file, name)
    take_away(file.path, copy_of=file.id)
    return MoveOutcome.MOVED


def _put(tenant_id: UUID, file: _File) -> str:
    """In storage as a whole, under a name that nobody knows yet."""
    _rid_of_earlier(file.id)
    name = keeping.keep(tenant_id, file.path)
    if not store().holds(tenant_id, name, file.path):
        keeping.give_up(name)
        raise StoreAway("what was put there is not what comes back")
    return name


def _shared_name(file: _File) -> str:
    """Versions over one file, under names of their own in the folder, have one name in storage."""
    if file.dataset_id is None:
        return ""
    same = DatasetVersion.objects.filter(dataset=file.dataset_id, file_seal=file.seal)
    for version in same.exclude(pk=file.id):
        name = keeping.name_of(version.pk)
        if name and store().holds(version.tenant_id, name, file.path):
            return name
    return ""


def _rid_of_earlier(file_id: UUID) -> None:
    """What is left of a time when it lay in storage before."""
    earlier = StoredFile.objects.filter(pk=file_id, removed_at__isnull=False).first()
    if earlier is not None and not stored_among([earlier.name])[earlier.name]:
        store().remove(earlier.name)


@transaction.atomic
def _record_in_store(tenant_id: UUID, file: _File, name: str) -> None:
    _lock(file)
    if stored_among([name]).get(name) is False:
        # Shared with a version whose data was deleted meanwhile.
        raise _NotNeeded
    forget_stored(file.id)
    keeping.note(tenant_id, file.id, name)


def _look_again(file: _File, name: str) -> None:
    """A process that slept for an hour may have been taken for dead: then it lies here alone."""
    if store().size(name) is None:
        with transaction.atomic():
            keeping.let_go([file.id])
        raise StoreAway("what was put there is gone")


def _to_folder(tenant_id: UUID, file: _File) -> MoveOutcome:
    name = keeping.name_of(file.id)
    with ExitStack() as held:
        try:
            while not hold(file.path, held):
                _bring(tenant_id, file, name)
        except keeping.DataMissing:
            return MoveOutcome.LEFT
        if not (store().holds(tenant_id, name, file.path) and file.is_recorded()):
            return MoveOutcome.LEFT
        # Its name, too: until then a power cut might take it back.
        force_to_disk(file.path.parent)
        with transaction.atomic():
            _lock(file)
            keeping.let_go([file.id])
    return MoveOutcome.MOVED


def _bring(tenant_id: UUID, file: _File, name: str) -> None:
    """As a second name of the same file, where a version that shares it has it here."""
    for twin in StoredFile.objects.filter(tenant_id=tenant_id, name=name).exclude(pk=file.id):
        path = storage.data_path(twin.pk)
        if path.exists() and store().holds(tenant_id, name, path):
            os.link(path, file.path)
            return
    with draft_of(file.path) as draft:
        keeping.bring(tenant_id, file.id, name, draft)
        draft.rename(file.path)


def _lock(file: _File) -> None:
    """Whoever deletes the data, registers the upload or discards it waits; raises _NotNeeded."""
    if file.dataset_id is None:
        try:
            ready_upload(file.id)
        except UploadUsed:
            raise _NotNeeded from None
        return
    Dataset.objects.select_for_update(of=("self",)).get(pk=file.dataset_id)
    if not living_among([file.id]):
        raise _NotNeeded
