"""Rows of two stored files, put together by the unit that both name: a derived file.

Both hold the keyed hash of each unit's id, made with one secret of the installation, and the place
of each row among those of its unit. Of a unit the first m1 rows of the one file and the first m2 of
the other count, each pair of them is a row, and the first m of these are kept. So what is kept of
a unit depends on that unit's rows alone, in both files, and is never more than m rows: a person
who changes in both files at once changes rows of their own, and no other. Rows of a unit that is in
one file only are left out. Nothing but the unit is ever matched.

A column is read whole and its rows put in order, and all are written together: what time, room and
memory that may take follows from how many rows are declared, not from who is in both files.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from dpgov.engines.cubes.keeping import keep_cubes
from dpgov.engines.pairs import BYTES, Kept, Rows, UnitRows, kept_of, units_of
from dpgov.privacy.plan.cubes import Layout
from dpgov.privacy.plan.grouping import LARGEST_SIZE

# One thread reads rows in the order in which they are stored.
_CONFIG: dict[str, Any] = {"threads": 1, "preserve_insertion_order": True}
# What the database may keep, and more for each column that it writes, as it has blocks for each.
_READING_BYTES, _BYTES_OF_COLUMN = 64_000_000, 600_000
# For pieces that are read and written, and what allocators keep.
_SPARE_BYTES = 300_000_000
_READ_AT_ONCE = 1 << 16
# Bytes of codes.
_WRITTEN_AT_ONCE = 32_000_000


@dataclass(frozen=True, slots=True)
class Parent:
    """A stored file, at most how many rows of a unit are used of it, and which of its columns."""

    path: str
    rows_of_unit: int
    columns: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """For the child."""
        return asdict(self)


def parent_of(item: dict[str, Any]) -> Parent:
    """That again."""
    return Parent(item["path"], item["rows_of_unit"], tuple(item["columns"]))


def most_rows(first: Parent, second: Parent, rows: tuple[int, int], rows_of_unit: int) -> int:
    """A bound on the rows of the derived file, from the bounds of its parents: public numbers."""
    beside = min(second.rows_of_unit, rows_of_unit), min(first.rows_of_unit, rows_of_unit)
    return min(rows[0] * beside[0], rows[1] * beside[1])


def most_rows_within(memory_bytes: int, columns: int) -> int:
    """How many rows all three files may have by what is declared, for a reader with this memory.

    Of so many, whatever is in them, a file of so many columns can be made.
    """
    left = memory_bytes - _writing_bytes(columns) - _SPARE_BYTES
    return min(max(left, 0) // BYTES, 2**32 - 1)


def derive(
    first: Parent,
    second: Parent,
    draft: Path,
    *,
    rows_of_unit: int,
    memory_bytes: int,
    cubes: Sequence[Layout] = (),
) -> None:
    """Write the derived rows to `draft`: the columns of the first parent, then of the second.

    `rows_of_unit` is m, `cubes` are counted from them. Whatever the files hold, nothing is told
    of it, and nothing of it decides whether this can be done: see `most_rows_within`.
    """
    with _aside(draft.with_name(f"{draft.name}.columns")) as aside:
        with _reading(first, second, draft) as connection:
            _create(connection, first, second, draft)
            kept = _kept(connection, first, second, rows_of_unit)
            for name, parent, rows in (("a", first, kept.firsts), ("b", second, kept.seconds)):
                number = _number(connection, f"FROM {name}.data")
                for column in parent.columns:
                    aside.add(*_column(connection, name, column, number), rows)
        _write(draft, kept, aside)
    keep_cubes(draft, cubes, threads=1, memory_bytes=memory_bytes)


@contextmanager
def _reading(first: Parent, second: Parent, draft: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Both files, as `a` and `b`. Each block is read once: there is no use in keeping many."""
    # Whatever is put aside for lack of memory goes when drafts do, see `ingest.drafts`.
    config = _config(_READING_BYTES) | {"temp_directory": f"{draft}.tmp"}
    with duckdb.connect(config=config) as connection:
        for name, parent in (("a", first), ("b", second)):
            connection.execute(f"ATTACH {_quoted(parent.path)} AS {name} (READ_ONLY)")
        yield connection


def _config(memory_bytes: int) -> dict[str, Any]:
    return _CONFIG | {"memory_limit": f"{memory_bytes // 1_000_000}MB"}


def _quoted(path: str) -> str:
    return "'" + path.replace("'", "''") + "'"


def _writing_bytes(columns: int) -> int:
    return _READING_BYTES + columns * _BYTES_OF_COLUMN


def _kept(
    connection: duckdb.DuckDBPyConnection, first: Parent, second: Parent, rows_of_unit: int
) -> Kept:
    sides = [_units(connection, name, one) for name, one in (("a", first), ("b", second))]
    return kept_of(sides[0], sides[1], rows_of_unit)


