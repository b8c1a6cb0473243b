"""What is kept of a unit that a column names depends on that unit's rows alone."""

import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.engines.files import DuckDBEngine
from dpgov.engines.ingest.at_all import used_at_all
from dpgov.engines.ingest.checking import NONE, check
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.request import UnitNames
from dpgov.engines.ingest.tables import open_table
from dpgov.privacy.plan.bins import ROWS_OF_UNIT, CodeGrouping
from dpgov.privacy.plan.request import (
    CodeFilter,
    ExactAnswer,
    ExactRequest,
    Measure,
    MeasureKind,
    UnitBounds,
    place_of_cell,
)
from tests.examples import examples
from tests.reference import Owned, exact_answer
from tests.unit.engines.tables import (
    category,
    ingest_here,
    number,
    write_csv,
    write_owned,
    write_parquet,
)

ROWS, UNITS = Measure(MeasureKind.ROWS), Measure(MeasureKind.UNITS)
SUM = Measure(MeasureKind.CODE_SUM, 0)
VALUES = Measure(MeasureKind.VALUES, 1)
TYPES = ("UTINYINT", "USMALLINT")
_CODES = st.one_of(st.none(), st.integers(0, 9))


@st.composite
def _tables(draw: st.DrawFn) -> list[Owned]:
    """A handful of units with unequal numbers of rows; keys and ranks as ingest would make them."""
    found = []
    for unit in range(draw(st.integers(0, 5))):
        key = draw(st.integers(0, 2**64 - 1))
        rows = draw(st.lists(st.tuples(_CODES, _CODES), min_size=1, max_size=6))
        found += [Owned(codes, unit, key, rank, len(rows)) for rank, codes in enumerate(rows)]
    return list(draw(st.permutations(found)))


@st.composite
def _ranges(draw: st.DrawFn) -> tuple[tuple[int, int], ...]:
    cuts = sorted(draw(st.sets(st.integers(0, 10), max_size=5)))
    return tuple(draw(st.permutations([(low, high - 1) for low, high in pairwise(cuts)])))


@st.composite
def _requests(draw: st.DrawFn) -> ExactRequest:
    columns = st.integers(0, 1)
    filters = st.builds(CodeFilter, columns, _ranges(), st.booleans())
    groupings = st.lists(st.builds(CodeGrouping, columns, _ranges()), max_size=3)
    chosen = tuple(draw(groupings))
    bounds = st.builds(
        UnitBounds,
        st.integers(1, 5),
        st.one_of(st.none(), st.integers(1, 3)),
        st.integers(0, len(chosen)),
        st.one_of(st.none(), st.integers(1, 3)),
    )
    measures = st.lists(st.sampled_from([ROWS, UNITS, VALUES, SUM]), min_size=1, max_size=3)
    return ExactRequest(
        tuple(draw(st.lists(filters, max_size=1))), chosen, tuple(draw(measures)), draw(bounds)
    )


@examples(60)
@given(table=_tables(), request=_requests())
def test_any_bounds_on_any_units_equal_the_reference(
    table: list[Owned], request: ExactRequest
) -> None:
    """D1: rows over the limit, cells over the limit and distinct units, bins and axes mixed."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_owned(Path(folder) / "t.duckdb", TYPES, table)
        assert DuckDBEngine(path, seconds=30).answer(request) == exact_answer(table, request)


def test_a_unit_with_two_codes_in_one_bin_is_counted_once(tmp_path: Path) -> None:
    """D1: cells are the plan's bins; codes 3 and 4 of one person are one person."""
    table = [Owned((code,), 0, 5, rank, 2) for rank, code in enumerate((3, 4))]
    path = write_owned(tmp_path / "t", ("UTINYINT",), table)
    bins = (CodeGrouping(0, ((0, 4), (5, 9))),)
    request = ExactRequest((), bins, (UNITS,), UnitBounds(5, 1, 1))
    assert DuckDBEngine(path, seconds=30).answer(request) == ((1,), (0,), (0,))


