"""Files in storage that machines share: how they get there, come here, and are let go.

Where files lie in the state folder alone each of these does nothing, or says what lies there. What
is recorded decides: a file whose row is not there, or says that it was let go, is brought nowhere.
"""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from uuid import UUID

import structlog
from django.conf import settings
from django.db import transaction

from dpgov.datasets import storage
from dpgov.datasets.crossing import stored_among
from dpgov.datasets.models import StoredFile
from dpgov.datasets.store import store
from dpgov.datasets.store.base import Beat, Mark, Missing, StoreAway, quiet
from dpgov.datasets.store.copies import draft_of, hold, make_room
from dpgov.operation import clock

# Whoever keeps a file has recorded it long before.
_OLD_SECONDS = 3600
_LOCKS = 64
_log = structlog.get_logger("dpgov.store")


class DataMissing(Exception):
    """The version's file is not there. Known before anything is opened, so nothing is spent."""


def keep(tenant_id: UUID, path: Path, *, beat: Beat = quiet) -> str:
    """Put a file where every machine finds it; returns its name. Raises StoreAway."""
    return store().put(tenant_id, path, beat=beat)


def fresh(name: str, beat: Beat) -> Beat:
    """The beat of a wait before the file is recorded: nobody takes it for one that never will be.

    It may raise StoreAway.
    """
    return store().fresh(name, beat) if name else beat


def note(tenant_id: UUID, file_id: UUID, name: str) -> None:
    """Record what the file is called, in the caller's transaction."""
    if name:
        StoredFile.objects.create(id=file_id, tenant_id=tenant_id, name=name)


def share(before_id: UUID, version_id: UUID) -> bool:
    """A new version has the very file of an earlier one; False where it has no name."""
    line = _line(before_id)
    if line is None:
        return False
    note(line.tenant_id, version_id, line.name)
    return True


def settle(name: str) -> None:
    """It is recorded. Where the storage is away now, the sweeper does it."""
    if name:
        with suppress(StoreAway):
            store().unmark(name, Mark.ARRIVING)


def give_up(name: str) -> None:
    """It is not going to be recorded. Likewise."""
    if name:
        with suppress(StoreAway):
            store().remove(name)


class Recording:
    """The transaction that records a file, told apart from everything before it.

    Once its COMMIT may be on its way the database may have recorded what it never said it had, be
    it a reply that is lost or a signal that ends the process meanwhile: from then on, whatever is
    raised, no file and no mark is deleted, and the sweeper asks the database later.
    """

    def __init__(self) -> None:
        self.may_be_there = False

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Once."""
        with transaction.atomic():
            yield
            self.may_be_there = True


def is_kept(version_id: UUID) -> bool:
    """Whether this machine has the version's file, or could bring it. May raise StoreAway."""
    return _is_kept(storage.data_path(version_id), version_id)


def is_kept_raw(upload_id: UUID) -> bool:
    """The same for an uploaded file."""
    return _is_kept(storage.upload_path(upload_id), upload_id)


def _is_kept(path: Path, file_id: UUID) -> bool:
    if path.exists():
        return True
    line = _line(file_id)
    return line is not None and store().size(line.name) is not None


def name_of(file_id: UUID) -> str:
    """What the file is called in shared storage; empty if it is not there."""
    line = _line(file_id)
    return "" if line is None else line.name


def _line(file_id: UUID) -> StoredFile | None:
    if not store().is_shared:
        return None
    return StoredFile.objects.filter(pk=file_id, removed_at__isnull=True).first()


@contextmanager
def at_hand(tenant_id: UUID, version_ids: Iterable[UUID], *, beat: Beat = quiet) -> Iterator[None]:
    """The versions' files are here, and stay; see `have`."""
    with ExitStack() as held:
        for version_id in version_ids:
            while not hold(storage.data_path(version_id), held):
                have(tenant_id, version_id, beat=beat)
        yield


def have(tenant_id: UUID, version_id: UUID, *, beat: Beat = quiet) -> None:
    """Bring the version's file here, unless it is; raises DataMissing, StoreAway and NoRoom."""
    _have(tenant_id, version_id, storage.data_path(version_id), beat)