def _units(connection: duckdb.DuckDBPyConnection, name: str, parent: Parent) -> UnitRows:
    used = f"FROM {name}.data WHERE r < {parent.rows_of_unit:d}"
    number = _number(connection, used)
    keys = np.empty(number, np.uint64)
    places, rows = np.empty(number, np.uint32), np.empty(number, np.uint32)
    _read(connection, f"SELECT k, r, rowid::UINTEGER {used}", (keys, places, rows))
    return units_of(keys, places, rows)


def _number(connection: duckdb.DuckDBPyConnection, rows: str) -> int:
    (found,) = connection.execute(f"SELECT count(*) {rows}").fetchall()
    return int(found[0])


def _column(
    connection: duckdb.DuckDBPyConnection, name: str, column: int, number: int
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """The codes of all rows, so many, in the order of the file, and which of them are missing."""
    code, whole = f"c{column:d}", f"FROM {name}.data"
    kind = connection.execute(f"SELECT {code} {whole} LIMIT 0").fetchnumpy()[code].dtype
    found = np.empty(number, kind), np.empty(number, np.bool_)
    _read(connection, f"SELECT coalesce({code}, 0), {code} IS NULL {whole}", found)
    return found


def _read(
    connection: duckdb.DuckDBPyConnection, sql: str, into: Sequence[npt.NDArray[Any]]
) -> None:
    at = 0
    for batch in connection.sql(sql).to_arrow_reader(_READ_AT_ONCE):
        for found, column in zip(into, batch.columns, strict=True):
            found[at : at + len(batch)] = column.to_numpy(zero_copy_only=False)
        at += len(batch)


def _create(
    connection: duckdb.DuckDBPyConnection, first: Parent, second: Parent, draft: Path
) -> None:
    """An empty table with columns of the same types."""
    sides = (("one", first), ("two", second))
    taken = [f"{name}.c{column:d}" for name, parent in sides for column in parent.columns]
    names = ", ".join(f"{code} AS c{number}" for number, code in enumerate(taken))
    connection.execute(f"ATTACH {_quoted(str(draft))} AS made")
    draft.chmod(0o600)
    connection.execute(
        f"CREATE TABLE made.data AS SELECT {names}, one.u, one.k, one.r, one.n "  # noqa: S608
        "FROM a.data AS one, b.data AS two LIMIT 0"
    )
    connection.execute("DETACH made")


def _write(draft: Path, kept: Kept, aside: "_Aside") -> None:
    """In one transaction: what is committed bit by bit would be written twice."""
    some = max(_WRITTEN_AT_ONCE // (8 * (aside.columns + 4)), 1)
    sizes = np.minimum(kept.sizes, LARGEST_SIZE).astype(np.uint16)
    with duckdb.connect(str(draft), config=_config(_writing_bytes(aside.columns))) as connection:
        connection.begin()
        for at in range(0, len(kept.units), some):
            units, places = kept.units[at : at + some], kept.places[at : at + some]
            marks = [units, kept.keys[units], places, sizes[units]]
            columns = [*aside.rows(at, len(units)), *map(pa.array, marks)]
            rows = pa.table(columns, [f"column{number}" for number in range(len(columns))])
            connection.from_arrow(rows).insert_into("data")
        connection.commit()


class _Aside:
    """Columns of the derived rows, one after the other in a file, of which pieces are read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        # Where the codes of each column begin, where it says which are missing, and their type.
        self._columns: list[tuple[int, int, np.dtype[Any]]] = []

    @property
    def columns(self) -> int:
        """How many there are."""
        return len(self._columns)

    def add(self, codes: npt.NDArray[Any], missing: npt.NDArray[np.bool_], rows: Rows) -> None:
        """Put aside the codes of these rows of a file."""
        begins = self._write(codes, rows), self._write(missing, rows)
        self._columns.append((*begins, codes.dtype))

    def rows(self, begin: int, number: int) -> list[pa.Array]:
        """All columns of so many rows."""
        self._file.flush()
        return [
            pa.array(
                self._read(codes, begin, number, kind),
                mask=self._read(missing, begin, number, np.dtype(np.bool_)),
            )
            for codes, missing, kind in self._columns
        ]

    def _write(self, found: npt.NDArray[Any], rows: Rows) -> int:
        at = self._file.tell()
        for begin in range(0, len(rows), _READ_AT_ONCE):
            self._file.write(found[rows[begin : begin + _READ_AT_ONCE]].tobytes())
        return at

    def _read(self, at: int, begin: int, number: int, kind: np.dtype[Any]) -> npt.NDArray[Any]:
        size = kind.itemsize
        return np.frombuffer(os.pread(self._file.fileno(), size * number, at + size * begin), kind)


@contextmanager
def _aside(path: Path) -> Iterator[_Aside]:
    path.touch(mode=0o600)
    with path.open("w+b") as file:
        yield _Aside(file)
    path.unlink()
