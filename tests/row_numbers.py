"""How many rows a transaction has written, and which numbers the next rows get.

SQLite gives numbers back with the rest of a test. PostgreSQL does not: there each test of a module
begins with the numbers that the first one began with, whose rows are gone.
"""

from contextlib import closing
from pathlib import Path
from typing import Any

from django.db import connection

Numbers = tuple[tuple[Any, ...], ...]

_NEXT = "SELECT sequencename, coalesce(last_value, start_value), last_value IS NOT NULL"
_SEQUENCES = f"{_NEXT} FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1"
_SET = "SELECT setval(format('public.%%I', %s::text)::regclass, %s, %s)"
_WRITTEN = "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_xact_user_tables"

_first: dict[Path, Numbers] = {}


def numbers(module: Path) -> Numbers:
    """Those that the next rows of a test of this module get."""
    if connection.vendor == "sqlite":
        return _asked("SELECT name, seq FROM sqlite_sequence")
    now = _asked(_SEQUENCES)
    if module not in _first:
        _first.clear()
        _first[module] = now
    with connection.cursor() as cursor:
        for before in set(_first[module]) - set(now):
            cursor.execute(_SET, before)
    return _first[module]


def changes() -> int:
    """How many rows were inserted, changed or deleted, also by what was taken back."""
    if connection.vendor == "sqlite":
        return int(connection.connection.total_changes)
    return int(_asked(_WRITTEN)[0][0])


def _asked(statement: str) -> Numbers:
    """Past whoever listens to the statements of a test."""
    connection.ensure_connection()
    with closing(connection.connection.cursor()) as cursor:
        cursor.execute(statement)
        return tuple(cursor.fetchall())
