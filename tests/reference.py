"""A slow, obviously correct table: what an engine must return, by looking at every row.

Every other way to compute an exact answer is tested against this one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from dpgov.privacy.plan.bins import ROWS_OF_UNIT, CodeGrouping
from dpgov.privacy.plan.request import (
    ON_CURVE,
    WEIGHT,
    AllOf,
    AnyOf,
    CodeOfTwo,
    ExactAnswer,
    ExactRequest,
    Factor,
    Measure,
    MeasureKind,
    RowFilter,
    TabulatedCurve,
    UnitBounds,
    place_of_cell,
)

Row = tuple[int | None, ...]
"""One stored row: the code of each column, or None where it is missing."""


@dataclass(frozen=True, slots=True)
class Owned:
    """One stored row whose unit is named by a column: `u`, `k`, `r` and `n` beside its codes."""

    codes: Row
    unit: int
    key: int
    rank: int
    size: int


def exact_answer(
    rows_of_codes: Iterable[Sequence[int | None] | Owned], request: ExactRequest
) -> ExactAnswer:
    """The exact integers of every cell, first grouping slowest, measures in request order."""
    rows = [_owned(row, number) for number, row in enumerate(rows_of_codes)]
    for more in request.of_two:
        rows = [replace(row, codes=(*row.codes, _of_two(row.codes, more))) for row in rows]
    if request.bounds is not None:
        rows = [row for row in rows if row.rank < request.bounds.max_rows]
    passing = [row for row in rows if all(_passes(row.codes, f) for f in request.filters)]
    if request.bounds is not None:
        passing = _in_kept_cells(passing, request, request.bounds)
    inside: dict[tuple[int, ...], list[Owned]] = {}
    for row in passing:
        inside.setdefault(tuple(_bin(row, g) for g in request.groupings), []).append(row)
    cells = product(*(range(grouping.bins) for grouping in request.groupings))
    return tuple(_cell(inside.get(place, []), request) for place in cells)


def _owned(row: Sequence[int | None] | Owned, number: int) -> Owned:
    """Without a unit column each row is a unit of its own."""
    return row if isinstance(row, Owned) else Owned(tuple(row), number, 0, 0, 1)


def _of_two(row: Row, more: CodeOfTwo) -> int | None:
    """The code of a column that is computed of two; its number is that of the next column."""
    assert more.column == len(row)
    one, other, form = row[more.one], row[more.other], more.form
    if one is None or other is None:
        return None
    return form.plus + form.first * one + form.second * other + form.both * one * other


def _in_kept_cells(rows: list[Owned], request: ExactRequest, bounds: UnitBounds) -> list[Owned]:
    """Each unit's first rows in the first `max_groups` of its own cells; unit by unit."""
    if bounds.max_groups is None and bounds.max_rows_per_group is None:
        return rows
    kept: list[Owned] = []
    for unit in {row.unit for row in rows}:
        own = [(row, _plan_cell(row, request, bounds)) for row in rows if row.unit == unit]
        places = {place_of_cell(row.key, cell): cell for row, cell in own}
        cells = [places[place] for place in sorted(places)[: bounds.max_groups]]
        for cell in cells:
            there = sorted((row for row, c in own if c == cell), key=lambda row: row.rank)
            kept += there[: bounds.max_rows_per_group]
    return kept


def _plan_cell(row: Owned, request: ExactRequest, bounds: UnitBounds) -> int:
    number = 0
    for grouping in request.groupings[: bounds.groupings]:
        number = number * grouping.bins + _bin(row, grouping)
    return number


def _cell(rows: list[Owned], request: ExactRequest) -> tuple[int, ...]:
    return tuple(_measured(rows, measure, request.curve) for measure in request.measures)


def _bin(row: Owned, grouping: CodeGrouping) -> int:
    if grouping.column == ROWS_OF_UNIT:
        return _bin_of_code(row.size, grouping)
    return bin_of(row.codes, grouping)


def _passes(row: Row, condition: RowFilter) -> bool:
    if isinstance(condition, AllOf):
        return all(_passes(row, member) for member in condition.members)
    if isinstance(condition, AnyOf):
        return any(_passes(row, member) for member in condition.members)
    code = row[condition.column]
    if code is None:
        return condition.missing_passes
    return any(low <= code <= high for low, high in condition.ranges)


def bin_of(row: Row, grouping: CodeGrouping) -> int:
    """The number of the bin that a row falls into; the last one takes what fits nowhere."""
    return _bin_of_code(row[grouping.column], grouping)


@lru_cache(maxsize=10_000)
def _bin_of_code(code: int | None, grouping: CodeGrouping) -> int:
    """One by one, which for tens of thousands of ranges is enough to do once for each code."""
    code = None if code is None else grouping.turned(code)
    for number, (low, high) in enumerate(grouping.ranges):
        if code is not None and low <= code <= high:
            return (number + grouping.enters) % grouping.folds if grouping.folds else number
    return grouping.folds or len(grouping.ranges)


def _measured(owned: list[Owned], measure: Measure, curve: TabulatedCurve | None) -> int:
    if measure.kind is MeasureKind.UNITS:
        return len({row.unit for row in owned})
    rows = [row.codes for row in owned]
    if measure.kind is MeasureKind.PRODUCT_SUM:
        return sum(_product(row, measure.factors, curve) for row in rows)
    if measure.kind is MeasureKind.ROWS or measure.column is None:
        return len(rows)
    present = [code for row in rows if (code := row[measure.column]) is not None]
    if measure.clip is not None:
        low, high = measure.clip
        present = [min(max(code, low), high) - low for code in present]
    if measure.kind is MeasureKind.VALUES:
        return len(set(present))
    codes = [code // measure.width for code in present]
    if measure.kind is MeasureKind.CODE_SUM:
        return sum(codes)
    return len(codes) if measure.kind is MeasureKind.PRESENT else sum(code**2 for code in codes)


def _product(row: Row, factors: Sequence[Factor], curve: TabulatedCurve | None) -> int:
    found = 1
    for factor in factors:
        number = _number(row, factor, curve)
        if number is None:
            return 0
        found *= number
    return found


def _number(row: Row, factor: Factor, curve: TabulatedCurve | None) -> int | None:
    if factor.column in (ON_CURVE, WEIGHT):
        assert curve is not None
        value = _on_curve(row, curve)
        if value is None or factor.column == ON_CURVE:
            return value
        return value * (curve.unit - value) // curve.coarse
    code = row[factor.column]
    if code is None:
        return None
    return code // factor.width if factor.level is None else int(code == factor.level)


def _on_curve(row: Row, curve: TabulatedCurve) -> int | None:
    """Nothing where the row lacks a value that its score is made of."""
    score = curve.plus
    for factor, weight in curve.weights:
        number = _number(row, factor, None)
        if number is None:
            return None
        score += weight * number
    place, part = divmod(min(max(score, 0), curve.end), curve.step)
    low, high = curve.table[place], curve.table[place + 1]
    return low + (high - low) * part // curve.step
