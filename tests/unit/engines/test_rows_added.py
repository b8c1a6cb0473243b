"""L2: rows are added to stored ones: nobody counts more than in one file that holds all of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.engines.files import DuckDBEngine
from dpgov.engines.ingest import store
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.request import Before, EarlierFile, UnitNames
from dpgov.engines.ingest.store import StoredRows
from dpgov.engines.ingest.units import joined
from dpgov.engines.likeness import Likeness, likeness
from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.request import ExactAnswer, ExactRequest, Measure, MeasureKind
from dpgov.privacy.plan.schema import ColumnSpec
from tests.examples import examples
from tests.unit.engines.tables import (
    MEMORY,
    category,
    ingest_here,
    number,
    stored_codes,
    write_csv,
)

NAMES = ["id", "v", "town"]
COLUMNS = (number("v", "0", "300"), category("town", "a", "b"))
AFTER = ((0, None), (1, 2))
UNIT = UnitNames("id")
ROWS = [(str(who), who % 7, "ab"[who % 2]) for who in range(300)]
Cells = tuple[object, ...]


def _stored(
    path: Path,
    rows: Sequence[Cells],
    *,
    after: Path | None = None,
    unit: UnitNames | None = None,
    columns: Sequence[ColumnSpec] = COLUMNS,
    max_rows: int = 10_000,
    names: Sequence[str] = NAMES,
) -> tuple[Path, StoredRows]:
    """A file of rows, after those of another; where it is stored, and what came of it."""
    source = write_csv(path, names, rows)
    before = None if after is None else Before(str(after), AFTER)
    stored = ingest_here(source, columns, unit=unit, before=before, max_rows=max_rows)
    return source.with_suffix(".duckdb"), stored


def _of_person(file: Path) -> dict[int, list[tuple[int, int, int]]]:
    """For each unit its rows: their `v`, their place and the number of all its rows."""
    with duckdb.connect(str(file), read_only=True) as connection:
        rows = connection.execute("SELECT u, c0, r, n FROM data ORDER BY u, r").fetchall()
    found: dict[int, list[tuple[int, int, int]]] = {}
    for who, *row in rows:
        found.setdefault(who, []).append((row[0], row[1], row[2]))
    return found


def _places(rows: int) -> list[tuple[int, int]]:
    """The place of each row of a person who has so many, and their number."""
    return [(place, rows) for place in range(rows)]


def test_rows_that_are_units_follow_as_they_are(tmp_path: Path) -> None:
    """L2: and what was no declared category stays in everything else, whatever comes later."""
    first, _ = _stored(tmp_path / "1.csv", [("1", 1, "a"), ("2", 2, "c"), ("3", 3, "")])
    wider = (COLUMNS[0], category("town", "a", "b", "c"))
    _stored(tmp_path / "2.csv", [("4", 4, "c"), ("5", 5, "d")], after=first, columns=wider)
    assert stored_codes(tmp_path / "2.csv") == [(1, 0), (2, 3), (3, None), (4, 2), (5, 3)]


def _counted(path: Path, *, cubes: bool) -> ExactAnswer:
    """How many rows there are of each town, and the sum of their `v`."""
    measures = (Measure(MeasureKind.ROWS), Measure(MeasureKind.CODE_SUM, 0))
    request = ExactRequest((), (CodeGrouping(1, ((0, 0), (1, 1), (2, 2))),), measures)
    return DuckDBEngine(path, seconds=60, memory_bytes=MEMORY, cubes=cubes).answer(request)


def test_rows_that_are_units_are_copied_and_not_written_where_they_mean_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L2: with the counts and the fingerprints of all of them, and none of the file before."""
    first, _ = _stored(tmp_path / "1.csv", ROWS[:200])
    _, whole = _stored(tmp_path / "0.csv", ROWS)
    monkeypatch.setattr(store, "write_rows", pytest.fail)
    found, stored = _stored(tmp_path / "2.csv", ROWS[200:], after=first)
    assert stored_codes(tmp_path / "2.csv") == stored_codes(tmp_path / "0.csv")
    assert _counted(found, cubes=True) == _counted(found, cubes=False)
    assert _counted(found, cubes=True) == _counted(tmp_path / "0.duckdb", cubes=True)
    assert likeness(stored.fingerprint, whole.fingerprint) is Likeness.EXACT
    assert found.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("at_a_time", [7, 1_228_800])
