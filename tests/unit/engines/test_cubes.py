"""D10: what a cube answers is what a scan of the same rows answers, to the last bit.

What could leak or overspend: a number from a cube that counted other rows than the scan keeps (more
rows of a person than the noise was made for, rows of a version that is gone), a sum that wraps.
"""

import shutil
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.engines.base import EngineFailure
from dpgov.engines.cubes.adding import added_up
from dpgov.engines.cubes.keeping import keep_cubes, layouts_in, numbers_in
from dpgov.engines.files import DuckDBEngine
from dpgov.engines.ingest.request import Before, UnitNames
from dpgov.privacy.plan.bins import CodeGrouping, EvenRanges
from dpgov.privacy.plan.cubes import answers, cubes_of
from dpgov.privacy.plan.request import (
    AllOf,
    AnyOf,
    CodeFilter,
    ExactRequest,
    Factor,
    Measure,
    MeasureKind,
    RowFilter,
    UnitBounds,
)
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec
from tests.examples import examples
from tests.reference import Owned, exact_answer
from tests.unit.engines.tables import (
    MEMORY,
    category,
    ingest_here,
    number,
    write_codes,
    write_csv,
    write_owned,
)

TYPES = ("UTINYINT", "USMALLINT", "UTINYINT", "UINTEGER")
ROWS = Measure(MeasureKind.ROWS)
_TOPS = (1, 4, 9, 40)
_KINDS = [
    MeasureKind.PRESENT,
    MeasureKind.CODE_SUM,
    MeasureKind.SQUARE_SUM,
    MeasureKind.VALUES,
]


def _columns(draw: st.DrawFn) -> tuple[ColumnSpec, ...]:
    """Four declared columns of numbers and categories, large and small, in any order."""
    tops = draw(st.lists(st.sampled_from(_TOPS), min_size=4, max_size=4))
    is_number = draw(st.lists(st.booleans(), min_size=4, max_size=4))
    imputed = draw(st.lists(st.sampled_from([None, None, 1]), min_size=4, max_size=4))
    return tuple(
        number(f"n{at}", "0", str(top), impute_code=code)
        if numeric
        else category(f"n{at}", *map(str, range(top)), impute_code=code)
        for at, (top, numeric, code) in enumerate(zip(tops, is_number, imputed, strict=True))
    )


def _top(spec: ColumnSpec) -> int:
    """The largest code that may be stored."""
    return spec.domain.other if isinstance(spec.domain, CategoryDomain) else spec.domain.top


@st.composite
def _tables(draw: st.DrawFn, columns: tuple[ColumnSpec, ...]) -> list[Owned]:
    """Units of several rows each, with missing values where a column may have some."""
    codes = [
        st.one_of(st.none(), st.integers(0, _top(spec)))
        if spec.may_be_missing
        else st.integers(0, _top(spec))
        for spec in columns
    ]
    found = []
    for unit in range(draw(st.integers(0, 6))):
        rows = draw(st.lists(st.tuples(*codes), min_size=1, max_size=6))
        found += [Owned(row, unit, 7 * unit, rank, len(rows)) for rank, row in enumerate(rows)]
    return list(draw(st.permutations(found)))


@st.composite
def _ranges(draw: st.DrawFn) -> tuple[tuple[int, int], ...]:
    cuts = sorted(draw(st.sets(st.integers(0, 45), max_size=6)))
    pairs = [(low, high - 1) for low, high in pairwise(cuts)]
    return tuple(draw(st.permutations(pairs)))


@st.composite
def _requests(draw: st.DrawFn, bounds: UnitBounds | None) -> ExactRequest:
    column = st.integers(0, 3)
    own: st.SearchStrategy[RowFilter] = st.builds(CodeFilter, column, _ranges(), st.booleans())
    filters = st.recursive(
        own,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda m: AllOf(tuple(m))),
            st.lists(inner, max_size=3).map(lambda m: AnyOf(tuple(m))),
        ),
        max_leaves=4,
    )
    plain = st.builds(CodeGrouping, column, _ranges())
    turned = st.builds(
        CodeGrouping, column, st.just(((0, 2), (5, 6))), st.just(7), st.integers(0, 6)
    )
    folded = st.builds(
        CodeGrouping, column, _ranges(), folds=st.integers(2, 4), enters=st.integers(0, 3)
    )
    many = st.builds(CodeGrouping, column, st.builds(EvenRanges, st.just(60), st.integers(1, 3)))
    groupings = draw(st.lists(st.one_of(plain, turned, folded), max_size=3))
    clips = st.sampled_from([None, None, (0, 3), (2, 9), (5, 60)])
    of_column = st.builds(Measure, st.sampled_from(_KINDS), column, st.integers(1, 3), clips)
    factors = st.builds(Factor, column, st.integers(1, 3), st.sampled_from([None, None, 0, 1]))
    products = st.lists(factors, min_size=1, max_size=3).map(
        lambda found: Measure(MeasureKind.PRODUCT_SUM, factors=tuple(found))
    )
    measures = st.lists(st.one_of(st.just(ROWS), of_column, products), min_size=1, max_size=4)
    chosen = tuple(draw(filters) for _ in range(draw(st.integers(0, 3))))
    if draw(st.integers(0, 9)) == 0:
        return ExactRequest(chosen, (*groupings[:1], draw(many)), (ROWS,), bounds)
    return ExactRequest(chosen, tuple(groupings), tuple(draw(measures)), bounds)


