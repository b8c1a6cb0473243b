"""Copies of shared files in the state folder: bounded, in use while somebody reads, gone otherwise.

A copy is what storage has, too, by the database's word, asked again under the lock that nobody who
reads it lets go: a file that lies here alone is never taken away, whatever the bound. A copy is
emptied before its name goes, so that no process keeps its content open; hence never while somebody
reads it. Which copies stay follows from when they were last used and from their sizes; data files
and uploads are one heap.
"""

import fcntl
import os
import secrets
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import UUID

from django.conf import settings

from dpgov.datasets import storage
from dpgov.datasets.crossing import kept_among
from dpgov.datasets.store import store

_ABANDONED_SECONDS = 3600
_DRAFT = ".brought"


@contextmanager
def in_use(version_ids: Iterable[UUID]) -> Iterator[None]:
    """Nobody on this machine takes these files away meanwhile; what is here counts as used."""
    with ExitStack() as held:
        for version_id in version_ids:
            hold(storage.data_path(version_id), held)
        yield


def hold(path: Path, held: ExitStack) -> bool:
    """Whether the file is here; then it stays until `held` ends, and counts as used."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    held.callback(os.close, descriptor)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    if not _is_at(path, descriptor):
        return False
    if store().is_shared:
        changed = os.fstat(descriptor).st_mtime_ns
        # Said outright: file systems may not note when something is read.
        os.utime(descriptor, ns=(time.time_ns(), changed))
    return True


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether the file has its name still: it may have gone while its lock was waited for."""
    try:
        return path.lstat().st_ino == os.fstat(descriptor).st_ino
    except FileNotFoundError:
        return False


@contextmanager
def draft_of(file: Path) -> Iterator[Path]:
    """Where a copy is written before it counts; nothing is left of it unless it was renamed."""
    path = file.with_suffix(f".{secrets.token_hex(8)}{_DRAFT}")
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def make_room(size: int) -> None:
    """So that a copy of this size stays within the bound; raises NoRoom where it cannot."""
    bound: int = settings.DPGOV_STORE_CACHE_BYTES
    if not _shrink(bound - size):
        raise storage.NoRoom


def tend(deleted: Collection[UUID]) -> int:
    """Take away what is here of `deleted` versions, and copies that are too much or left behind.

    Returns how many copies of data went.
    """
    gone = [path for version_id, path in _data() if version_id in deleted]
    taken = sum(take_away(path) for path in gone)
    oldest = time.time() - _ABANDONED_SECONDS
    for path in storage.data_folder().glob(f"*{_DRAFT}"):
        if used_at(path) < oldest:
            path.unlink(missing_ok=True)
    before = len(_data())
    _shrink(settings.DPGOV_STORE_CACHE_BYTES)
    return taken + before - len(_data())


def copies() -> list[UUID]:
    """The versions of which a data file is here."""
    return [version_id for version_id, _ in _data()]


def _data() -> list[tuple[UUID, Path]]:
    """None that is only being made: its mark stands beside it until its version is recorded."""
    arriving = {version_id for version_id, _ in storage.arriving()}
    return [(which, path) for which, path in storage.data_files() if which not in arriving]


def _raw() -> list[tuple[UUID, Path]]:
    return [(which, path) for which, path in storage.raw_files() if path.name == str(which)]


def _shrink(most: int) -> bool:
    """Whether all takes so much room at most, once the least recently used copies are gone."""
    data, raw = dict(_data()), dict(_raw())
    kept = kept_among([*data, *raw]) if data or raw else set()
    # What lies here alone is no copy, and no bound is about it.
    sizes = _sizes([path for which, path in data.items() if which not in kept])
    copies_here = {path: which for which, path in (data | raw).items() if which in kept}
    sizes |= {path: _size(path) for path in copies_here}
    total = sum(sizes.values())
    for path in sorted(copies_here, key=used_at):
        if total <= most:
            break
        if take_away(path, copy_of=copies_here[path]):
            total -= sizes[path]
    return total <= most


def _sizes(alone: Collection[Path]) -> dict[Path, int]:
    """Of everything beside them that takes room for copies: drafts and what is being made."""
    data = [path for path in storage.data_folder().iterdir() if path not in alone]
    drafts = [path for _, path in storage.raw_files() if path.name.endswith(_DRAFT)]
    return {path: _size(path) for path in (*data, *drafts)}


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0


def used_at(path: Path) -> float:
    """When it was made, brought here or used last; now, if it is gone."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return time.time()
    return max(found.st_atime, found.st_mtime)


def take_away(path: Path, *, copy_of: UUID | None = None) -> bool:
    """Empty and remove it, unless somebody reads it; whether it went.

    With `copy_of` only as long as storage has this file, asked under the lock: so that nobody takes
    away what was moved into this folder a moment ago. Its content stays under another name.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _is_at(path, descriptor) or (copy_of and not kept_among([copy_of])):
            return False
        if os.fstat(descriptor).st_nlink == 1:
            os.truncate(descriptor, 0)
        path.unlink(missing_ok=True)
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
