"""D6: rows are put in order and numbered as one query would do it that sees all of them at once.

That query is here alone: it is what `rank_rows` was, and takes twice the time and memory.
"""

import errno
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import patch

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpgov.engines.ingest.request import ELSEWHERE, EVERYTHING_ELSE, EarlierFile, UnitNames
from dpgov.engines.ingest.units import aside, ranks
from dpgov.engines.ingest.units.aside import Aside
from dpgov.engines.ingest.units.parts import CategoryParts
from dpgov.engines.ingest.units.ranks import RANKED, _Places, _Units, rank_rows
from dpgov.engines.ingest.writing import into
from tests.examples import examples
from tests.unit.engines.tables import category, ingest_here, write_csv

Row = tuple[int, int, int, int | None, int | None]
TYPES = {"k": pa.uint64(), "i": pa.uint64(), "h": pa.uint64(), "c0": pa.uint16(), "c1": pa.uint8()}
Earlier = dict[int, int | None]
LARGEST, OTHERS = 4, 2
# Bytes of a row.
_WIDTH = 27
# An earlier file had the categories the other way round, and one more.
CODES_THERE = (1, 0, ELSEWHERE)
_OWN_PART = f"CASE WHEN c1 < {OTHERS} THEN c1::INTEGER ELSE {EVERYTHING_ELSE} END"


def _part_there(code: int | None) -> int:
    return EVERYTHING_ELSE if code is None else CODES_THERE[code]


# Hashes that are the same, or begin the same, are what never comes by itself.
_KEYS = st.sampled_from([0, 1, 2**63, 2**63 + 1, 2**64 - 1])
_HASHES = st.sampled_from([0, 1, 2, 2**40, 2**60, 2**63, 2**64 - 2, 2**64 - 1])
_ROWS = st.tuples(
    _KEYS,
    st.integers(0, 1),
    _HASHES,
    st.sampled_from([None, 0, 1, 300]),
    st.sampled_from([None, 0, 1, 2]),
)
_EARLIER = st.dictionaries(_KEYS, st.sampled_from([None, 0, 1, 2]), max_size=3)


def _batches(rows: Sequence[Row], size: int) -> list[pa.Table]:
    return [
        pa.table(
            {
                name: pa.array([row[place] for row in rows[begin : begin + size]], kind)
                for place, (name, kind) in enumerate(TYPES.items())
            }
        )
        for begin in range(0, len(rows), size)
    ]


def _by_one_query(
    connection: duckdb.DuckDBPyConnection, rows: Sequence[Row], known: Earlier | None
) -> None:
    """Make `expected`: of all rows, or where parts are `known`, of those in their unit's part."""
    connection.register("rows", pa.concat_tables(_batches(rows, len(rows))))
    connection.execute("CREATE TABLE before (k UBIGINT, part INTEGER)")
    for key, code in (known or {}).items():
        connection.execute("INSERT INTO before VALUES (?, ?)", [key, _part_there(code)])
    connection.execute(
        "CREATE VIEW numbered AS SELECT *, u FROM rows JOIN (SELECT k, i, row_number() OVER () "
        "AS u FROM (SELECT DISTINCT k, i FROM rows)) USING (k, i)"
    )
    # What is put aside of a row is not what it is ordered by, but makes it.
    own = "PARTITION BY u ORDER BY 18446744073709551615 - h, c0, c1"
    first = f"coalesce(part, first_value({_OWN_PART}) OVER ({own}))"
    kept = "" if known is None else f"QUALIFY {_OWN_PART} = {first}"
    connection.execute(
        f"CREATE TABLE expected AS SELECT c0, c1, u, k, row_number() OVER ({own}) - 1 AS r, "
        f"least(count(*) OVER (PARTITION BY u), {LARGEST}) AS n "
        f"FROM (SELECT numbered.* FROM numbered LEFT JOIN before USING (k) {kept})"
    )


def _units(connection: duckdb.DuckDBPyConnection, table: str) -> Counter[tuple[object, ...]]:
    """Its units, each by all that is stored of it, whatever numbers they have."""
    found: dict[int, list[object]] = {}
    rows = connection.execute(f"SELECT u, r, k, n, c0, c1 FROM {table} ORDER BY u, r").fetchall()
    for unit, *row in rows:
        found.setdefault(unit, []).append(tuple(row))
    return Counter(map(tuple, found.values()))


def _earlier(folder: Path, known: Earlier) -> tuple[EarlierFile, ...]:
    path = folder / "earlier.duckdb"
    with duckdb.connect(str(path)) as connection:
        # Twice each, as a unit has several rows in a file.
        rows = {"c0": [*known.values()] * 2, "k": pa.array([*known] * 2, pa.uint64())}
        connection.register("rows", pa.table(rows))
        connection.execute("CREATE TABLE data AS SELECT c0::UTINYINT AS c0, k FROM rows")
    return (EarlierFile(str(path), 0, CODES_THERE),)


def _cut(tables: Iterable[pa.Table], pieces: int) -> Iterator[pa.Table]:
    """As the database brings many rows: one unit goes on over several."""
    for table in tables:
        yield from (table.slice(begin, pieces) for begin in range(0, len(table), pieces))


