"""Whose row each row is, and its place among the rows of the same unit.

Two rows belong to one unit when their ids are the same text, spaces at the ends aside; numbers are
compared as they are written, since large ones are not exact as floats. A row without an id (empty,
or NaN) is dropped. `u` numbers the units in no particular order; `k` is a keyed hash of the id, and
`i`, until the rows are ranked, tells ids apart whose hashes are the same. `r` numbers a unit's rows
from 0 in the order of a keyed hash of the unit and of what the row holds in the declared columns,
by their names, then of the stored codes: rows that still tie are the same to every question. So
what is kept of a unit depends on that unit's rows alone, and neither on the order of the columns
nor on columns that nobody declared. `n` is the number of its rows, up to LARGEST_SIZE.

A unit belongs to one part of a budget, not of a file, so the first file of the budget that a unit
was in decides. Every stored file says it: it holds the keyed hash of each unit that has rows in it,
and their part. A unit all of whose rows are left out there is in a file before that one.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa

from dpgov.engines.ingest.recognised.hashes import CellHashes
from dpgov.engines.ingest.recognised.multiset import derived
from dpgov.engines.ingest.recognised.siphash import SipKey, Words, siphash
from dpgov.engines.ingest.request import EVERYTHING_ELSE, EarlierFile
from dpgov.engines.ingest.values import Cells
from dpgov.privacy.plan.grouping import LARGEST_SIZE


@contextmanager
def attached(connection: duckdb.DuckDBPyConnection, path: str, name: str) -> Iterator[None]:
    """Within, the stored file of this path is there to read under a name of ours."""
    quoted = path.replace("'", "''")
    connection.execute(f"ATTACH '{quoted}' AS {name} (READ_ONLY)")
    try:
        yield
    finally:
        connection.execute(f"DETACH {name}")


def place_units(connection: duckdb.DuckDBPyConnection, files: Sequence[EarlierFile]) -> None:
    """Make the table `known`: by its hash, the part of every earlier unit."""
    connection.execute("CREATE TEMP TABLE known (k UBIGINT, part INTEGER)")
    for file in files:
        with attached(connection, file.path, "earlier"):
            # One row for each hash, whatever the file holds: a join must not multiply rows.
            connection.execute(
                f"INSERT INTO known SELECT k, min({_part(file)}) FROM earlier.data "  # noqa: S608
                "WHERE k NOT IN (SELECT k FROM known) GROUP BY k"
            )


def _part(file: EarlierFile) -> str:
    """The part of a row there in the words of the new file."""
    column = f"c{file.column:d}"
    arms = "".join(f" WHEN {code:d} THEN {now:d}" for code, now in enumerate(file.codes))
    return f"CASE {column}{arms} ELSE {EVERYTHING_ELSE:d} END"


MARKS = "k UBIGINT, i UBIGINT, h UBIGINT"


@dataclass(frozen=True, slots=True)
class UnitColumn:
    """The column that names the unit, and the number of the stored column that divides units.

    Of a unit with rows in several parts of `partition` those in the part where an earlier file has
    it stay; of a unit that is new, those in the part of its first row.
    """

    place: int
    partition: int | None = None
    earlier: tuple[EarlierFile, ...] = ()


class UnitMarks:
    """Reads the rows of a file, batch by batch, into the columns of MARKS."""

    def __init__(self, column: UnitColumn, key: bytes) -> None:
        self._column = column
        self._key = key
        self._ids = CellHashes(key, "unit")
        self._order_key = SipKey.of(derived(key, "order"))
        self._known = np.empty(0, np.bool_)
        self._keys, self._apart = (np.empty(0, np.uint64) for _ in range(2))

    def add(self, place: int, cells: Cells) -> None:
        """Add one column of the batch, declared or not: the one that names the unit is read."""
        if place == self._column.place:
            self._read_ids(cells)

    def mixed(self, name: str, cells: Cells, hashes: Words) -> Words:
        """What a declared column, with its distinct cells' hashes, adds to the order of the rows.

        Hashes under a key that the name makes, to be summed: the columns' order is no matter.
        """
        own = SipKey.of(derived(self._key, f"order of {name}"))
        return siphash(own, hashes)[cells.rows]

    def _read_ids(self, cells: Cells) -> None:
        known, keys, apart = self._ids.of_names(cells)
        self._known = known[cells.rows]
        self._keys, self._apart = keys[cells.rows], apart[cells.rows]

    def table(self, stored: dict[str, pa.Array], mixed: Iterable[Words]) -> pa.Table:
        """The batch's codes and marks, without the rows that name no unit.

        `mixed` is what each declared column adds to the order.
        """
        sums = self._keys.copy()
        for words in mixed:
            sums += words
        order = siphash(self._order_key, sums)
        marks = {"k": self._keys, "i": self._apart, "h": order}
        rows = pa.table(stored | {name: pa.array(words) for name, words in marks.items()})
        return rows if self._known.all() else rows.filter(pa.array(self._known))


def rank_rows(
    connection: duckdb.DuckDBPyConnection,
    columns: Sequence[str],
    partition: str | None,
    earlier: Sequence[EarlierFile] = (),
    made: str = "TABLE ranked.data",
) -> int:
    """Make `ranked.data`, or what is `made`, of the rows in `data`; returns the number of units.

    `columns` are the names of the stored codes; `partition` the SQL of a row's part.
    """
    codes = ", ".join(columns)
    connection.execute(
        "CREATE TEMP TABLE units AS SELECT k, i, row_number() OVER () AS u "
        "FROM (SELECT DISTINCT k, i FROM data)"
    )
    own = f"PARTITION BY u ORDER BY h, {codes}"
    rows = f"SELECT {codes}, u::UINTEGER AS u, k, h FROM data JOIN units USING (k, i)"  # noqa: S608
    if partition is not None:
        place_units(connection, earlier)
        placed = (
            "SELECT own.*, known.part AS kept "  # noqa: S608
            f"FROM ({rows}) AS own LEFT JOIN known ON known.k = own.k"
        )
        first = f"coalesce(kept, first_value({partition}) OVER ({own}))"
        rows = f"SELECT * FROM ({placed}) QUALIFY {partition} = {first}"  # noqa: S608
    connection.execute(
        f"CREATE {made} AS SELECT {codes}, u, k, "  # noqa: S608
        f"(row_number() OVER ({own}) - 1)::UINTEGER AS r, "
        f"least(count(*) OVER (PARTITION BY u), {LARGEST_SIZE})::USMALLINT AS n FROM ({rows})"
    )
    counted = connection.execute("SELECT count(*) FROM units").fetchall()
    return int(counted[0][0])