def _stored(path: Path, table: Sequence[Owned], rows_of_unit: int | None) -> Path:
    if rows_of_unit is None:
        return write_codes(path, TYPES, [row.codes for row in table])
    return write_owned(path, TYPES, table)


@examples(40)
@given(data=st.data())
def test_every_cube_equals_the_rows_that_it_was_counted_from(data: st.DataObject) -> None:
    """D1, D4, D7, D10: any declarations, rows, filters, groups, clips, products and units."""
    columns = data.draw(st.composite(_columns)())
    rows_of_unit = data.draw(st.sampled_from([None, None, 1, 2, 5]))
    table = data.draw(_tables(columns))
    most = data.draw(st.sampled_from([1, 30, 500, 5_000, 10**5]))
    layouts = cubes_of(columns, max_rows=most, rows_of_unit=rows_of_unit)
    bounds = None if rows_of_unit is None else UnitBounds(rows_of_unit)
    requests = data.draw(st.lists(_requests(bounds), min_size=4, max_size=8))
    rows = table if rows_of_unit is not None else [row.codes for row in table]
    with tempfile.TemporaryDirectory() as folder:
        path = _stored(Path(folder) / "t.duckdb", table, rows_of_unit)
        keep_cubes(path, layouts, threads=1, memory_bytes=MEMORY)
        with duckdb.connect(str(path), read_only=True) as connection:
            assert layouts_in(connection) == layouts
            cubes = [numbers_in(connection, at, layout) for at, layout in enumerate(layouts)]
    for request in requests:
        told = exact_answer(rows, request)
        for layout, numbers in zip(layouts, cubes, strict=True):
            if answers(layout, request):
                assert tuple(map(tuple, added_up(layout, numbers, request).tolist())) == told


WIDE = (number("paid", "0", "5000"), category("town", "a", "b"), number("age", "0", "90"))
PEOPLE = [(f"p{at % 40}", at * 37 % 5100, "abc"[at % 3], at * 7 % 95) for at in range(150)]
NAMES = ["id", "paid", "town", "age"]
BY_TOWN = CodeGrouping(1, ((0, 0), (1, 1)))
OVER_40 = CodeFilter(2, ((40, 90),))
PAID = tuple(
    Measure(kind, 0) for kind in (MeasureKind.PRESENT, MeasureKind.CODE_SUM, MeasureKind.SQUARE_SUM)
)
PLANS = [
    ExactRequest((), (), (ROWS,)),
    ExactRequest((OVER_40,), (BY_TOWN,), (ROWS,)),
    ExactRequest((), (BY_TOWN,), PAID[:2]),
    ExactRequest((OVER_40,), (BY_TOWN,), PAID[:2]),
    ExactRequest((), (BY_TOWN,), PAID),
    ExactRequest((), (CodeGrouping(0, EvenRanges(5000, 2)),), (ROWS,)),
    ExactRequest((OVER_40,), (CodeGrouping(0, EvenRanges(5000, 2)),), (ROWS,)),
    ExactRequest((), (BY_TOWN, CodeGrouping(2, EvenRanges(90, 10))), (ROWS,)),
]


def _both(source: Path) -> tuple[DuckDBEngine, DuckDBEngine]:
    """The engine as it is, and one that scans another copy of the file."""
    path = source.with_suffix(".duckdb")
    copied = shutil.copy(path, path.with_suffix(".copy"))
    return DuckDBEngine(path, seconds=60), DuckDBEngine(Path(copied), seconds=60, cubes=False)


@pytest.mark.parametrize("most", [None, 1, 3])
def test_a_file_that_was_read_is_answered_as_if_it_were_scanned(
    tmp_path: Path, most: int | None
) -> None:
    """D6, D10: through the reader; and most of these plans need no row at all."""
    source = write_csv(tmp_path / "p.csv", NAMES, PEOPLE)
    unit = None if most is None else UnitNames("id", max_rows=most)
    ingest_here(source, WIDE, max_rows=10**6, unit=unit)
    by_cube, by_scan = _both(source)
    bounds = None if most is None else UnitBounds(most)
    for plan in PLANS:
        request = ExactRequest(plan.filters, plan.groupings, plan.measures, bounds)
        found, told = by_cube.answer(request), by_scan.answer(request)
        assert type(found) is type(told)
        assert np.array_equal(found, told)
    kept = by_cube._layouts
    is_by_cube = [
        any(answers(k, ExactRequest(p.filters, p.groupings, p.measures, bounds)) for k in kept)
        for p in PLANS
    ]
    # The sums of a wide column beside another one, its squares, its quantiles: as declared.
    assert is_by_cube == [True, True, True, True, True, True, False, True]


