"""Where the database is, as one text that no copy of it has: kept inside, compared from outside.

PostgreSQL: the cluster's identifier and the database's own number, neither of which is in a dump.
SQLite: the machine, the path of the file, and which file it is there: its inode and its birth,
which neither a copy nor a file that is put back keeps. What a backup writes *into* the very same
file is not seen here; the checkpoints beside it are then newer than the log.
"""

import ctypes
import hashlib
from pathlib import Path

from django.db import connection

_OF_POSTGRESQL = """
SELECT (SELECT system_identifier FROM pg_control_system()) || '/' ||
       (SELECT oid FROM pg_database WHERE datname = current_database())
"""
_MACHINE = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))
# statx(2): where it answers, and where in the answer the birth of a file stands.
_HERE, _BIRTH, _SIZE, _MASK_AT, _SECONDS_AT, _NANO_AT = -100, 0x800, 256, 0, 80, 88


def identity() -> str | None:
    """This database's; None for one that lives in memory only."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(_OF_POSTGRESQL)
            return str(cursor.fetchone()[0])
    path = _file()
    return None if path is None else identity_of_file(path)


def identity_of_file(path: Path) -> str:
    """Of a database in a file; raises OSError when it is not there."""
    real = path.resolve(strict=True)
    facts = [_machine(), str(real), str(real.stat().st_ino), str(_born(real))]
    return f"sqlite/{hashlib.sha256(chr(0).join(facts).encode()).hexdigest()}"


def _file() -> Path | None:
    """The file that is really open, whatever the settings say."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA database_list")
        found = {name: file for _, name, file in cursor.fetchall()}
    return Path(found["main"]) if found["main"] else None


def _machine() -> str:
    for path in _MACHINE:
        try:
            return path.read_text().strip()
        except OSError:
            continue
    return ""


def _born(path: Path) -> int:
    """When the file came to be, in ns; 0 where the system does not tell."""
    statx = getattr(ctypes.CDLL(None), "statx", None)
    if statx is None:
        return 0
    answer = ctypes.create_string_buffer(_SIZE)
    failed = statx(_HERE, bytes(path), 0, _BIRTH, answer)
    if failed or not _number(answer, _MASK_AT, 4) & _BIRTH:
        return 0
    return _number(answer, _SECONDS_AT, 8) * 10**9 + _number(answer, _NANO_AT, 4)


def _number(answer: "ctypes.Array[ctypes.c_char]", start: int, width: int) -> int:
    return int.from_bytes(answer.raw[start : start + width], "little")
