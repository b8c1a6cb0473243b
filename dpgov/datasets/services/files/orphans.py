"""Files that nobody needs any more: what a process left behind that died in the middle.

A data file has a mark beside it from before it is written until its version is recorded; only such
files are looked at. So a command that runs with a wrong or an old database finds no data file to
delete that was ever recorded.
"""

import threading
import time
from collections.abc import Iterable
from pathlib import Path
from uuid import UUID

import structlog
from django.db import Error, connection

from dpgov.datasets import storage
from dpgov.datasets.crossing import (
    kept_among,
    living_among,
    versions_among,
    waiting_uploads_among,
)
from dpgov.datasets.services.stored.keeping import end_unrecorded
from dpgov.datasets.store import copies, store

# An ingest is stopped long before.
_OLD_SECONDS = 3600
_log = structlog.get_logger("dpgov.store")


def remove_orphans() -> int:
    """Delete what was left behind more than an hour ago; returns how many were.

    Registrations that broke off, and raw files that were registered or never recorded.
    """
    left = _end_arrivals(_old(storage.arriving())) + _remove_raw(_old(storage.raw_files()))
    return left + end_unrecorded()


def tend_copies() -> int:
    """What a machine takes away of copies from shared storage; returns how many went.

    Those of data that was deleted, the least recently used beyond the bound, and uploaded files
    that nobody used for an hour. What lies here alone stays. Workers do so every ten seconds, web
    servers every minute.
    """
    if not store().is_shared:
        return 0
    _end_arrivals(_old(storage.arriving()))
    raw = _old(storage.raw_files())
    alone = waiting_uploads_among(list(raw)) - kept_among(list(raw)) if raw else set()
    for upload_id in raw.keys() - alone:
        copies.take_away(raw[upload_id])
    here = copies.copies()
    # What this database does not know may be known to the right one: it says nothing of the file.
    deleted = versions_among(here) - living_among(here) if here else set()
    return copies.tend(deleted)


def keep_tending(seconds: float) -> None:
    """Do so again and again, from a thread of its own, where files lie in shared storage."""
    if store().is_shared:
        threading.Thread(target=_keep_tending, args=(seconds,), daemon=True).start()


def _keep_tending(seconds: float) -> None:
    while True:
        time.sleep(seconds)
        try:
            tend_copies()
        except (Error, OSError) as problem:
            _log.warning("copies stay for now", kind=type(problem).__name__)
        connection.close()


def _old(files: Iterable[tuple[UUID, Path]]) -> dict[UUID, Path]:
    newest = time.time() - _OLD_SECONDS
    return {identity: path for identity, path in files if copies.used_at(path) < newest}


def _end_arrivals(marks: dict[UUID, Path]) -> int:
    recorded = versions_among(list(marks)) if marks else set()
    for version_id in marks.keys() - recorded:
        storage.remove_left_behind(version_id)
    for mark in marks.values():
        mark.unlink(missing_ok=True)
    return len(marks.keys() - recorded)


def _remove_raw(files: dict[UUID, Path]) -> int:
    waiting = waiting_uploads_among(list(files)) if files else set()
    for upload_id in files.keys() - waiting:
        files[upload_id].unlink(missing_ok=True)
    return len(files.keys() - waiting)
