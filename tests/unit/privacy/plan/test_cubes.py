"""E14: which cubes a file has, what they take and what they answer is the same whatever is in it.

What could leak: a cube that is there or not, or its size, by what the rows hold: whoever sees how
long an answer took, or how large a folder is, would learn of them.
"""

from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpgov.engines.cubes.keeping import keep_cubes
from dpgov.privacy.plan.bins import ROWS_OF_UNIT, CodeGrouping
from dpgov.privacy.plan.cubes import CELLS, NUMBERS, Layout, answers, cubes_of
from dpgov.privacy.plan.request import (
    AnyOf,
    CodeFilter,
    ExactRequest,
    Factor,
    Measure,
    MeasureKind,
    TabulatedCurve,
    UnitBounds,
)
from dpgov.privacy.plan.schema import ColumnSpec
from tests.examples import examples
from tests.unit.engines.tables import MEMORY, category, number, write_codes

_NUMBERS = st.integers(0, 10**7).map(lambda top: number("n", "0", str(top)))
_CATEGORIES = st.integers(0, 300).map(lambda many: category("c", *map(str, range(many))))
_DECLARED = st.lists(st.one_of(_NUMBERS, _CATEGORIES), max_size=30)


@examples(100)
@given(columns=_DECLARED, rows=st.sampled_from([1, 50, 10_000, 10**7, 10**12]))
def test_cubes_stay_within_their_budget(columns: list[ColumnSpec], rows: int) -> None:
    """E14: of cells, of all numbers, and of the rows that there may be."""
    found = cubes_of(columns, max_rows=rows, rows_of_unit=None)
    assert sum(layout.numbers for layout in found) <= NUMBERS
    for layout in found:
        cells = layout.numbers // (1 + 2 * len(layout.sums))
        assert cells <= min(CELLS, rows)
        assert len(set(layout.columns)) == len(layout.columns) == len(layout.sizes)
        assert not set(layout.sums) & set(layout.columns)


def test_each_column_stands_beside_the_smallest_others() -> None:
    """Of 3, 13, 18, 102 and 5,002 places: as many as there is room for."""
    columns = [
        number("paid", "0", "5000"),
        category("sex", "f"),
        number("age", "0", "100"),
        category("school", *map(str, range(16))),
        category("region", *map(str, range(11))),
    ]
    found = cubes_of(columns, max_rows=10**6, rows_of_unit=None)
    assert [(one.columns, one.sums) for one in found] == [
        ((1, 3, 4), (0,)),
        ((0, 1), ()),
        ((1, 2, 3, 4), ()),
    ]
    assert [one.sizes for one in found] == [(2, 17, 12), (5001, 2), (2, 101, 17, 12)]


COLUMNS = (number("paid", "0", "5000"), category("town", "a", "b"), number("age", "0", "90"))
CONTENTS: dict[str, list[tuple[int | None, ...]]] = {
    "nothing": [],
    "one value": [(1, 0, 30)] * 200,
    "many values": [(at * 37 % 5000, at % 3, at % 91) for at in range(200)],
    "missing values": [(None, None, None)] * 200,
}


def test_what_cubes_take_on_disk_is_the_same_whatever_was_counted(tmp_path: Path) -> None:
    """E14: a machine word for each number, and as many blocks of the file."""
    layouts = cubes_of(COLUMNS, max_rows=10**6, rows_of_unit=None)
    grown = {}
    for held, rows in CONTENTS.items():
        path = write_codes(tmp_path / held, ("USMALLINT", "UTINYINT", "UTINYINT"), rows)
        before = path.stat().st_size
        keep_cubes(path, layouts, threads=1, memory_bytes=MEMORY)
        with duckdb.connect(str(path), read_only=True) as connection:
            sizes = connection.execute("SELECT octet_length(numbers) FROM cubes").fetchall()
        assert sizes == [(8 * layout.numbers,) for layout in layouts]
        grown[held] = path.stat().st_size - before
    assert len(set(grown.values())) == 1, grown
    assert grown["nothing"] > 8 * sum(layout.numbers for layout in layouts)


