"""The embedded engine agrees with a slow, obviously correct reading of every row."""

import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.engines.base import FAILURE, EngineFailure
from dpgov.engines.files import DuckDBEngine
from dpgov.engines.grouping import bins_of_codes
from dpgov.engines.scan import compile_scan
from dpgov.privacy.plan.bins import CodeGrouping, EvenRanges
from dpgov.privacy.plan.request import (
    ON_CURVE,
    WEIGHT,
    CodeFilter,
    ExactRequest,
    Factor,
    Measure,
    MeasureKind,
    TabulatedCurve,
)
from tests.examples import examples
from tests.reference import exact_answer
from tests.unit.engines.tables import write_codes

TYPES = ("UTINYINT", "USMALLINT", "UTINYINT", "UINTEGER")
ROWS = Measure(MeasureKind.ROWS)
_COUNTED = (
    Measure(MeasureKind.PRESENT, 1),
    Measure(MeasureKind.VALUES, 2),
    Measure(MeasureKind.CODE_SUM, 1),
    Measure(MeasureKind.CODE_SUM, 3, 2, (2, 9)),
)
_CODES = st.one_of(st.none(), st.integers(0, 12))
_TABLES = st.lists(st.tuples(_CODES, _CODES, _CODES, _CODES), max_size=25)