def test_the_rows_of_a_units_size_are_counted_once_for_each_unit(tmp_path: Path) -> None:
    """D1: each unit is in the one bin of its own number of rows."""
    sizes = (1, 1, 4, 70_000)
    table = [Owned((0,), unit, unit, 0, min(size, 65_535)) for unit, size in enumerate(sizes)]
    path = write_owned(tmp_path / "t", ("UTINYINT",), table)
    grouping = CodeGrouping(ROWS_OF_UNIT, ((1, 1), (2, 5)))
    request = ExactRequest((), (grouping,), (ROWS,), UnitBounds(1))
    assert DuckDBEngine(path, seconds=30).answer(request) == ((2,), (1,), (1,))


def test_each_of_a_units_cells_is_kept_about_equally_often() -> None:
    """D6: the order of cells is a unit's own: over many units no cell is preferred."""
    keys = (number * 0x9E3779B97F4A7C15 % 2**64 for number in range(1, 3001))
    first = Counter(min(range(6), key=lambda cell: place_of_cell(key, cell)) for key in keys)
    assert set(first) == set(range(6))
    assert all(400 < kept < 600 for kept in first.values())


COLUMNS = (number("person", "0", "99"), number("v", "0", "300"), category("town", "a", "b"))
Cells = tuple[str, str, str]


def _stored(rows: Iterable[Cells], partition: str = "") -> dict[int, list[tuple[int | None, ...]]]:
    """What ingest stores of each person, in the order of `r`; persons are told by a code."""
    with tempfile.TemporaryDirectory() as folder:
        source = write_csv(Path(folder) / "t.csv", ["id", "v", "town"], list(rows))
        columns = (number("id", "0", "99"), *COLUMNS[1:])
        ingest_here(source, columns, unit=UnitNames("id", partition))
        with duckdb.connect(str(source.with_suffix(".duckdb")), read_only=True) as connection:
            found = connection.execute("SELECT c0, c1, c2, k, r, n FROM data ORDER BY r").fetchall()
    people: dict[int, list[tuple[int | None, ...]]] = {}
    for person, *rest in found:
        people.setdefault(person, []).append(tuple(rest))
    return people


_PEOPLE = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "3"]),
        st.integers(0, 5).map(str),
        st.sampled_from(["a", "b", "", "x"]),
    ),
    max_size=12,
)


@examples(25)
@given(rows=_PEOPLE, others=_PEOPLE, data=st.data(), partition=st.sampled_from(["", "town"]))
def test_other_units_never_change_what_is_stored_of_a_unit(
    rows: list[Cells], others: list[Cells], data: st.DataObject, partition: str
) -> None:
    """D6: the key, the order of rows and the part of a unit, whoever comes, goes or is shuffled."""
    more = [(str(int(person) + 50), value, town) for person, value, town in others]
    alone = _stored(rows, partition)
    together = _stored(data.draw(st.permutations([*rows, *more])), partition)
    assert {person: kept for person, kept in together.items() if person < 50} == alone


@examples(15)
@given(rows=_PEOPLE, data=st.data(), partition=st.sampled_from(["", "town"]))
def test_neither_the_order_of_columns_nor_undeclared_ones_change_what_is_kept(
    rows: list[Cells], data: st.DataObject, partition: str
) -> None:
    """L2: rows are put in order by the names of the declared columns and by nothing else."""
    names = ["id", "v", "town", "note"]
    wide = [(*row, str(place)) for place, row in enumerate(rows)]
    order = data.draw(st.permutations(range(4)))
    fewer = [place for place in order if names[place] != "note"]
    columns = [number("id", "0", "99"), *COLUMNS[1:]]
    kept = []
    for places in (range(4), order, fewer):
        cells = [[row[place] for place in places] for row in wide]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t.csv"
            source = write_csv(path, [names[place] for place in places], cells)
            ingest_here(source, columns, unit=UnitNames("id", partition))
            with duckdb.connect(str(source.with_suffix(".duckdb")), read_only=True) as connection:
                found = "SELECT c0, r, c1, c2, k, n FROM data ORDER BY c0, r"
                kept.append(connection.execute(found).fetchall())
    assert kept[0] == kept[1] == kept[2]