def _ranked(
    connection: duckdb.DuckDBPyConnection,
    rows: Sequence[Row],
    size: int,
    known: Earlier | None,
    pieces: int = 1000,
) -> int:
    """Make `data` of the rows, brought so many at a time and numbered in pieces; returns the number
    of units.
    """
    connection.execute(f"CREATE TABLE data (c0 USMALLINT, c1 UTINYINT, {RANKED})")
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(2) as threads,
        connection.cursor() as sorting,
        connection.cursor() as knowing,
        into(connection, "data") as sink,
    ):
        put = Aside(Path(folder) / "aside", ["c0", "c1"], np.invert)
        for batch in _batches(rows, size):
            put.add(batch)
        put.close()
        parts = None
        if known is not None:
            parts = CategoryParts(knowing, "c1", OTHERS, _earlier(Path(folder), known))
        ordered = _cut(put.in_order(sorting), pieces)
        return rank_rows(ordered, ["c0", "c1"], parts, threads, sink)


@examples(60)
@given(
    rows=st.lists(_ROWS, min_size=1, max_size=40),
    known=st.one_of(st.none(), _EARLIER),
    size=st.integers(1, 9),
    together=st.integers(1, 12),
    few=st.sampled_from([0, 5, 1 << 16]),
    in_memory=st.sampled_from([0, 5 * _WIDTH, 1000 * _WIDTH]),
    pieces=st.integers(1, 12),
)
# Two units of one hash, whose rows would lie between each other's.
@example(
    rows=[(1, place % 2, place << 60, None, None) for place in range(4)],
    known=None,
    size=9,
    together=9,
    few=0,
    in_memory=1000 * _WIDTH,
    pieces=1000,
)
# One unit that goes on and on, before and after so many rows that their number is no matter.
@example(
    rows=[(1, 0, place << 56, place, place % 2) for place in range(30)],
    known={1: 0},
    size=9,
    together=9,
    few=0,
    in_memory=1000 * _WIDTH,
    pieces=3,
)
def test_rows_are_numbered_as_by_one_query(
    rows: list[Row],
    known: Earlier | None,
    size: int,
    together: int,
    few: int,
    in_memory: int,
    pieces: int,
) -> None:
    """Ties, copies, hashes that are the same: in memory or by the database, in whatever pieces."""
    with (
        patch.object(aside, "_AT_A_TIME", together * _WIDTH),
        patch.object(aside, "_FEW_ROWS", few),
        patch.object(aside, "_MOST_AT_A_TIME", 2 * together * _WIDTH),
        patch.object(aside, "_MOST_IN_MEMORY", in_memory),
        patch.object(ranks, "LARGEST_SIZE", LARGEST),
        duckdb.connect() as connection,
    ):
        units = _ranked(connection, rows, size, known, pieces)
        _by_one_query(connection, rows, known)
        assert _units(connection, "data") == _units(connection, "expected")
        assert units == len({row[:2] for row in rows})


def test_a_number_that_does_not_fit_breaks_off() -> None:
    """D6: or a rank would come again, and a person's rows beyond the bound count once more."""
    rows = _batches([(1, 0, 0, 1, 1)], 1)[0].append_column("u", pa.array([0], pa.uint32()))
    places = _Places(["c0", "r"])
    places._gone, places._whose = 2**32 - 1, 0
    assert places.ready(rows)["r"].to_pylist() == [2**32 - 1]
    with pytest.raises(pa.ArrowInvalid):
        places.ready(rows)
    units = _Units(None)
    units.number = 2**32
    with pytest.raises(pa.ArrowInvalid):
        units.numbered(rows.drop_columns("u"))


def test_no_rows_are_no_units() -> None:
    with duckdb.connect() as connection:
        assert _ranked(connection, [], 1, None) == 0
        assert not _units(connection, "data")


@pytest.mark.parametrize("in_memory", [0, 1 << 20], ids=["by the database", "in memory"])
def test_what_was_read_takes_no_room_on_the_disk(tmp_path: Path, in_memory: int) -> None:
    """L13: neither by its name nor by a file that is still open."""
    folder, rows = tmp_path / "aside", [(key << 58, 0, key, 1, 1) for key in range(64)]
    put = Aside(folder, ["c0", "c1"], np.invert)
    put.add(_batches(rows, len(rows))[0])
    put.close()
    assert len([*folder.iterdir()]) == 64
    with patch.object(aside, "_MOST_IN_MEMORY", in_memory), duckdb.connect() as connection:
        assert sum(map(len, put.in_order(connection))) == 64
    assert not [*folder.iterdir()]
    held = [str(one.readlink()) for one in Path("/proc/self/fd").iterdir() if one.is_symlink()]
    assert not [path for path in held if str(folder) in path]


@pytest.mark.parametrize(
    "where",
    [
        "units.aside.Aside._file",
        "units.aside.in_order",
        "units.parts.CategoryParts.of_units",
        "units.ranks._Places.rest",
        "store.remember",
        "store.keep_cubes",
    ],
)
def test_what_breaks_off_leaves_nothing(tmp_path: Path, where: str) -> None:
    """L13: wherever the disk is full, in whatever thread; and it is told as it was."""
    source = write_csv(tmp_path / "t.csv", ["id", "town"], [(place, "a") for place in range(99)])
    full = OSError(errno.ENOSPC, "full")
    with (
        patch(f"dpgov.engines.ingest.{where}", side_effect=full),
        pytest.raises(OSError, match="full") as caught,
    ):
        ingest_here(source, (category("town", "a"),), unit=UnitNames("id", "town"))
    assert caught.value is full
    assert [*tmp_path.iterdir()] == [source]
