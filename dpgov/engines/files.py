"""The embedded engine: one native DuckDB file per dataset version, opened read-only.

Must never write, load an extension, reach another file or the network, or let DuckDB's own error
texts out: they can quote values. The memory that one question may take has a hard end, whatever the
database believes: the kernel refuses what goes beyond, so that the process lives to say that it
failed. It counts address space, hence the room for threads and their arenas.
"""

import os
import resource
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb

from dpgov.engines.base import DataNotOpened, EngineFailure
from dpgov.engines.cubes.adding import added_up
from dpgov.engines.cubes.keeping import layouts_in, numbers_in
from dpgov.engines.deadlines import called_after
from dpgov.engines.grouping import Column
from dpgov.engines.scan import compile_scan
from dpgov.privacy.plan.bins import ROWS_OF_UNIT
from dpgov.privacy.plan.cubes import Layout, answers
from dpgov.privacy.plan.request import Counts, ExactAnswer, ExactRequest

_ROOM_FOR_THREADS = 512_000_000


@contextmanager
def bounded_memory(more_bytes: int) -> Iterator[None]:
    """Let this process grow by so many bytes and no further while the block runs.

    For a process that answers one question at a time: the bound is the whole process's.
    """
    before, hardest = resource.getrlimit(resource.RLIMIT_AS)
    bound = _held_bytes() + more_bytes + _ROOM_FOR_THREADS
    bounds = [b for b in (bound, before, hardest) if b != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(bounds), hardest))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hardest))


def _held_bytes() -> int:
    with open("/proc/self/statm", "rb", buffering=0) as told:  # noqa: PTH123 - before every answer
        return int(told.read(64).split()[0]) * resource.getpagesize()


_TOPS = {"UTINYINT": 2**8 - 1, "USMALLINT": 2**16 - 1, "UINTEGER": 2**32 - 1}
_LARGEST_TOP = 2**64 - 1
_MARK, _MARK_AT = b"DUCK", 8
# In this order: the last one forbids all further changes.
_LOCKED_DOWN = (
    # It would tell in the log how far a long scan has come.
    "SET enable_progress_bar = false",
    "SET temp_directory = ''",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET allow_community_extensions = false",
    "SET enable_external_access = false",
    "SET lock_configuration = true",
)


class DuckDBEngine:
    """Reads one file. `seconds` bounds a scan, `threads` and `memory_bytes` its means.

    Without `cubes` every answer is a scan, whatever the file has.
    """

    def __init__(
        self,
        path: Path,
        *,
        seconds: int,
        threads: int = 2,
        memory_bytes: int = 1_000_000_000,
        cubes: bool = True,
    ) -> None:
        self._path = path
        self._uses_cubes = cubes
        self._numbers: dict[int, Counts] = {}
        self._seconds = seconds
        self._threads = threads
        self._memory_bytes = memory_bytes
        self._lock = threading.Lock()
        self._opened: tuple[int, duckdb.DuckDBPyConnection] | None = None

    def answer(self, request: ExactRequest) -> ExactAnswer:
        """The exact integers, by a cube or one scan; raises EngineFailure after `seconds` or for
        any fault, DataNotOpened when the file was not even opened.
        """
        try:
            with bounded_memory(self._memory_bytes):
                added = self._by_cube(request)
                if added is not None:
                    return added if request.counts_many else tuple(map(tuple, added.tolist()))
                scan = compile_scan(request, self._tops)
                if not scan.is_by_columns:
                    return scan.cells(self._rows(scan.sql))
                counts = scan.counts(self._columns(scan.sql))
                return counts if request.counts_many else tuple(map(tuple, counts.tolist()))
        except DataNotOpened:
            raise DataNotOpened from None
        except Exception:  # noqa: BLE001 - whatever it was, it reads the same
            # From here on nobody may learn what it was: the cause can quote the data.
            raise EngineFailure from None

    def _by_cube(self, request: ExactRequest) -> Counts | None:
        """From the smallest cube that answers this; None where there is none, by its plan alone.

        What is in memory goes when the file does, and answers nothing more.
        """
        found = ((at, each) for at, each in enumerate(self._layouts) if answers(each, request))
        place, layout = next(found, (None, None))
        if place is None or layout is None:
            return None
        try:
            _look_at(self._path)
        except DataNotOpened:
            self._numbers.clear()
            # Of this question something may have been read before.
            raise EngineFailure from None
        if place not in self._numbers:
            self._numbers[place] = numbers_in(self._connection(), place, layout)
        return added_up(layout, self._numbers[place], request)

    @cached_property
    def _layouts(self) -> tuple[Layout, ...]:
        return layouts_in(self._connection()) if self._uses_cubes else ()

    @cached_property
    def _tops(self) -> dict[int, int]:
        """The largest code that fits each column, by its number; `u` and `r` have none."""
        described = self._connection().cursor().execute("DESCRIBE data").fetchall()
        tops = {name: _TOPS.get(kind, _LARGEST_TOP) for name, kind, *_ in described}
        named = {ROWS_OF_UNIT: tops["n"]} if "n" in tops else {}
        return named | {int(name[1:]): top for name, top in tops.items() if name[0] == "c"}

    def _rows(self, sql: str) -> list[tuple[int | None, ...]]:
        with _cursor_of(self._connection(), self._seconds) as cursor:
            return cursor.execute(sql).fetchall()

    def _columns(self, sql: str) -> list[Column]:
        with _cursor_of(self._connection(), self._seconds) as cursor:
            return list(cursor.execute(sql).fetchnumpy().values())

    def _connection(self) -> duckdb.DuckDBPyConnection:
        """Opened once per process: opening takes longer than most scans."""
        with self._lock:
            if self._opened is None or self._opened[0] != os.getpid():
                self._opened = (os.getpid(), self._open())
            return self._opened[1]

    def close(self) -> None:
        """Let the file go, while nobody asks.

        Before that this process cannot open another file under the same path: DuckDB would give
        out what it has open, which lets nothing be set any more.
        """
        with self._lock:
            if self._opened is not None and self._opened[0] == os.getpid():
                self._opened[1].close()
            self._opened = None

    def _open(self) -> duckdb.DuckDBPyConnection:
        _look_at(self._path)
        memory = f"{self._memory_bytes}B"
        config: dict[str, Any] = {"threads": self._threads, "memory_limit": memory}
        connection = duckdb.connect(str(self._path), read_only=True, config=config)
        for statement in _LOCKED_DOWN:
            connection.execute(statement)
        return connection


def _look_at(path: Path) -> None:
    """Raise DataNotOpened unless a database seems to be there; its mark holds nothing of the data.

    Once this has passed, DuckDB is let at the file, and a failure may come after some reading.
    """
    try:
        with path.open("rb") as file:
            beginning = file.read(_MARK_AT + len(_MARK))
    except OSError:
        raise DataNotOpened from None
    if beginning[_MARK_AT:] != _MARK:
        raise DataNotOpened


@contextmanager
def _cursor_of(
    connection: duckdb.DuckDBPyConnection, seconds: float
) -> Iterator[duckdb.DuckDBPyConnection]:
    """One for a single scan, which is interrupted when it takes too long.

    Again and again: an interrupt that comes before the scan has begun is lost.
    """
    cursor = connection.cursor()
    try:
        with called_after(seconds, cursor.interrupt):
            yield cursor
    finally:
        cursor.close()
