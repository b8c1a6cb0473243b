"""What an engine would say of an invented table: the same requests, the same exact integers.

So that a question can be tried with its real noise before anything is asked of any data.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpgov.privacy.mock.rows import Codes, MockTable
from dpgov.privacy.plan.bins import ROWS_OF_UNIT, CodeGrouping
from dpgov.privacy.plan.request import (
    ON_CURVE,
    PRIME,
    WEIGHT,
    AllOf,
    CodeFilter,
    ExactAnswer,
    ExactRequest,
    Factor,
    Measure,
    MeasureKind,
    RowFilter,
    TabulatedCurve,
    UnitBounds,
)

Mask = NDArray[np.bool_]

# Squares of codes below this stay exact in 64 bits, however many rows are added up.
_SMALL = 2**23


def mock_answer(table: MockTable, request: ExactRequest) -> ExactAnswer:
    """One tuple of integers per cell, as every engine answers."""
    cells = _cells(table, request.groupings)
    kept = _passing(table, AllOf(request.filters))
    if request.bounds is not None:
        kept = _bounded(table, request, kept)
    columns = [
        _products(table, measure, cells, kept, request)
        if measure.kind is MeasureKind.PRODUCT_SUM
        else _measured(table, measure, cells, kept, request.cells)
        for measure in request.measures
    ]
    return tuple(zip(*columns, strict=True))


def _passing(table: MockTable, item: RowFilter) -> Mask:
    if isinstance(item, CodeFilter):
        codes = _codes(table, item.column)
        passes: Mask = (codes < 0) & item.missing_passes
        for low, high in item.ranges:
            passes |= (low <= codes) & (codes <= high)
        return passes
    every = isinstance(item, AllOf)
    found = np.full(table.rows, every)
    for member in item.members:
        passes = _passing(table, member)
        found = found & passes if every else found | passes
    return found


def _cells(table: MockTable, groupings: Sequence[CodeGrouping]) -> Codes:
    """The number of each row's cell, first grouping slowest."""
    number = np.zeros(table.rows, dtype=np.int64)
    for grouping in groupings:
        number = number * grouping.bins + _bins(_codes(table, grouping.column), grouping)
    return number


def _bins(codes: Codes, grouping: CodeGrouping) -> Codes:
    places = [place for place, (low, high) in enumerate(grouping.ranges) if low <= high]
    places.sort(key=lambda place: grouping.ranges[place])
    rest = np.full(len(codes), grouping.rest)
    if not places:
        return rest
    lows = np.array([grouping.ranges[place][0] for place in places])
    highs = np.array([grouping.ranges[place][1] for place in places])
    turned = (codes + grouping.start) % grouping.turns if grouping.turns else codes
    nearest = np.searchsorted(lows, turned, side="right") - 1
    inside = (codes >= 0) & (nearest >= 0) & (turned <= highs[nearest])
    bins = np.array([grouping.bin_of_range(place) for place in places])
    found: Codes = np.where(inside, bins[nearest], rest)
    return found


def _bounded(table: MockTable, request: ExactRequest, kept: Mask) -> Mask:
    """What is kept of each unit; see `UnitBounds`."""
    bounds, units = request.bounds or UnitBounds(1), table.units()
    kept = kept & (units.rank < bounds.max_rows)
    if not bounds.ranks_cells:
        return kept
    cells = _cells(table, request.groupings[: bounds.groupings])
    if bounds.max_rows_per_group is not None:
        kept = _first_of_cells(table, cells, kept, bounds.max_rows_per_group)
    if bounds.max_groups is None:
        return kept
    factor, shift = 1 + units.key % (PRIME - 1), units.key // 2**32 % PRIME
    spread = (factor * (cells + 1) + shift) % PRIME
    order = np.lexsort((spread, spread**2 % PRIME, units.number, ~kept))[: int(kept.sum())]
    of_unit, of_cell = units.number[order], cells[order]
    another = np.diff(of_unit, prepend=-1) != 0
    new_cell = another | (np.diff(of_cell, prepend=-1) != 0)
    counted = np.cumsum(new_cell)
    rank = counted - np.maximum.accumulate(np.where(another, counted, 0))
    found = np.zeros(table.rows, dtype=np.bool_)
    found[order[rank < bounds.max_groups]] = True
    return found


