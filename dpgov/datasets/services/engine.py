"""The door to a version's data, for the worker alone."""

import atexit
from functools import lru_cache
from uuid import UUID

from django.conf import settings

from dpgov.datasets import storage
from dpgov.datasets.models import DatasetVersion
from dpgov.engines.base import Engine
from dpgov.engines.files import DuckDBEngine


class DataMissing(Exception):
    """The version's file is not there. Known before anything is opened, so nothing is spent."""


def engine_for(version: DatasetVersion) -> Engine:
    """The engine of this version, kept open per process; raises DataMissing."""
    if not storage.data_path(version.id).exists():
        raise DataMissing(version.id)
    return _engine(version.id)


@lru_cache(maxsize=32)
def _engine(version_id: UUID) -> Engine:
    return DuckDBEngine(
        storage.data_path(version_id),
        seconds=settings.DPGOV_QUERY_SECONDS,
        memory_bytes=settings.DPGOV_QUERY_MEMORY_BYTES,
    )


# DuckDB complains on standard error about whatever is still open when the interpreter ends.
atexit.register(_engine.cache_clear)
