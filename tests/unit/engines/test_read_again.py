"""A file that is read once more becomes the same; the tests of pages copy what came of it."""

from pathlib import Path
from typing import Any

import duckdb
import pytest

from dpgov.engines import child
from dpgov.engines.child import Ingested, Limits, Progress, RefusedFile
from dpgov.engines.fingerprint import as_json
from dpgov.engines.ingest.request import UnitNames
from tests import read_once
from tests.unit.engines.tables import KEY, category, number, write_csv

LIMITS = Limits(memory_bytes=500_000_000, seconds=60)
COLUMNS = (number("n", "0", "9"), category("sex", "f", "m"))
UNITS = {"of rows": None, "of people": UnitNames("person", "", (), 2)}
ROWS = [(row % 10, "fm"[row % 2], f"P{row // 3}") for row in range(300)]


def _ingest(source: Path, target: Path, unit: UnitNames | None) -> tuple[Ingested, Any]:
    """What came of it, and all of that as it can be compared."""
    told: list[Progress] = []
    stored = child.ingest(
        source,
        target,
        columns=COLUMNS,
        max_rows=1000,
        limits=LIMITS,
        key=KEY,
        unit=unit,
        watch=told.append,
    )
    numbers = (stored.rows, stored.units, stored.newcomers, as_json(stored.fingerprint))
    return stored, (numbers, told[-1:])


def _all_of(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        names = [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
        return {name: connection.table(name).fetchall() for name in names}


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
def test_the_same_file_becomes_the_same_whether_it_is_read_or_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: UnitNames | None
) -> None:
    """Its rows in their order, its cubes, its fingerprint, and how far the reader said it was."""
    source = write_csv(tmp_path / "rows.csv", ("n", "sex", "person"), ROWS)
    read = [_ingest(source, tmp_path / name, unit)[1] for name in ("first", "second")]
    monkeypatch.setattr(child, "converse", read_once.converse)
    copied = [_ingest(source, tmp_path / name, unit)[1] for name in ("third", "fourth")]
    assert read[0] == read[1] == copied[0] == copied[1]
    tables = [_all_of(tmp_path / name) for name in ("first", "second", "third", "fourth")]
    assert "data" in tables[0]
    assert tables[0] == tables[1] == tables[2] == tables[3]
    modes = {(tmp_path / name).stat().st_mode for name in ("first", "fourth")}
    assert len(modes) == 1


def test_a_copy_is_made_for_the_same_declarations_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was refused is refused again, and whoever allows fewer rows gets no copy of more."""
    source = write_csv(tmp_path / "rows.csv", ("n", "sex", "person"), ROWS)
    monkeypatch.setattr(child, "converse", read_once.converse)
    by_row, _ = _ingest(source, tmp_path / "first", None)
    by_person, _ = _ingest(source, tmp_path / "second", UNITS["of people"])
    assert (by_row.units, by_person.units) == (None, 100)
    for name in ("third", "fourth"):
        with pytest.raises(RefusedFile, match="more than 10 rows"):
            child.ingest(
                source, tmp_path / name, columns=COLUMNS, max_rows=10, limits=LIMITS, key=KEY
            )
        assert not (tmp_path / name).exists()
