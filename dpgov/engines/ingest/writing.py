"""Rows on their way into a file: the next ones are read while these are written."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import TypeVar

import duckdb
import pyarrow as pa

_THREADS = 2
# Rows that the database keeps together.
_GROUP = 122_880
# Of more, so many rows would take too much memory.
_FEW_COLUMNS = 50

T = TypeVar("T")
Rows = Callable[[], pa.Table]
"""Makes rows once it is their turn to be written."""
Sink = Callable[[pa.Table], None]
"""Writes rows."""


class Writer:
    """Lets rows be made and written, one batch after the other, beside whoever brings them."""

    def __init__(self, threads: Executor, sink: Sink) -> None:
        self._threads, self._sink = threads, sink
        self._writing: Future[None] | None = None

    def append(self, rows: Rows) -> None:
        """Return once the batch before is written; raises what went wrong with it."""
        self.finish()
        self._writing = self._threads.submit(lambda: self._sink(rows()))

    def finish(self) -> None:
        """Return once everything is written; raises what went wrong."""
        if self._writing is not None:
            self._writing.result()


def threads_for(columns: int) -> int:
    """How many threads the database shall have that rows of so many columns go into."""
    return _THREADS if columns <= _FEW_COLUMNS else 1


@contextmanager
def into(connection: duckdb.DuckDBPyConnection, table: str) -> Iterator[Sink]:
    """Rows go into this table in one transaction: each batch by itself would be written twice.

    So many are written together that each thread has a whole group of rows, as the database keeps
    them: of less it would make pieces. Within, the connection is used for nothing else.
    """
    waiting: list[pa.Table] = []

    def insert(rows: pa.Table) -> None:
        waiting.append(rows)
        number = sum(map(len, waiting))
        few = rows.num_columns <= _FEW_COLUMNS
        if whole := number - number % (_THREADS * _GROUP) if few else number:
            found = pa.concat_tables(waiting)
            waiting[:] = [found.slice(whole)]
            write(found.slice(0, whole).combine_chunks())

    def write(rows: pa.Table) -> None:
        # Under a name they would stay in memory until the transaction ends.
        connection.from_arrow(rows).insert_into(table)

    connection.begin()
    yield insert
    for rows in waiting:
        write(rows)
    connection.commit()


def ahead(items: Iterator[T], threads: Executor) -> Iterator[T]:
    """The same, none of which is None; while one is looked at, the next is made."""
    coming = threads.submit(next, items, None)
    while (item := coming.result()) is not None:
        coming = threads.submit(next, items, None)
        yield item