@pytest.mark.parametrize("bounds", [UnitBounds(2), UnitBounds(9), UnitBounds(3, 1, 1)])
def test_other_limits_of_a_person_than_it_was_read_with_are_scanned(
    tmp_path: Path, bounds: UnitBounds
) -> None:
    """D6, D10: a version with other limits has the very file of the one before."""
    source = write_csv(tmp_path / "p.csv", NAMES, PEOPLE)
    ingest_here(source, WIDE, max_rows=10**6, unit=UnitNames("id", max_rows=3))
    by_cube, by_scan = _both(source)
    request = ExactRequest((), (BY_TOWN,), (ROWS,), bounds)
    as_read = ExactRequest((), (BY_TOWN,), (ROWS,), UnitBounds(3))
    assert by_cube.answer(request) == by_scan.answer(request) != by_cube.answer(as_read)
    assert not any(answers(layout, request) for layout in by_cube._layouts)


def test_rows_that_are_added_are_counted_with_those_before(tmp_path: Path) -> None:
    """D10: no cube of the version before answers for the new one."""
    first = write_csv(tmp_path / "1.csv", NAMES, PEOPLE[:100])
    ingest_here(first, WIDE, max_rows=10**6, unit=UnitNames("id", max_rows=2))
    before = Before(str(first.with_suffix(".duckdb")), ((0, None), (1, 2), (2, None)))
    second = write_csv(tmp_path / "2.csv", NAMES, PEOPLE[100:])
    unit = UnitNames("id", max_rows=2)
    ingest_here(second, WIDE, max_rows=10**6, unit=unit, before=before)
    by_cube, by_scan = _both(second)
    for plan in PLANS:
        request = ExactRequest(plan.filters, plan.groupings, plan.measures, UnitBounds(2))
        assert np.array_equal(by_cube.answer(request), by_scan.answer(request))
    assert by_cube.answer(ExactRequest((), (), (ROWS,), UnitBounds(2))) == ((80,),)


def test_sums_of_many_columns_are_those_of_each(tmp_path: Path) -> None:
    """D10: they are added up some at a time, and each goes to its own place in the cube."""
    wide = [number(f"w{at}", "0", "60000") for at in range(40)]
    rows = [(at % 2, *((at * place * 999) % 60_001 for place in range(40))) for at in range(60)]
    path = write_codes(tmp_path / "t", ("UTINYINT", *["USMALLINT"] * 40), rows)
    columns = (category("town", "a", "b"), *wide)
    keep_cubes(
        path, cubes_of(columns, max_rows=10**6, rows_of_unit=None), threads=1, memory_bytes=MEMORY
    )
    summed = tuple(Measure(MeasureKind.CODE_SUM, place) for place in range(1, 41))
    request = ExactRequest((), (CodeGrouping(0, ((0, 0), (1, 1))),), summed)
    engine = DuckDBEngine(path, seconds=60)
    assert any(answers(layout, request) for layout in engine._layouts)
    assert np.array_equal(engine.answer(request), exact_answer(rows, request))


def test_a_file_of_before_there_were_cubes_is_scanned(tmp_path: Path) -> None:
    """D10: it has none, and needs none."""
    engine = DuckDBEngine(write_codes(tmp_path / "t", ("UTINYINT",), [(1,), (3,)]), seconds=60)
    assert engine._layouts == ()
    paid = Measure(MeasureKind.CODE_SUM, 0)
    assert engine.answer(ExactRequest((), (), (ROWS, paid))) == ((2, 4),)


@pytest.mark.parametrize("emptied", [True, False])
def test_nothing_is_answered_from_memory_once_the_file_is_deleted(
    tmp_path: Path, emptied: bool
) -> None:
    """L41: not by a worker that has counted it before, and what it held is let go."""
    source = write_csv(tmp_path / "p.csv", NAMES, PEOPLE)
    ingest_here(source, WIDE)
    path, request = source.with_suffix(".duckdb"), ExactRequest((), (), (ROWS,))
    engine = DuckDBEngine(path, seconds=60)
    assert engine.answer(request) == ((150,),)
    assert engine._numbers
    if emptied:
        path.write_bytes(b"")
    else:
        path.unlink()
    with pytest.raises(EngineFailure):
        engine.answer(request)
    assert not engine._numbers