def _first_of_cells(table: MockTable, cells: Codes, kept: Mask, most: int) -> Mask:
    """Of each unit's rows in a cell the first ones: which cells it has does not change by it."""
    units = table.units()
    order = np.lexsort((units.rank, cells, units.number, ~kept))[: int(kept.sum())]
    another = np.diff(units.number[order], prepend=-1) != 0
    another |= np.diff(cells[order], prepend=-1) != 0
    place = np.arange(len(order))
    found = np.zeros(table.rows, dtype=np.bool_)
    found[order[place - np.maximum.accumulate(np.where(another, place, 0)) < most]] = True
    return found


def _measured(
    table: MockTable, measure: Measure, cells: Codes, kept: Mask, count: int
) -> list[int]:
    if measure.kind is MeasureKind.UNITS:
        pairs = np.unique(np.stack([cells[kept], table.units().number[kept]]), axis=1)
        return _counted(pairs[0], count)
    if measure.kind is MeasureKind.ROWS or measure.column is None:
        return _counted(cells[kept], count)
    codes = _codes(table, measure.column)
    present = kept & (codes >= 0)
    if measure.kind is MeasureKind.PRESENT:
        return _counted(cells[present], count)
    if measure.kind is MeasureKind.VALUES:
        pairs = np.unique(np.stack([cells[present], codes[present]]), axis=1)
        return _counted(pairs[0], count)
    values: NDArray[Any] = codes[present]
    if measure.clip is not None:
        values = np.clip(values, *measure.clip) - measure.clip[0]
    values = values // measure.width
    if measure.kind is MeasureKind.SQUARE_SUM:
        values = _squares(values)
    totals = np.zeros(count, dtype=values.dtype)
    np.add.at(totals, cells[present], values)
    return [int(total) for total in totals]


def _products(
    table: MockTable, measure: Measure, cells: Codes, kept: Mask, request: ExactRequest
) -> list[int]:
    present, product = kept, np.ones(table.rows, dtype=np.int64)
    for factor in measure.factors:
        numbers, known = _numbers(table, factor, request.curve)
        product *= numbers
        present = present & known
    totals = np.zeros(request.cells, dtype=np.int64)
    np.add.at(totals, cells[present], product[present])
    return [int(total) for total in totals]


def _numbers(table: MockTable, factor: Factor, curve: TabulatedCurve | None) -> tuple[Codes, Mask]:
    """A factor of all rows, and which rows have it; of others it is anything."""
    if curve is not None and factor.column in (ON_CURVE, WEIGHT):
        value, known = _curved(table, curve)
        if factor.column == WEIGHT:
            value = value * (curve.unit - value) // curve.coarse
        return value, known
    codes = _codes(table, factor.column)
    level = factor.level
    found = codes // factor.width if level is None else (codes == level).astype(np.int64)
    return found, codes >= 0


def _curved(table: MockTable, curve: TabulatedCurve) -> tuple[Codes, Mask]:
    """See `TabulatedCurve`."""
    score = np.full(table.rows, curve.plus, dtype=np.int64)
    known = np.ones(table.rows, dtype=np.bool_)
    for factor, weight in curve.weights:
        numbers, there = _numbers(table, factor, None)
        score += weight * numbers
        known &= there
    place, part = np.divmod(np.clip(score, 0, curve.end), curve.step)
    places = np.array(curve.table, dtype=np.int64)
    value: Codes = places[place] + (places[place + 1] - places[place]) * part // curve.step
    return value, known


def _squares(values: NDArray[Any]) -> NDArray[Any]:
    """In Python's own integers where 64 bits could be too few."""
    large = len(values) > 0 and values.max() >= _SMALL
    return values.astype(object) ** 2 if large else values**2


def _counted(cells: Codes, count: int) -> list[int]:
    return [int(number) for number in np.bincount(cells, minlength=count)]


def _codes(table: MockTable, column: int) -> Codes:
    return table.units().size if column == ROWS_OF_UNIT else table.column(column)