def test_rows_without_an_id_are_dropped_and_ids_are_compared_as_text(tmp_path: Path) -> None:
    """D4: empty, blank and NaN name nobody; large numbers are not rounded together."""
    ids = ["", "  ", "NaN", "nan", None, "9007199254740993", "9007199254740992", " 7", "7 ", "07"]
    source = write_csv(tmp_path / "t.csv", ["id", "v"], [(one, "1") for one in ids])
    stored = ingest_here(source, (COLUMNS[1],), unit=UnitNames("id"))
    assert (stored.rows, stored.units) == (10, 4)
    with duckdb.connect(str(source.with_suffix(".duckdb")), read_only=True) as connection:
        sizes = connection.execute("SELECT n, r FROM data ORDER BY n, r").fetchall()
    assert sizes == [(1, 0), (1, 0), (1, 0), (2, 0), (2, 1)]


def test_numbers_name_units_in_parquet_too(tmp_path: Path) -> None:
    """D4: integers, and floating-point ids with a gap."""
    for ids in (pa.array([1, 1, None, 2]), pa.array([1.0, 1.0, float("nan"), 2.0])):
        source = write_parquet(tmp_path / "t.parquet", {"id": ids, "v": pa.array([1, 2, 3, 4])})
        assert ingest_here(source, (COLUMNS[1],), unit=UnitNames("id")).units == 2


def test_a_unit_lies_in_the_part_of_its_first_row_alone() -> None:
    """F5: rows of a person in another part are dropped; missing is the part of everything else."""
    rows = [("1", str(value), town) for value in range(5) for town in ("a", "b", "", "x")]
    (kept,) = _stored(rows, "town").values()
    assert len({2 if town is None else town for _, town, *_ in kept}) == 1
    assert len(kept) in (5, 10)
    assert [row[3] for row in kept] == list(range(len(kept)))


def test_a_missing_unit_column_is_refused(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "t.csv", ["v"], [("1",), ("2",)])
    with pytest.raises(Refused) as caught:
        ingest_here(source, (COLUMNS[1],), unit=UnitNames("person"))
    assert caught.value.field == "private_id"
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def _answer(rows: Sequence[Cells], request: ExactRequest) -> ExactAnswer:
    with tempfile.TemporaryDirectory() as folder:
        source = write_csv(Path(folder) / "t.csv", ["id", "v", "town"], rows)
        ingest_here(source, COLUMNS[1:], max_rows=20_000, unit=UnitNames("id"))
        return DuckDBEngine(source.with_suffix(".duckdb"), seconds=30).answer(request)


def test_one_unit_with_ten_thousand_rows_moves_no_more_than_its_limit() -> None:
    """D6: three rows of at most 300 and two groups, whatever it sends."""
    others = [(str(person), "5", "a") for person in range(20)]
    flood = [("flood", str(value % 301), "abx"[value % 3]) for value in range(10_000)]
    towns = (CodeGrouping(1, ((0, 0), (1, 1))),)
    for measure, bounds, most in (
        (ROWS, UnitBounds(3), 3),
        (SUM, UnitBounds(3), 900),
        (UNITS, UnitBounds(3, 2, 1), 2),
    ):
        request = ExactRequest((), towns, (measure,), bounds)
        before, after = _answer(others, request), _answer(others + flood, request)
        moved = sum(abs(x - y) for (x,), (y,) in zip(before, after, strict=True))
        assert 0 < moved <= most


def test_a_column_in_which_nobody_is_named_is_refused(tmp_path: Path) -> None:
    """D4: whatever the tool wrote there; and its owner is told before."""
    source = write_csv(tmp_path / "t.csv", ["id", "v"], [("NA", "1"), ("NULL", "2"), ("", "3")])
    found = check(open_table(source, format_name="csv"), (COLUMNS[1],), "id")
    assert found["columns"]["id"]["filled"] == NONE
    table = open_table(source, format_name="csv")
    with pytest.raises(Refused, match="whose it is"):
        list(used_at_all(table, (COLUMNS[1],), "id", adds=False).batches)
