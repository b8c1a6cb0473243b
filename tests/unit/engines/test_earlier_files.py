"""L2: a file is read beside the earlier ones of its budget, which say where each unit lies."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import duckdb

from dpgov.engines.ingest.request import ELSEWHERE, EarlierFile, UnitNames
from tests.unit.engines.tables import category, ingest_here, number, write_csv

COLUMNS = (number("id", "0", "99"), number("v", "0", "300"), category("town", "a", "b"))
Cells = tuple[str, str, str]


def _ingested(path: Path, rows: Sequence[Cells], *earlier: EarlierFile) -> EarlierFile:
    """A file of rows, read beside earlier ones; and what a later one is to know of it."""
    source = write_csv(path, ["id", "v", "town"], rows)
    ingest_here(source, COLUMNS, unit=UnitNames("id", "town", earlier))
    return EarlierFile(str(source.with_suffix(".duckdb")), 2, (0, 1))


def _towns(file: EarlierFile) -> dict[int, set[int | None]]:
    with duckdb.connect(file.path, read_only=True) as connection:
        found = connection.execute("SELECT c0, list(DISTINCT c2) FROM data GROUP BY 1").fetchall()
    return {person: set(towns) for person, towns in found}


FIRST = [("0", "1", "a"), ("1", "1", "b"), ("2", "1", "x")]
LATER = [(str(person), "2", town) for person in range(4) for town in ("b", "a", "y")]


def test_the_first_file_of_all_decides_where_a_unit_lies(tmp_path: Path) -> None:
    """L2: over three files."""
    first = _ingested(tmp_path / "1.csv", FIRST)
    second = _ingested(tmp_path / "2.csv", LATER, first)
    assert {person: _towns(second)[person] for person in range(3)} == {0: {0}, 1: {1}, 2: {2}}
    third = _ingested(tmp_path / "3.csv", LATER, first, second)
    assert _towns(third) == _towns(second)
    away = [(person, value, "b") for person, value, _ in FIRST]
    assert _towns(_ingested(tmp_path / "4.csv", away, first, second, third)) == {1: {1}}


def test_parts_are_told_by_their_names_and_not_by_their_codes(tmp_path: Path) -> None:
    """L2: and a part that a file does not declare is nowhere in it."""
    first = _ingested(tmp_path / "1.csv", FIRST)
    swapped = replace(first, codes=(1, 0))
    assert _towns(_ingested(tmp_path / "2.csv", FIRST, swapped)) == {2: {2}}
    without = replace(first, codes=(0, ELSEWHERE))
    assert _towns(_ingested(tmp_path / "3.csv", FIRST, without)) == {0: {0}, 2: {2}}