@pytest.mark.parametrize("unit", [None, UnitNames("id")], ids=["rows", "people"])
def test_a_file_that_begins_as_a_copy_holds_what_one_does_whose_rows_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: UnitNames | None, at_a_time: int
) -> None:
    """L2: with a category that is new, people who come back and others, in pieces of any size."""
    monkeypatch.setattr(joined, "_AT_A_TIME", at_a_time)
    old = [(str(who % 90), who % 7, "abcd"[who % 4]) for who in range(200)]
    new = [(str(who % 70 + 50), who % 5, "abcd"[who % 4]) for who in range(120)]
    wider = (COLUMNS[0], category("town", "a", "b", "c"))
    first, _ = _stored(tmp_path / "1.csv", old, unit=unit)

    def added(name: str) -> list[tuple[int, ...]]:
        path, _ = _stored(tmp_path / name, new, after=first, unit=unit, columns=wider)
        with duckdb.connect(str(path), read_only=True) as connection:
            return sorted(connection.execute("FROM data").fetchall(), key=repr)

    with monkeypatch.context() as patched:
        patched.setattr(store, "write_rows", pytest.fail)
        copied = added("2.csv")
    monkeypatch.setattr(store, "begin_as", lambda *_: False)
    assert copied == added("3.csv")
    assert len(copied) == 320
    if unit is not None:
        own = _of_person(tmp_path / "2.duckdb").values()
        assert all([row[1:] for row in each] == _places(len(each)) for each in own)


def test_rows_of_a_person_who_has_as_many_as_are_told_apart_are_left_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L2: of a person with more rows than their number can say, it stays what it is."""
    monkeypatch.setattr(joined, "LARGEST_SIZE", 4)
    first, _ = _stored(tmp_path / "1.csv", [("1", 1, "a"), *[("2", 2, "b")] * 3], unit=UNIT)
    found, _ = _stored(
        tmp_path / "2.csv", [("1", 5, "a"), *[("2", 6, "b")] * 3], after=first, unit=UNIT
    )
    sizes = {own[0][2] for own in _of_person(found).values()}
    assert sizes == {2, 4}


def test_no_database_takes_what_the_machine_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L2: left alone it starts a thread for each processor, and fills the memory of a reader."""
    first, _ = _stored(tmp_path / "1.csv", ROWS[:200])
    bounds: list[set[str]] = []
    connect = duckdb.connect

    def noted(where: str = "", config: dict[str, Any] | None = None) -> duckdb.DuckDBPyConnection:
        bounds.append(set(config or {}))
        return connect(where, config=config or {})

    monkeypatch.setattr(duckdb, "connect", noted)
    _stored(tmp_path / "2.csv", ROWS[200:], after=first)
    assert len(bounds) == 4
    assert all(each >= {"threads", "memory_limit"} for each in bounds)


def test_rows_that_were_stored_otherwise_are_written_and_not_copied(tmp_path: Path) -> None:
    """L2: wider than this code would, as another version of it may have done."""
    first, _ = _stored(tmp_path / "1.csv", ROWS[:2])
    with duckdb.connect(str(first)) as connection:
        connection.execute("ALTER TABLE data ALTER c1 TYPE UBIGINT")
    found, _ = _stored(tmp_path / "2.csv", ROWS[2:4], after=first)
    with duckdb.connect(str(found), read_only=True) as connection:
        assert connection.execute("SELECT DISTINCT typeof(c1) FROM data").fetchall() == [
            ("UTINYINT",)
        ]
    assert len(stored_codes(tmp_path / "2.csv")) == 4


def test_columns_are_found_by_their_names(tmp_path: Path) -> None:
    first, _ = _stored(tmp_path / "1.csv", [("1", 7, "b")])
    source = write_csv(tmp_path / "2.csv", ["town", "id", "v"], [("a", "2", 8)])
    before = Before(str(first), (AFTER[1], AFTER[0]))
    ingest_here(source, COLUMNS[::-1], before=before)
    assert stored_codes(source) == [(1, 7), (0, 8)]


