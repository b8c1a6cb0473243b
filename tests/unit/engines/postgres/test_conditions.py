"""D4: a condition on a cell as it stands passes the rows that a condition on its code passes."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from dpgov.engines.live import LONGEST_TRIMMED, CellKind
from dpgov.engines.postgres.conditions import Conditions
from dpgov.privacy.plan.request import (
    AllOf,
    AnyOf,
    CodeFilter,
    ExactRequest,
    Measure,
    MeasureKind,
    RowFilter,
    UnitBounds,
)
from tests.unit.engines.postgres.owner import Owner
from tests.unit.engines.tables import category, number

WHOLE, TOWN = number("v", "-2", "3"), category("town", "aa", "b", "cc c")
WHOLES: dict[int | None, int | None] = {
    cell: min(max(cell, -2), 3) + 2 for cell in (-(2**31), -9, *range(-4, 6), 2**31 - 1)
}
# White space at the ends is none of a category; one of 3 bytes can be one of 2 and a blank.
TOWNS: dict[str | None, int | None] = {
    "aa": 0,
    " aa": 0,
    "aa\u2003": 0,
    "b": 1,
    "b\n": 1,
    "cc c": 2,
    "cc c ": 2,
    "a": 3,
    "xx": 3,
    "cc": 3,
    "aab": 3,
    " zz ": 3,
    f"b{' ' * LONGEST_TRIMMED}": 3,
    "": None,
    " \t": None,
}
RANGES: list[tuple[tuple[int, int], ...]] = [
    ((low, high),) for low in range(-2, 7) for high in range(-2, 7)
]
RANGES += [(), ((0, 0), (2, 2)), ((1, 1), (3, 5)), ((0, 9), (1, 2)), ((5, 1), (2, 2))]
FILTERS: list[RowFilter] = [
    CodeFilter(column, ranges, missing)
    for column, ranges, missing in product((0, 1), RANGES, (False, True))
]
NESTED: list[RowFilter] = [
    AllOf((FILTERS[100], AnyOf((FILTERS[40], FILTERS[-20], FILTERS[-1])))),
    AnyOf((FILTERS[101], AllOf((FILTERS[-31], FILTERS[51])))),
    AllOf(()),
    AnyOf(()),
]


def _passes(item: RowFilter, codes: Sequence[int | None]) -> bool:
    if isinstance(item, AllOf | AnyOf):
        answers = [_passes(member, codes) for member in item.members]
        return all(answers) if isinstance(item, AllOf) else any(answers)
    code = codes[item.column]
    if code is None:
        return item.missing_passes
    return any(low <= code <= high for low, high in item.ranges)


@pytest.mark.parametrize("imputed", [None, 0, 2])
def test_a_cell_passes_as_its_code_does(owner: Owner, imputed: int | None) -> None:
    """D4: at, between and beyond the bounds, with white space, missing, imputed, in any nesting."""
    wholes, towns = {**WHOLES, None: None}, {**TOWNS, None: None}
    rows = [*product(wholes, ["aa", None]), *product([1, None], towns)]
    owner.has("cells", {"v": "integer", "town": "text"}, rows)
    columns = [replace(spec, impute_code=imputed) for spec in (WHOLE, TOWN)]
    conditions = Conditions(columns, {"v": CellKind.INTEGER, "town": CellKind.TEXT})
    asked = [*FILTERS, *NESTED]
    outputs = ", ".join(f"coalesce({conditions.sql(item)}, FALSE)" for item in asked)
    found = owner.admin.execute(f'SELECT {outputs} FROM cells AS "source"').fetchall()
    codes = [
        [imputed if code is None else code for code in (wholes[whole], towns[town])]
        for whole, town in rows
    ]
    assert sorted(found) == sorted(tuple(_passes(item, row) for item in asked) for row in codes)


COUNT = Measure(MeasureKind.ROWS)
KINDS = {
    "v": CellKind.INTEGER,
    "town": CellKind.TEXT,
    "half": CellKind.INTEGER,
    "f": CellKind.FLOAT,
}
COLUMNS = [WHOLE, TOWN, number("half", "0", "2", "0.5"), number("f", "0", "3")]


def _of_cells(*filters: RowFilter, **changed: Any) -> tuple[RowFilter, ...]:
    request = ExactRequest(filters, (), (COUNT,), **changed)
    return Conditions(COLUMNS, KINDS).of_cells(request)


def test_only_what_needs_no_code_is_asked_of_a_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    """D4: whole numbers in whole steps and texts; one member that needs a code keeps all back."""
    plain, text = CodeFilter(0, ((1, 2),)), CodeFilter(1, ((0, 0),))
    for kind in (CellKind.INTEGER, CellKind.SHORT):
        monkeypatch.setitem(KINDS, "v", kind)
        assert _of_cells(plain, text, AnyOf((plain, text))) == (plain, text, AnyOf((plain, text)))
    for column in (2, 3, 9, -1):
        item = CodeFilter(column, ((0, 1),))
        assert _of_cells(item, AllOf((plain, item)), text) == (text,)


def test_nothing_is_asked_before_the_rows_of_a_unit_are_chosen() -> None:
    """D6: what is kept of a person depends on their rows alone, whatever is asked of them."""
    plain = CodeFilter(0, ((1, 2),))
    assert _of_cells(plain, bounds=UnitBounds(3)) == ()
