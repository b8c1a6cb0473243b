"""A version's data file: whether this machine has the very one that was recorded, and its door.

A worker on another machine, with another state folder or with a volume that is not mounted lacks
files that others have; what lies in shared storage it can bring, see `stored.bringing`. Must never
tell anything else about a file. The door is for the worker alone.
"""

import atexit
import hmac
import threading
from functools import lru_cache
from uuid import UUID

from django.conf import settings

from dpgov.datasets import storage
from dpgov.datasets.models import DatasetVersion
from dpgov.datasets.services.fingerprint_key import is_of_this_key
from dpgov.datasets.services.stored.keeping import DataMissing
from dpgov.datasets.services.stored.seals import seal_of
from dpgov.engines.base import Engine
from dpgov.engines.files import DuckDBEngine


def sees(version_id: UUID, file_seal: str, key_id: str | None) -> bool:
    """Whether this process may answer about the version: its file is here, and the key is the same.

    Nobody sees one without a seal or a key. A live table has no file that could be elsewhere.
    """
    if file_seal == DatasetVersion.LIVE:
        return True
    if key_id is None or not is_of_this_key(key_id):
        return False
    try:
        found = storage.data_path(version_id).stat()
        state = (found.st_ino, found.st_size, found.st_mtime_ns)
        seal = _seal_in_this_state(version_id, state, key_id)
        return hmac.compare_digest(seal, file_seal)
    except OSError:
        return False


@lru_cache(maxsize=256)
def _seal_in_this_state(version_id: UUID, _state: tuple[int, int, int], _key_id: str) -> str:
    return seal_of(version_id)


def file_engine(version: DatasetVersion) -> Engine:
    """The engine of this version's file, kept open per process; raises DataMissing."""
    try:
        found = storage.data_path(version.id).stat()
    except FileNotFoundError:
        raise DataMissing(version.id) from None
    return _engine(version.id).of(found.st_ino)


class _OneAtATime:
    """The engine of a version's file as it is here now.

    A file that was taken away and brought again is another one under the same path, which opens
    only once the first one is closed. Whoever reads a file holds it, so that by then nobody does.
    """

    def __init__(self, version_id: UUID) -> None:
        self._version_id = version_id
        self._lock = threading.Lock()
        self._open: tuple[int, DuckDBEngine] | None = None

    def of(self, inode: int) -> Engine:
        """The one of this very file."""
        with self._lock:
            if self._open is not None and self._open[0] != inode:
                self._open[1].close()
                self._open = None
            if self._open is None:
                self._open = inode, _opened(self._version_id)
            return self._open[1]


def _opened(version_id: UUID) -> DuckDBEngine:
    return DuckDBEngine(
        storage.data_path(version_id),
        seconds=settings.DPGOV_QUERY_SECONDS,
        memory_bytes=settings.DPGOV_QUERY_MEMORY_BYTES,
    )


@lru_cache(maxsize=32)
def _engine(version_id: UUID) -> _OneAtATime:
    return _OneAtATime(version_id)


# DuckDB complains on standard error about whatever is still open when the interpreter ends.
atexit.register(_engine.cache_clear)