@contextmanager
def raw_at_hand(tenant_id: UUID, upload_id: UUID, *, beat: Beat = quiet) -> Iterator[Path]:
    """An uploaded file is here, and stays; see `have`."""
    path = storage.upload_path(upload_id)
    with ExitStack() as held:
        while not hold(path, held):
            _have(tenant_id, upload_id, path, beat)
        yield path


def _have(tenant_id: UUID, file_id: UUID, path: Path, beat: Beat) -> None:
    if path.exists():
        return
    name = name_of(file_id)
    if not name:
        raise DataMissing(file_id)
    with one_bringer(file_id):
        if not path.exists():
            with brought(tenant_id, file_id, name, path, beat=beat) as draft:
                draft.rename(path)


@contextmanager
def brought(
    tenant_id: UUID, file_id: UUID, name: str, path: Path, *, beat: Beat = quiet
) -> Iterator[Path]:
    """A copy under a name that nobody looks for, which becomes the file when it is renamed.

    One at a time comes to a machine, so that all of them stay within the bound.
    """
    with draft_of(path) as draft:
        with _locked("bringing"):
            size = store().size(name)
            if size is None:
                raise DataMissing(file_id)
            make_room(size)
            bring(tenant_id, file_id, name, draft, beat=beat)
        yield draft


def bring(tenant_id: UUID, file_id: UUID, name: str, draft: Path, *, beat: Beat = quiet) -> None:
    """The same whatever the bound; raises DataMissing for what cannot be opened."""
    try:
        store().bring(tenant_id, name, draft, beat=beat)
    except Missing as problem:
        _log.error("a stored file cannot be opened", file=str(file_id))
        raise DataMissing(file_id) from problem


@contextmanager
def one_bringer(version_id: UUID, *, patient: bool = True) -> Iterator[bool]:
    """Nobody else on this machine brings the same file; whether it is this one's turn."""
    with _locked(f"bringing-{version_id.int % _LOCKS}", patient=patient) as ours:
        yield ours


@contextmanager
def _locked(name: str, *, patient: bool = True) -> Iterator[bool]:
    """A lock that ends with the process that holds it, however that ends."""
    folder = Path(settings.DPGOV_HOME) / "operation"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(folder / f"{name}.lock", flags, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if patient else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def let_go(file_ids: Iterable[UUID]) -> None:
    """Nobody needs these files any more: they go once the caller's transaction is there.

    A file that another version shares stays. Raises StoreAway, also where a process was started
    without the storage that they lie in; and then nothing may be decided.
    """
    lines = StoredFile.objects.filter(pk__in=list(file_ids), removed_at__isnull=True)
    if not store().is_shared:
        if lines.exists():
            raise StoreAway("files lie in a storage that this process was not told of")
        return
    names = sorted(set(lines.values_list("name", flat=True)))
    if not names:
        return
    lines.update(removed_at=clock.now())
    shared = StoredFile.objects.filter(name__in=names, removed_at__isnull=True)
    going = sorted(set(names) - set(shared.values_list("name", flat=True)))
    store().mark(going, Mark.LEAVING)
    transaction.on_commit(lambda: _remove(going))


def _remove(names: Iterable[str]) -> None:
    """The mark stays where the storage is away, for the sweeper."""
    for name in names:
        with suppress(StoreAway):
            store().remove(name)


def end_unrecorded() -> int:
    """Remove what was put there more than an hour ago and never recorded; returns how many."""
    names = store().marked(Mark.ARRIVING, older_than=_OLD_SECONDS)
    recorded = stored_among(names) if names else {}
    for name in names:
        if name in recorded:
            store().unmark(name, Mark.ARRIVING)
        else:
            store().remove(name)
    return len(set(names) - recorded.keys())


def finish_leaving() -> int:
    """Remove what was let go by a process that died; returns how many files.

    A mark alone removes nothing: the database says whether it was decided.
    """
    names = store().marked(Mark.LEAVING, older_than=0)
    recorded = stored_among(names) if names else {}
    decided = [name for name in names if recorded.get(name) is False]
    for name in decided:
        store().remove(name)
    for name in store().marked(Mark.LEAVING, older_than=_OLD_SECONDS) if names else ():
        if recorded.get(name):
            store().unmark(name, Mark.LEAVING)
    return len(decided)