ROWS, UNITS = Measure(MeasureKind.ROWS), Measure(MeasureKind.UNITS)
PLAIN = Layout((0, 1), (10, 3), (2,), None, 1000)
OF_PEOPLE = Layout((0, 1), (10, 3), (2,), 3, 1000)
SUM = Measure(MeasureKind.CODE_SUM, 0)
CURVE = TabulatedCurve((), 0, (0, 64), 1, 64, 1)
OF_2 = CodeFilter(2, ((0, 1),))


@pytest.mark.parametrize(
    ("layout", "request_", "is_answered"),
    [
        (PLAIN, ExactRequest((), (), (ROWS, SUM)), True),
        (PLAIN, ExactRequest((), (), (ROWS,), UnitBounds(3)), False),
        (OF_PEOPLE, ExactRequest((), (), (ROWS,), UnitBounds(3)), True),
        (OF_PEOPLE, ExactRequest((), (), (ROWS,)), False),
        (OF_PEOPLE, ExactRequest((), (), (ROWS,), UnitBounds(2)), False),
        (OF_PEOPLE, ExactRequest((), (), (ROWS,), UnitBounds(4)), False),
        (OF_PEOPLE, ExactRequest((), (), (ROWS,), UnitBounds(3, max_groups=1)), False),
        (OF_PEOPLE, ExactRequest((), (), (ROWS,), UnitBounds(3, None, 0, 1)), False),
        (OF_PEOPLE, ExactRequest((), (), (UNITS,), UnitBounds(3)), False),
        (OF_PEOPLE, ExactRequest((), (CodeGrouping(ROWS_OF_UNIT, ()),), (ROWS,)), False),
        (PLAIN, ExactRequest((), (), (ROWS,), curve=CURVE), False),
        (PLAIN, ExactRequest((OF_2,), (), (ROWS,)), False),
        (PLAIN, ExactRequest((AnyOf((OF_2, CodeFilter(0, ()))),), (), (ROWS,)), False),
        (PLAIN, ExactRequest((), (CodeGrouping(2, ((0, 1),)),), (ROWS,)), False),
        (PLAIN, ExactRequest((), (), (Measure(MeasureKind.CODE_SUM, 2),)), True),
        (PLAIN, ExactRequest((), (), (Measure(MeasureKind.CODE_SUM, 2, 2),)), False),
        (PLAIN, ExactRequest((), (), (Measure(MeasureKind.CODE_SUM, 2, 1, (0, 4)),)), False),
        (PLAIN, ExactRequest((), (), (Measure(MeasureKind.SQUARE_SUM, 2),)), False),
        (PLAIN, ExactRequest((), (), (Measure(MeasureKind.VALUES, 2),)), False),
        (PLAIN, ExactRequest((), (), (Measure(MeasureKind.VALUES, 0),)), True),
        (PLAIN, ExactRequest((), (), (Measure(MeasureKind.VALUES, 0, 1, (0, 4)),)), False),
        (PLAIN, ExactRequest((), (), (Measure(MeasureKind.CODE_SUM, 3),)), False),
    ],
)
def test_which_plans_a_cube_answers_follows_from_plan_and_declaration(
    layout: Layout, request_: ExactRequest, is_answered: bool
) -> None:
    """D6, D10, E14: the same rows of each unit, its own columns, nothing that tells units apart."""
    assert answers(layout, request_) is is_answered


def test_a_sum_that_might_not_fit_a_machine_word_is_scanned() -> None:
    """D2, D10: by the declared bounds, one row below the edge and one above it."""
    squares = ExactRequest((), (), (Measure(MeasureKind.SQUARE_SUM, 0),))
    for rows, fits in ((2**63 - 1, False), (2**61 - 1, True), (2**61, False)):
        assert answers(Layout((0,), (3,), (), None, rows), squares) is fits
    product = Measure(MeasureKind.PRODUCT_SUM, factors=(Factor(0), Factor(0), Factor(0)))
    assert not answers(
        Layout((0,), (2**17 - 1,), (), None, 2**13), ExactRequest((), (), (product,))
    )


def test_no_cube_has_sums_that_might_not_fit_a_machine_word() -> None:
    """D10: a column of 2^32 codes, with as many rows as there may be of it, and twice as many."""
    columns = [number("wide", "0", str(2**32 - 1)), category("sex", "f")]
    for rows, sums in ((2**31, (0,)), (2**32, ())):
        found = cubes_of(columns, max_rows=rows, rows_of_unit=None)
        assert [one.sums for one in found if one.columns == (1,)] == [sums]
