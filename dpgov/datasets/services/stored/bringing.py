"""A worker brings the file of a question here, beside its other work, to a moment that is public.

How long that takes depends on the file's size, hence on how many rows there are. So a copy counts
from the end of a class on, the shortest of 1, 2, 4, … seconds that covers what the declared bounds
may need; what took longer doubles the class. Must never keep a process from the questions whose
files are here.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import structlog
from django.db import Error, connection

from dpgov.datasets import storage
from dpgov.datasets.models import DatasetVersion
from dpgov.datasets.selectors import schema_of
from dpgov.datasets.services.fingerprint_key import is_of_this_key
from dpgov.datasets.services.stored.keeping import DataMissing, brought, name_of, one_bringer
from dpgov.datasets.store import store
from dpgov.datasets.store.base import StoreAway
from dpgov.privacy.answer.duration import rows_taken

_LEAST_SECONDS = 1.0
# A code takes eight bytes at most; storage and one thread's decryption give more than this.
_CODE_BYTES = 8
_BYTES_A_SECOND = 25_000_000
_RECENTLY = 60.0
_log = structlog.get_logger("dpgov.store")


@dataclass(frozen=True, slots=True)
class _Wanted:
    tenant_id: UUID
    version_id: UUID
    name: str
    seconds: float


def bring_soon(version_id: UUID, then: Callable[[], object]) -> bool:
    """Begin to bring this file, from a thread; `then` is called when it can be used here.

    False where there is nothing to bring it from. Inside `acting_for` its tenant.
    """
    if not store().is_shared:
        return False
    name = name_of(version_id)
    if not name:
        storage.away_path(version_id).touch(mode=0o600)
        return False
    version = DatasetVersion.objects.select_related("dataset__budget").get(pk=version_id)
    schema = schema_of(version)
    seconds = _class_of(rows_taken(schema) * len(schema.columns))
    wanted = _Wanted(version.tenant_id, version_id, name, seconds)
    threading.Thread(target=_bring, args=(wanted, then), daemon=True).start()
    return True


def may_come(version_id: UUID, key_id: str | None) -> bool:
    """Whether this machine has no reason to think that it cannot bring the file here."""
    if not store().is_shared or key_id is None or not is_of_this_key(key_id):
        return False
    try:
        failed_at = storage.away_path(version_id).stat().st_mtime
    except FileNotFoundError:
        return True
    return time.time() - failed_at > _RECENTLY


def _bring(wanted: _Wanted, then: Callable[[], object]) -> None:
    began = time.monotonic()
    away = storage.away_path(wanted.version_id)
    with one_bringer(wanted.version_id, patient=False) as ours:
        if not ours:
            return
        try:
            path = storage.data_path(wanted.version_id)
            with brought(wanted.tenant_id, wanted.version_id, wanted.name, path) as draft:
                _await_class(began, wanted.seconds)
                draft.rename(path)
        except (StoreAway, DataMissing, storage.NoRoom, OSError, Error) as problem:
            _log.error("a file cannot be brought", kind=type(problem).__name__)
            away.touch(mode=0o600)
            return
        finally:
            # This thread's own, by which it asked what is a copy.
            connection.close()
        away.unlink(missing_ok=True)
    then()


def _await_class(began: float, seconds: float) -> None:
    while seconds < time.monotonic() - began:
        seconds *= 2
    time.sleep(max(0.0, began + seconds - time.monotonic()))


def _class_of(codes: int) -> float:
    seconds = _LEAST_SECONDS
    while seconds < codes * _CODE_BYTES / _BYTES_A_SECOND:
        seconds *= 2
    return seconds
