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
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.ingest.recognised.siphash import Words

_BITS = 6
_STACKS = 1 << _BITS
# Bytes of rows that are taken apart at once, and of a stack that is sorted in memory.
_AT_A_TIME = 1 << 23
_MOST_IN_MEMORY = 1 << 26
# Of what the database sorted.
_ROWS_AT_A_TIME = 1 << 16

Places = npt.NDArray[np.int64]


class Aside:
    """Files in a folder of its own, one a stack, each deleted once it is read."""

    def __init__(self, folder: Path, columns: Sequence[str]) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self._folder = folder
        self._order = ["k", "i", "h", *columns]
        self._open = ExitStack()
        self._files: dict[int, pa.RecordBatchStreamWriter] = {}
        self._bytes = [0] * _STACKS
        self._waiting: list[pa.Table] = []

    def add(self, rows: pa.Table) -> None:
        """Put aside rows with their codes and marks; all have the same columns."""
        self._waiting.append(rows)
        if sum(each.nbytes for each in self._waiting) >= _AT_A_TIME:
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
                    yield found.take(pa.array(_in_order(found, self._order)))
                else:
                    yield from self._by_database(connection, stack)
            path.unlink()

    def _by_database(
        self, connection: duckdb.DuckDBPyConnection, stack: pa.RecordBatchReader
    ) -> Iterator[pa.Table]:
        connection.register("stack", stack)
        ordered = connection.sql(f"FROM stack ORDER BY {', '.join(self._order)}")
        for batch in ordered.to_arrow_reader(_ROWS_AT_A_TIME):
            yield pa.table(batch)
        connection.unregister("stack")

    def _write(self) -> None:
        if not self._waiting:
            return
        rows = pa.concat_tables(self._waiting)
        self._waiting = []
        stacks = (rows["k"].to_numpy() >> np.uint64(64 - _BITS)).astype(np.uint8)
        numbers = np.bincount(stacks, minlength=_STACKS)
        rows = rows.take(pa.array(np.argsort(stacks, kind="stable"))).combine_chunks()
        ends = np.cumsum(numbers)
        for stack in np.flatnonzero(numbers).tolist():
            own = rows.slice(ends[stack] - numbers[stack], numbers[stack])
            self._file(stack, rows.schema).write_table(own)
            self._bytes[stack] += own.nbytes

    def _file(self, stack: int, schema: pa.Schema) -> pa.RecordBatchStreamWriter:
        if stack not in self._files:
            file = self._open.enter_context(pa.OSFile(str(self._path(stack)), "wb"))
            self._files[stack] = self._open.enter_context(pa.ipc.new_stream(file, schema))
        return self._files[stack]

    def _path(self, stack: int) -> Path:
        return self._folder / f"{stack}.arrows"


def _in_order(rows: pa.Table, names: Sequence[str]) -> Places:
    """The places of the rows in the order of `names`: k, i, h and the codes.

    By sorting words twice. That leaves open what the last bits of a row's hash decide, what the
    codes decide where hashes are the same, and what tells apart units of one hash: there is hardly
    ever any of it, and then the rows of those units are sorted by everything.
    """
    keys, apart, hashes = (rows[name].to_numpy() for name in names[:3])
    order = np.argsort(keys)
    same = _as_before(keys[order])
    units = np.cumsum(~same) - 1
    bits = np.uint64(len(rows).bit_length())
    words = (units.astype(np.uint64) << (np.uint64(64) - bits)) | (hashes[order] >> bits)
    if same.any():
        by_hash = np.argsort(words)
        order, words = order[by_hash], words[by_hash]
    tied = np.flatnonzero(_as_before(words))
    open_ = np.zeros(len(rows), np.bool_)
    open_[units[same & ~_as_before(apart[order])]] = True
    if not _are_same(rows, order[tied], order[tied - 1]):
        open_[units[tied]] = True
    return _by_everything(rows, names, order, np.flatnonzero(open_[units]))


def _are_same(rows: pa.Table, ones: Places, others: Places) -> bool:
    """Whether each row is the same as the other one; a column at a time, as they may be many."""
    one, other = pa.array(ones), pa.array(others)
    return all(column.take(one).equals(column.take(other)) for column in rows.columns)


def _by_everything(rows: pa.Table, names: Sequence[str], order: Places, at: Places) -> Places:
    """The order, but at these places, which are those of whole units, sorted by all columns."""
    if len(at):
        keys = [(name, "ascending") for name in names]
        chosen = rows.take(pa.array(order[at]))
        order[at] = order[at][pc.sort_indices(chosen, sort_keys=keys).to_numpy()]
    return order


def _as_before(words: Words) -> npt.NDArray[np.bool_]:
    """Where a word is the same as the one before it."""
    same = np.zeros(len(words), np.bool_)
    same[1:] = words[1:] == words[:-1]
    return same
