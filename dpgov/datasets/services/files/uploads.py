"""Files on their way in: streamed to disk, looked at by a child process, the uploader's alone.

What the child may use comes from the settings. How many files are read at once on this machine:
there is one lock file for each reader that may run, and a lock ends with the process that holds it,
however that ends.
"""

import fcntl
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.services import append
from dpgov.datasets import storage
from dpgov.datasets.models import Upload
from dpgov.datasets.services.stored import keeping
from dpgov.datasets.store.base import Beat, quiet
from dpgov.engines import child
from dpgov.engines.child import Limits, RefusedFile
from dpgov.language.said import said
from dpgov.tenants.models import Tenant, User
from dpgov.tenants.selectors import actor_of

_LOOKING_SECONDS = 20
_BYTES_A_SECOND = 1_000_000
_BELIEVED = 10


def child_limits() -> Limits:
    """Memory and time for one file that is read, of whatever size."""
    return Limits(
        memory_bytes=settings.DPGOV_INGEST_MEMORY_BYTES,
        seconds=settings.DPGOV_INGEST_SECONDS,
        disk_bytes=settings.DPGOV_UPLOAD_MAX_BYTES,
    )


def limits_of(file: Path, reading: Mapping[str, Any]) -> Limits:
    """The same for a file of this size: a second more for each megabyte, of an archive unpacked.

    On two cores of today a megabyte of text takes two hundredths of one, or thirteen in a table of
    two hundred columns with a column of people. What an archive says of itself is believed up to
    ten times its size: more of it is the same over and over, and quickly read.
    """
    whole, size = child_limits(), file.stat().st_size
    read = max(size, min(reading.get("unpacked_bytes", 0), _BELIEVED * size))
    return replace(whole, seconds=whole.seconds + read // _BYTES_A_SECOND)


def looking_limits() -> Limits:
    """The same for a look at its beginning, while somebody waits at a page."""
    whole = child_limits()
    return replace(whole, seconds=min(whole.seconds, _LOOKING_SECONDS))


_POLL = 0.05


class Busy(Exception):
    """Every reader of this machine is at work."""


@contextmanager
def reader_slot(purpose: str, *, patience: float = 0) -> Iterator[None]:
    """Hold one of the machine's readers for this purpose; raises Busy after so many seconds."""
    until = time.monotonic() + patience
    while (held := _free(purpose)) is None:
        if time.monotonic() >= until:
            raise Busy(purpose)
        time.sleep(_POLL)
    try:
        yield
    finally:
        os.close(held)


def _free(purpose: str) -> int | None:
    folder = Path(settings.DPGOV_HOME) / "operation"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number in range(settings.DPGOV_READERS):
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        lock = os.open(folder / f"{purpose}-{number}.lock", flags, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
        else:
            return lock
    return None


_LONGEST_NAME = 200
_PATIENCE = 20.0


def looking() -> AbstractContextManager[None]:
    """Hold a reader while somebody waits at a page; raises Busy if none is free for long."""
    return reader_slot("looking", patience=_PATIENCE)


def calling() -> AbstractContextManager[None]:
    """The same while a server of an owner is asked: one that is slow keeps no file waiting."""
    return reader_slot("calling", patience=_PATIENCE)


class UploadBusy(Exception):
    """The upload is being registered at present."""


class UploadUsed(Exception):
    """The upload was registered or discarded before; it is used once."""


def receive_upload(
    *,
    tenant: Tenant,
    uploader: User,
    name: str,
    chunks: Iterable[bytes],
    invented: bool = False,
) -> Upload:
    """Take a file, streaming it to disk; see `take_upload`. Raises NoRoom too."""
    spool = storage.Spool(largest=settings.DPGOV_UPLOAD_MAX_BYTES)
    try:
        for chunk in chunks:
            spool.write(chunk)
        return take_upload(
            tenant=tenant, uploader=uploader, name=name, spool=spool, invented=invented
        )
    except storage.TooLarge as problem:
        raise RefusedFile(problem.args[0]) from problem
    finally:
        spool.discard()


def take_upload(
    *,
    tenant: Tenant,
    uploader: User,
    name: str,
    spool: storage.Spool,
    invented: bool = False,
    public_for: Upload | None = None,
) -> Upload:
    """Keep a file that has arrived; `name` is only remembered, never used as a path.

    Its beginning is looked at, which is quick; a worker reads the rest. Raises RefusedFile, keeping
    nothing, for a file that is no table, and Busy when too many arrive at once.

    Where people practise only `invented` rows of ours are taken: rows of real people would have a
    second budget there, out of sight of the figures of their organisation.
    """
    if tenant.is_practice and not invented:
        raise RefusedFile(said("People practise here: upload your file in your own organisation."))
    path, stored, recording = spool.keep(), "", keeping.Recording()
    try:
        with looking(), _room():
            found = child.inspect(path, limits=looking_limits())
        stored = keeping.keep(tenant.pk, path)
        with recording.transaction():
            upload = Upload.objects.create(
                id=spool.id,
                tenant=tenant,
                uploader=uploader,
                original_name=name[-_LONGEST_NAME:],
                format=found.format,
                byte_size=spool.size,
                headers=list(found.headers),
                kinds=list(found.kinds) if any(found.kinds) else [],
                reading=found.reading,
                public_for=public_for,
            )
            keeping.note(tenant.pk, spool.id, stored)
            record_upload(upload, actor_of(uploader), Action.FILE_UPLOADED)
    except BaseException:
        if not recording.may_be_there:
            path.unlink(missing_ok=True)
            keeping.give_up(stored)
        raise
    keeping.settle(stored)
    return upload


@contextmanager
def raw_file(upload: Upload, *, beat: Beat = quiet) -> Iterator[Path]:
    """The uploaded file, here and not taken away meanwhile.

    Brought where it lies in shared storage; raises UploadUsed, StoreAway and NoRoom.
    """
    with ExitStack() as held:
        try:
            path = held.enter_context(keeping.raw_at_hand(upload.tenant_id, upload.pk, beat=beat))
        except keeping.DataMissing:
            raise UploadUsed(upload.pk) from None
        yield path


@contextmanager
def looked_at(upload: Upload) -> Iterator[Path]:
    """The same while somebody waits at a page; raises RefusedFile where there is no room for it."""
    with ExitStack() as held:
        try:
            path = held.enter_context(raw_file(upload))
        except storage.NoRoom as full:
            raise RefusedFile(full.args[0]) from full
        with _room():
            yield path


@contextmanager
def _room() -> Iterator[None]:
    """A file of an archive may be put down while it is looked at; raises RefusedFile if none fits.

    The operator finds the reason in the log.
    """
    try:
        yield
    except child.FullDisk as full:
        raise RefusedFile(storage.NoRoom().args[0]) from full


def ready_upload(upload_id: UUID) -> Upload:
    """The locked row of a file that can still be used; raises UploadUsed."""
    upload = Upload.objects.select_for_update().filter(pk=upload_id).first()
    if upload is None or upload.state != Upload.State.READY:
        raise UploadUsed(upload_id)
    return upload


def use_up(upload: Upload) -> None:
    """It is registered, and no file can be made of it again, nor of what was joined to it."""
    Upload.objects.filter(Q(pk=upload.pk) | Q(public_for=upload)).update(state=Upload.State.USED)


def record_upload(upload: Upload, actor: Actor, action: Action) -> None:
    """Neither the file's name nor its size: an upload is its uploader's alone."""
    append(
        tenant_id=upload.tenant_id,
        actor=actor,
        action=action,
        subject=f"upload:{upload.id}",
        detail={"format": upload.format},
    )
