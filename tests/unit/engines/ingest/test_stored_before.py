"""D6, F11: a file is stored as it was stored when rows were ranked by one query over all of them.

The digests are of what that code stored. Whoever changes one lets the same file keep other rows of
a person than it did, and people who were recorded before be other people.
"""

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from dpgov.engines.ingest.request import Before, EarlierFile, UnitNames
from tests.unit.engines.tables import category, ingest_here, number, write_csv, write_parquet

COLUMNS = (number("v", "0", "300"), category("town", "a", "b"))
TOWNS = ["a", "b", "x", "", None, " a "]
NAMES = ["id", "v", "town", "note"]
# Who is one person and who is not: "7", " 7 " and "7.0" are, "07" is another.
IDS = ["7", " 7 ", "07", "7.0", "-0", "0", "-0.0", "NaN", "", None, "é", "é", "straße", "P", "p"]
BIG = ["9007199254740993", "9007199254740992", "1" * 30, "x" * 1000, "𐀀"]
VALUES = ["1", "1.0", " 1 ", "1e0", "-0.0", "0", "1e400", "-5", "nan", "n/a", "", "2.5", "299.5"]
Cells = tuple[object, ...]


def _rows(ids: list[Any], number_of: int, begin: int = 0) -> list[Cells]:
    """No two cells of a row come again together for long; and many rows of a person tie."""
    return [
        (
            ids[place * 7 % len(ids)],
            VALUES[place * 5 % len(VALUES)],
            TOWNS[place * place % len(TOWNS)],
            place % 3,
        )
        for place in range(begin, begin + number_of)
    ]


def _csv(folder: Path) -> Path:
    path = write_csv(folder / "t.csv", NAMES, _rows(IDS + BIG, 900))
    ingest_here(path, COLUMNS, unit=UnitNames("id"))
    return path


def _parquet(folder: Path, ids: pa.Array) -> Path:
    values = pa.array([0.0, -0.0, float("nan"), None, 1.5, 2.5, float("inf"), -3.0] * 100)
    towns = pa.array((TOWNS * 134)[:800]).dictionary_encode()
    path = write_parquet(folder / "t.parquet", {"id": ids, "v": values, "town": towns})
    ingest_here(path, COLUMNS, unit=UnitNames("id", "town"))
    return path


def _floats(folder: Path) -> Path:
    ids = [0.0, -0.0, float("nan"), None, 1e300, 7.0, float("inf"), 2.0**53] * 100
    return _parquet(folder, pa.array(ids[3:] + ids[:3]))


def _integers(folder: Path) -> Path:
    ids = [2**63 - 1, -(2**63), 10**18, 10**18 - 1, None, 0, 7, 7, -7, 1] * 80
    return _parquet(folder, pa.array(ids, pa.int64()))


def _one_person(folder: Path) -> Path:
    """More rows than a size is counted up to, and a few of somebody else among them."""
    rows = [
        ("q" if place % 9999 == 5 else "p", place % 400, "ab"[place % 2])
        for place in range(140_000)
    ]
    path = write_csv(folder / "t.csv", NAMES[:3], rows)
    ingest_here(path, COLUMNS, unit=UnitNames("id"), max_rows=10**6)
    return path


def _nobody(folder: Path) -> Path:
    path = write_csv(folder / "t.csv", NAMES, [(None, 1, "a", 0), ("", 2, "b", 0)])
    ingest_here(path, COLUMNS, unit=UnitNames("id"))
    return path


def _added(folder: Path) -> Path:
    """Three vintages in one budget of parts."""
    path, before = folder / "0.csv", None
    earlier: tuple[EarlierFile, ...] = ()
    for number_of_file, many in enumerate((200, 150, 300)):
        path = write_csv(
            folder / f"{number_of_file}.csv", NAMES, _rows(IDS + BIG, many, 101 * number_of_file)
        )
        unit = UnitNames("id", "town", earlier)
        ingest_here(path, COLUMNS, unit=unit, before=before)
        stored = str(path.with_suffix(".duckdb"))
        before = Before(stored, ((0, None), (1, 2)))
        earlier = (*earlier, EarlierFile(stored, 1, (0, 1)))
    return path


def _hardly_again(folder: Path, kind: str) -> Path:
    """Cells that hardly come again, that are near to each other and that move on with the rows; of
    most persons one row; as the file types them, in groups of rows, or all as texts.
    """
    places = range(9_000)
    ids = [None if place % 500 == 3 else place * 7919 % 8_600 - 50 for place in places]
    columns = {
        "id": pa.array(ids, pa.int64()),
        "v": pa.array([round(place * 0.317 % 301, 3) for place in places]),
        "town": pa.array([TOWNS[place % 6] for place in places]),
        "near": pa.array([place * 31 % 700 + place // 4_000 * 90 for place in places], pa.int16()),
        "on": pa.array([place + 10**17 for place in places]),
        "far": pa.array([place**5 % 2**64 for place in places], pa.uint64()),
    }
    path = folder / f"t.{kind}"
    if kind == "csv":
        pyarrow.csv.write_csv(pa.table(columns), path)
    else:
        pq.write_table(pa.table(columns), path, row_group_size=1_500)
    ingest_here(path, COLUMNS, unit=UnitNames("id"))
    return path


def _digest(stored: Path) -> str:
    """Of all rows but for the numbers of units, which have no order, and of what it recognises."""
    with duckdb.connect(str(stored.with_suffix(".duckdb")), read_only=True) as connection:
        rows = connection.execute("SELECT k, r, n, c0, c1 FROM data ORDER BY ALL").fetchall()
        units = connection.execute(
            "SELECT count(DISTINCT k), count(DISTINCT (k, u)), count(DISTINCT u) FROM data"
        ).fetchall()
        seen = connection.execute("SELECT * FROM seen ORDER BY name").fetchall()
    assert len(set(units[0])) == 1
    return hashlib.sha256(repr((rows, units, seen)).encode()).hexdigest()[:16]


@pytest.mark.parametrize(
    ("store", "digest"),
    [
        (_csv, "79749864190921f3"),
        (_floats, "27ab38bd0ab66563"),
        (_integers, "a2b8c028f2c725bf"),
        (_one_person, "92b1b1c01fd17845"),
        (_nobody, "5be6414c50a98231"),
        (_added, "bbdb26ba367e74ce"),
        (partial(_hardly_again, kind="parquet"), "a44b20522de6567e"),
        (partial(_hardly_again, kind="csv"), "a44b20522de6567e"),
    ],
)
def test_a_file_is_stored_as_it_was(
    tmp_path: Path, store: Callable[[Path], Path], digest: str
) -> None:
    assert _digest(store(tmp_path)) == digest