@st.composite
def _ranges(draw: st.DrawFn) -> tuple[tuple[int, int], ...]:
    cuts = sorted(draw(st.sets(st.integers(0, 13), max_size=6)))
    pairs = [(low, high - 1) for low, high in pairwise(cuts)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return tuple(draw(st.permutations(chosen)))


@st.composite
def _requests(draw: st.DrawFn) -> ExactRequest:
    columns = st.integers(0, len(TYPES) - 1)
    filters = st.builds(CodeFilter, columns, _ranges(), st.booleans())
    groupings = st.builds(CodeGrouping, columns, _ranges()) | st.builds(
        CodeGrouping, columns, _ranges(), folds=st.integers(2, 4), enters=st.integers(0, 3)
    )
    kinds = st.sampled_from([MeasureKind.PRESENT, MeasureKind.CODE_SUM, MeasureKind.SQUARE_SUM])
    clips = st.sampled_from([None, None, (0, 3), (2, 9), (5, 6)])
    of_column = st.builds(Measure, kinds, columns, st.integers(1, 3), clips)
    factors = st.builds(
        Factor, columns, st.integers(1, 3), st.one_of(st.none(), st.integers(0, 12))
    )
    made = st.sampled_from([Factor(ON_CURVE), Factor(WEIGHT)])
    products = st.lists(st.one_of(factors, made), min_size=1, max_size=3).map(
        lambda found: Measure(MeasureKind.PRODUCT_SUM, factors=tuple(found))
    )
    table = st.lists(st.integers(0, 64), min_size=3, max_size=6).map(lambda t: tuple(sorted(t)))
    weights = st.lists(st.tuples(factors, st.integers(-9, 9)), max_size=3).map(tuple)
    curves = st.builds(
        TabulatedCurve,
        weights,
        st.integers(-40, 40),
        table,
        st.integers(1, 9),
        st.just(64),
        st.integers(1, 100),
    )
    measures = st.one_of(st.just(ROWS), of_column, products)
    return ExactRequest(
        tuple(draw(st.lists(filters, max_size=2))),
        tuple(draw(st.lists(groupings, max_size=3))),
        tuple(draw(st.lists(measures, min_size=1, max_size=3))),
        curve=draw(curves),
    )


@examples(50)
@given(table=_TABLES, request=_requests())
def test_any_request_on_any_table_equals_the_reference(
    table: list[tuple[int | None, ...]], request: ExactRequest
) -> None:
    """D1, D7, M30: filters, groupings, sums and curves are exact; each row is in one cell."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_codes(Path(folder) / "t.duckdb", TYPES, table)
        assert DuckDBEngine(path, seconds=30).answer(request) == exact_answer(table, request)


@examples(30)
@given(
    table=_TABLES,
    request=_requests(),
    width=st.integers(1, 3),
    last=st.booleans(),
    sums=st.booleans(),
)
def test_counts_and_sums_of_many_cells_come_as_an_array_and_equal_the_reference(
    table: list[tuple[int | None, ...]],
    request: ExactRequest,
    width: int,
    last: bool,
    sums: bool,
) -> None:
    """D1, D7, M7: candidates of a quantile, far more than there are rows, missing values too."""
    candidates = CodeGrouping(len(TYPES) - 1 if last else 0, EvenRanges(1_500 * width, width))
    measures = (ROWS, *_COUNTED) if sums else (ROWS,)
    wide = ExactRequest(request.filters, (*request.groupings[:1], candidates), measures)
    with tempfile.TemporaryDirectory() as folder:
        path = write_codes(Path(folder) / "t.duckdb", TYPES, table)
        found = DuckDBEngine(path, seconds=30).answer(wide)
    assert isinstance(found, np.ndarray)
    assert found.dtype == np.int64
    # In plain ranges, so that neither way of writing them is tested by itself.
    told = CodeGrouping(candidates.column, tuple(candidates.ranges))
    plain = ExactRequest(wide.filters, (*request.groupings[:1], told), measures)
    assert tuple(map(tuple, found.tolist())) == exact_answer(table, plain)


def test_every_row_is_in_exactly_one_bin_on_the_edges_too(tmp_path: Path) -> None:
    """D7: bins [0,4], [5,9] of codes 0..10, one row each: 5, 5 and 1 in the rest."""
    for kind in ("UTINYINT", "USMALLINT", "UINTEGER"):
        rows = [(code,) for code in range(11)]
        engine = DuckDBEngine(write_codes(tmp_path / kind, (kind,), rows), seconds=30)
        grouping = CodeGrouping(0, ((0, 4), (5, 9)))
        assert engine.answer(ExactRequest((), (grouping,), (ROWS,))) == ((5,), (5,), (1,))


@given(
    added=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2**53) | st.just(2**53)), max_size=60
    ),
    times=st.sampled_from([1, 700]),
)
def test_sums_of_many_groups_end_where_those_of_one_do(
    added: list[tuple[int, int]], times: int
) -> None:
    """D7: a word holds a thousand of the largest; a live table may have more of them."""
    grouping = CodeGrouping(0, ((0, 0), (1, 1), (2, 2)))
    request = ExactRequest((), (grouping,), (Measure(MeasureKind.CODE_SUM, 1),))
    codes, sums = (np.array([one[at] for one in added] * times, dtype=np.int64) for at in (0, 1))
    counted = compile_scan(request, {0: 2, 1: 9}).counts([codes, sums])
    whole = [min(2**53, times * sum(n for code, n in added if code == at)) for at in range(3)]
    assert counted[:, 0].tolist() == [*whole, 0]


@pytest.mark.parametrize("kind", ["UTINYINT", "USMALLINT", "UINTEGER"])
def test_ranges_that_lie_upon_each_other_share_a_bin(kind: str, tmp_path: Path) -> None:
    """D7: four ranges in three bins, the first of them in the last: 3, 1 and 2 + 3, one left."""
    rows = [(code,) for code in range(10)]
    engine = DuckDBEngine(write_codes(tmp_path / "t", (kind,), rows), seconds=30)
    grouping = CodeGrouping(0, ((0, 1), (2, 4), (5, 5), (6, 8)), folds=3, enters=2)
    for measures in ((ROWS,), (ROWS, Measure(MeasureKind.CODE_SUM, 0))):
        answer = engine.answer(ExactRequest((), (grouping,), measures))
        assert [cell[0] for cell in answer] == [3, 1, 5, 1]


@pytest.mark.parametrize("kind", ["UTINYINT", "USMALLINT", "UINTEGER"])
def test_an_empty_bin_takes_no_row_from_the_one_that_begins_where_it_does(
    kind: str, tmp_path: Path
) -> None:
    """D7: bins finer than the step, or wholly outside the bounds, in whatever order."""
    rows = [(code,) for code in range(11)]
    engine = DuckDBEngine(write_codes(tmp_path / "t", (kind,), rows), seconds=30)
    for ranges in (((3, 2), (3, 5), (6, 9)), ((3, 5), (3, 2), (6, 9)), ((0, -1), (11, 10))):
        request = ExactRequest((), (CodeGrouping(0, ranges),), (ROWS,))
        assert engine.answer(request) == exact_answer(rows, request)


def test_codes_are_clipped_before_anything_is_added_up(tmp_path: Path) -> None:
    """D8: 0, 3, 9, 12 and a missing one, clipped to 2 to 9 and counted from there: 0, 1, 7, 7."""
    for kind in ("UTINYINT", "UINTEGER"):
        rows = [(0,), (3,), (9,), (12,), (None,)]
        engine = DuckDBEngine(write_codes(tmp_path / kind, (kind,), rows), seconds=30)
        sums, squares = MeasureKind.CODE_SUM, MeasureKind.SQUARE_SUM
        asked = [(MeasureKind.PRESENT, 1), (sums, 1), (sums, 2), (squares, 1)]
        measures = tuple(Measure(one, 0, width, (2, 9)) for one, width in asked)
        assert engine.answer(ExactRequest((), (), measures)) == ((4, 15, 6, 99),)


def test_the_bins_of_codes_are_kept_and_cannot_be_changed() -> None:
    """They are known without any data; groupings that differ have tables of their own."""
    grouping = CodeGrouping(0, ((2, 3), (5, 9)))
    bins = bins_of_codes(grouping, 11)
    assert bins.tolist() == [2, 2, 0, 0, 2, 1, 1, 1, 1, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        bins[0] = 1
    assert bins_of_codes(grouping, 5).tolist() == [2, 2, 0, 0, 2]
    turned = replace(grouping, turns=7, start=2)
    assert bins_of_codes(turned, 11).tolist() == [0, 0, 2, 1, 1, 2, 2, 0, 0, 2, 1]


def test_an_empty_table_answers_zero_for_every_declared_cell(tmp_path: Path) -> None:
    """E4, E5: the shape of an answer does not depend on the data."""
    engine = DuckDBEngine(write_codes(tmp_path / "t", TYPES, []), seconds=30)
    groupings = (CodeGrouping(0, ((0, 0), (1, 1))), CodeGrouping(3, ((0, 9),)))
    measures = (ROWS, Measure(MeasureKind.CODE_SUM, 1))
    assert engine.answer(ExactRequest((), groupings, measures)) == ((0, 0),) * 6
    assert engine.answer(ExactRequest((), (), measures)) == ((0, 0),)


def test_undeclared_codes_and_nulls_fall_in_the_last_bin_only(tmp_path: Path) -> None:
    """E5: declared bins in declared order, empty ones present, and one bin for the rest."""
    rows = [(0,), (3,), (None,), (0,)]
    engine = DuckDBEngine(write_codes(tmp_path / "t", ("UTINYINT",), rows), seconds=30)
    grouping = CodeGrouping(0, ((2, 2), (0, 0), (1, 1)))
    answer = engine.answer(ExactRequest((), (grouping,), (ROWS,)))
    assert answer == ((0,), (2,), (0,), (2,))


def test_sums_beyond_64_bits_stay_exact(tmp_path: Path) -> None:
    """D2: three codes of 2^64-1 add up to more than any machine integer, without overflow."""
    top = 2**64 - 1
    rows = [(top,), (top,), (top,), (2**53 + 1,)]
    engine = DuckDBEngine(write_codes(tmp_path / "t", ("UBIGINT",), rows), seconds=30)
    (cell,) = engine.answer(ExactRequest((), (), (Measure(MeasureKind.CODE_SUM, 0),)))
    assert cell == (3 * top + 2**53 + 1,)


def test_a_scan_that_takes_too_long_is_interrupted(tmp_path: Path) -> None:
    """B14: the time is up from the start, so a long scan ends in the one fixed wording."""
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE data AS SELECT range::UINTEGER c0 FROM range(5000000)")
    many = tuple((9 * n, 9 * n + 1) for n in range(400))
    request = ExactRequest((), (CodeGrouping(0, many),), (ROWS,))
    with pytest.raises(EngineFailure) as caught:
        DuckDBEngine(path, seconds=0, threads=1).answer(request)
    assert str(caught.value) == FAILURE


@pytest.mark.parametrize("column", [9, -1])
def test_every_failure_reads_the_same(tmp_path: Path, column: int) -> None:
    """E3: a column that is not there, a missing file and a time-out cannot be told apart."""
    path = write_codes(tmp_path / "t", ("UTINYINT",), [(1,)])
    wrong = ExactRequest((), (), (Measure(MeasureKind.CODE_SUM, column),))
    for engine in (DuckDBEngine(path, seconds=30), DuckDBEngine(tmp_path / "no", seconds=30)):
        with pytest.raises(EngineFailure) as caught:
            engine.answer(wrong)
        assert str(caught.value) == FAILURE
        assert caught.value.__cause__ is None


def test_the_engine_reaches_no_other_file_and_changes_nothing(tmp_path: Path) -> None:
    """I4: no external access, no writing, and the configuration is locked."""
    engine = DuckDBEngine(write_codes(tmp_path / "t", ("UTINYINT",), [(1,)]), seconds=30)
    (tmp_path / "secret.csv").write_text("a\n1\n")
    for attempt in (
        f"SELECT * FROM read_csv('{tmp_path / 'secret.csv'}')",
        f"COPY data TO '{tmp_path / 'out.csv'}'",
        "INSERT INTO data VALUES (1)",
        "SET enable_external_access = true",
        "INSTALL httpfs",
    ):
        with pytest.raises(duckdb.Error):
            engine._connection().cursor().execute(attempt)
    assert not (tmp_path / "out.csv").exists()
