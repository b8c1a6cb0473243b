"""Rows put aside by their unit, so that they can be put in order a stack at a time.

A stack has the rows whose unit's keyed hash begins with the same bits: whole units, about as many
in each. Where it is too large for memory, be it that the file is or that a unit has very many rows,
the database sorts it, which writes down what it has no room for. The order is the same, see
`units`.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from dpgov.engines.ingest.units.order import Hash, hashed, in_order

_BITS = 6
_STACKS = 1 << _BITS
# Bytes of rows that are taken apart at once, and of a stack that is sorted in memory.
_AT_A_TIME = 1 << 23
# Of wide rows more, or each stack would get few of them at a time.
_FEW_ROWS, _MOST_AT_A_TIME = 1 << 16, 1 << 25
# What is written to each stack is gathered: a column of few rows is a few hundred bytes.
_GATHERED = 1 << 16
_MOST_IN_MEMORY = 1 << 26
# Of what the database sorted.
_ROWS_AT_A_TIME = 1 << 16


class Aside:
    """Files in a folder of its own, one a stack, each deleted once it is read.

    `make` makes the hashes of rows out of their `h`.
    """

    def __init__(self, folder: Path, columns: Sequence[str], make: Hash) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self._folder, self._make = folder, make
        self._order = ["k", "i", "h", *columns]
        self._open = ExitStack()
        self._files: dict[int, pa.RecordBatchStreamWriter] = {}
        self._bytes = [0] * _STACKS
        self._waiting: list[pa.Table] = []

    def add(self, rows: pa.Table) -> None:
        """Put aside rows with their codes and marks; all have the same columns."""
        self._waiting.append(rows)
        number, size = (sum(map(of, self._waiting)) for of in (len, _bytes_of))
        if size >= (_AT_A_TIME if number >= _FEW_ROWS else _MOST_AT_A_TIME):
            self._write()

    def close(self) -> None:
        """Nothing more is put aside."""
        self._write()
        self._open.close()

    def in_order(self, connection: duckdb.DuckDBPyConnection) -> Iterator[pa.Table]:
        """All rows by unit, hash and codes, some at a time; none of these is empty."""
        for number in sorted(self._files):
            path = self._path(number)
            with pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as stack:
                if self._bytes[number] <= _MOST_IN_MEMORY:
                    found = stack.read_all().combine_chunks()
                    yield found.take(pa.array(in_order(found, self._order, self._make)))
                else:
                    yield from self._by_database(connection, stack)
            path.unlink()

    def _by_database(
        self, connection: duckdb.DuckDBPyConnection, stack: pa.RecordBatchReader
    ) -> Iterator[pa.Table]:
        rows = (batch for each in stack for batch in self._hashed(each))
        connection.register("stack", pa.RecordBatchReader.from_batches(stack.schema, rows))
        ordered = connection.sql(f"FROM stack ORDER BY {', '.join(self._order)}")
        for batch in ordered.to_arrow_reader(_ROWS_AT_A_TIME):
            yield pa.table(batch)
        connection.unregister("stack")

    def _hashed(self, batch: pa.RecordBatch) -> list[pa.RecordBatch]:
        found: list[pa.RecordBatch] = hashed(pa.table(batch), self._make).to_batches()
        return found

    def _write(self) -> None:
        if not self._waiting:
            return
        rows = pa.concat_tables(self._waiting)
        self._waiting = []
        stacks = (rows["k"].to_numpy() >> np.uint64(64 - _BITS)).astype(np.uint8)
        numbers, width = np.bincount(stacks, minlength=_STACKS), rows.nbytes // max(len(rows), 1)
        rows = rows.take(pa.array(np.argsort(stacks, kind="stable"))).combine_chunks()
        ends = np.cumsum(numbers)
        for stack in np.flatnonzero(numbers).tolist():
            own = rows.slice(ends[stack] - numbers[stack], numbers[stack])
            self._file(stack, rows.schema).write_table(own)
            self._bytes[stack] += len(own) * width

    def _file(self, stack: int, schema: pa.Schema) -> pa.RecordBatchStreamWriter:
        if stack not in self._files:
            raw = self._open.enter_context(pa.OSFile(str(self._path(stack)), "wb"))
            file = self._open.enter_context(pa.BufferedOutputStream(raw, _GATHERED))
            self._files[stack] = self._open.enter_context(pa.ipc.new_stream(file, schema))
        return self._files[stack]

    def _path(self, stack: int) -> Path:
        return self._folder / f"{stack}.arrows"


def _bytes_of(rows: pa.Table) -> int:
    return int(rows.nbytes)
