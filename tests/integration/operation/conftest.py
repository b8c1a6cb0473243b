"""What production's servers alone can show is left out of the embedded profile's run."""

from pathlib import Path

from django.db import connection

_PRODUCTION_ONLY = {"test_hard_limit.py"}


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """A pool of processes belongs to production."""
    embedded = connection.vendor == "sqlite"
    return (embedded and collection_path.name in _PRODUCTION_ONLY) or None