@examples(15)
@given(
    first=st.lists(st.integers(0, 3), max_size=8),
    second=st.lists(st.integers(0, 5), max_size=8),
    third=st.lists(st.integers(0, 5), max_size=4),
)
def test_a_person_s_rows_are_numbered_over_all_files(
    tmp_path_factory: pytest.TempPathFactory, first: list[int], second: list[int], third: list[int]
) -> None:
    """L2: the bound on one person holds over old and new rows, and old ones keep their places."""
    folder, unit = tmp_path_factory.mktemp("added"), UnitNames("id")
    after, rows = None, 0
    before: dict[Any, Any] = {}
    for number_of_file, people in enumerate((first, second, third)):
        cells = [(f"p{who}", 10 * (rows + place), "a") for place, who in enumerate(people)]
        rows += len(people)
        path = folder / f"{number_of_file}.csv"
        after, _ = _stored(
            path, cells, after=after, unit=unit, columns=(number("v", "0", "300"), COLUMNS[1])
        )
        now = _of_person(after)
        for who, own in now.items():
            assert [place for _, place, _ in own] == list(range(len(own)))
            assert {size for *_, size in own} == {len(own)}
            kept = before.get(who, [])
            assert [row[:2] for row in own[: len(kept)]] == [row[:2] for row in kept]
        before = now
    assert sorted(len(own) for own in before.values()) == sorted(
        (first + second + third).count(who) for who in set(first + second + third)
    )


def test_rows_elsewhere_than_in_a_person_s_part_are_left_out(tmp_path: Path) -> None:
    """L2: the part is the one of the first file."""
    first, _ = _stored(
        tmp_path / "1.csv", [("1", 1, "a"), ("2", 2, "b")], unit=UnitNames("id", "town")
    )
    earlier = EarlierFile(str(first), 1, (0, 1))
    _stored(
        tmp_path / "2.csv",
        [("1", 3, "b"), ("1", 4, "a"), ("2", 5, "a"), ("3", 6, "b")],
        after=first,
        unit=UnitNames("id", "town", (earlier,)),
    )
    found = {row[:2] for row in stored_codes(tmp_path / "2.csv")}
    assert found == {(1, 0), (2, 1), (4, 0), (6, 1)}


@pytest.mark.parametrize("unit", [None, UnitNames("id")], ids=["rows", "people"])
@pytest.mark.parametrize("cut", [0, 3, 100, 299])
def test_old_and_new_rows_are_recognised_as_one_file(
    tmp_path: Path, cut: int, unit: UnitNames | None
) -> None:
    """L2, L3: all of them sent again are exactly the same data, the new ones by themselves too."""
    _, whole = _stored(tmp_path / "0.csv", ROWS[::-1], unit=unit)
    first, _ = _stored(tmp_path / "1.csv", ROWS[:cut], unit=unit)
    _, together = _stored(tmp_path / "2.csv", ROWS[cut:], after=first, unit=unit)
    assert likeness(together.fingerprint, whole.fingerprint) is Likeness.EXACT
    assert together.addition is not None
    _, alone = _stored(tmp_path / "3.csv", ROWS[cut:], unit=unit)
    assert likeness(together.addition, alone.fingerprint) is Likeness.EXACT
    for part, expected in zip(together.fingerprint.parts, whole.fingerprint.parts, strict=True):
        assert (part.digest, part.total) == (expected.digest, expected.total)
        assert part.packed() == expected.packed()


def test_no_more_rows_than_were_declared(tmp_path: Path) -> None:
    """D5: old and new ones together."""
    first, _ = _stored(tmp_path / "1.csv", ROWS[:6])
    _stored(tmp_path / "2.csv", ROWS[6:10], after=first, max_rows=10)
    with pytest.raises(Refused, match="more than 10"):
        _stored(tmp_path / "3.csv", ROWS[6:11], after=first, max_rows=10)


def test_other_columns_cannot_be_added(tmp_path: Path) -> None:
    """L2: undeclared ones count too, by which data is recognised."""
    first, _ = _stored(tmp_path / "1.csv", ROWS[:6])
    with pytest.raises(Refused, match="same columns"):
        _stored(tmp_path / "2.csv", [("7", 1, "a", "x")], after=first, names=[*NAMES, "note"])
