"""Copies of shared files in the state folder: bounded, in use while somebody reads, gone otherwise.

Where files lie in the state folder alone nothing here is a copy, and nothing is ever taken away. A
copy is emptied before its name goes, so that no process keeps its content open; hence never while
somebody reads it. Which copies stay follows from when they were last used and from their sizes.
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
from dpgov.datasets.store import store

_ABANDONED_SECONDS = 3600
_DRAFT = ".brought"


@contextmanager
def in_use(version_ids: Iterable[UUID]) -> Iterator[None]:
    """Nobody on this machine takes these copies away meanwhile; what is here counts as used."""
    with ExitStack() as held:
        if store().is_shared:
            for version_id in version_ids:
                _hold(storage.data_path(version_id), held)
        yield


def _hold(path: Path, held: ExitStack) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    held.callback(os.close, descriptor)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    changed = os.fstat(descriptor).st_mtime_ns
    # Said outright: file systems may not note when something is read.
    os.utime(descriptor, ns=(time.time_ns(), changed))


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


def tend(living: Collection[UUID]) -> int:
    """Take away copies of what is not among the `living`, and what is too much or was left behind.

    Returns how many copies went.
    """
    gone = [path for path in _copies() if UUID(path.stem) not in living]
    taken = sum(_take_away(path) for path in gone)
    oldest = time.time() - _ABANDONED_SECONDS
    for path in storage.data_folder().glob(f"*{_DRAFT}"):
        if _seconds(path, "st_mtime") < oldest:
            path.unlink(missing_ok=True)
    before = len(_copies())
    _shrink(settings.DPGOV_STORE_CACHE_BYTES)
    return taken + before - len(_copies())


def copies() -> list[UUID]:
    """The versions that a copy is here of."""
    return [UUID(path.stem) for path in _copies()]


def _copies() -> list[Path]:
    """None that is only being made: its mark stands beside it until its version is recorded."""
    arriving = {version_id for version_id, _ in storage.arriving()}
    found = storage.data_files()
    return [path for version_id, path in found if version_id not in arriving]


def _shrink(most: int) -> bool:
    """Whether all takes so much room at most, once the least recently used copies are gone."""
    sizes = {path: _size(path) for path in storage.data_folder().iterdir()}
    total = sum(sizes.values())
    for path in sorted(_copies(), key=_used_at):
        if total <= most:
            break
        if _take_away(path):
            total -= sizes.get(path, 0)
    return total <= most


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except FileNotFoundError:
        return 0


def _used_at(path: Path) -> float:
    return _seconds(path, "st_atime")


def _seconds(path: Path, which: str) -> float:
    try:
        return float(getattr(path.lstat(), which))
    except FileNotFoundError:
        return time.time()


def _take_away(path: Path) -> bool:
    """Unless somebody reads it."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        os.truncate(descriptor, 0)
        path.unlink(missing_ok=True)
        return True
    finally:
        os.close(descriptor)
