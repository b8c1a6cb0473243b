"""A slow, obviously correct table: what an engine must return, by looking at every row.

Every other way to compute an exact answer is tested against this one.
"""

from collections.abc import Iterable, Sequence
from itertools import product

from dpgov.privacy.request import (
    AllOf,
    AnyOf,
    CodeGrouping,
    ExactAnswer,
    ExactRequest,
    Measure,
    MeasureKind,
    RowFilter,
)

Row = tuple[int | None, ...]
"""One stored row: the code of each column, or None where it is missing."""


def exact_answer(
    rows_of_codes: Iterable[Sequence[int | None]], request: ExactRequest
) -> ExactAnswer:
    """The exact integers of every cell, first grouping slowest, measures in request order."""
    rows = [tuple(row) for row in rows_of_codes]
    passing = [row for row in rows if all(_passes(row, f) for f in request.filters)]
    cells = product(*(range(grouping.bins) for grouping in request.groupings))
    return tuple(_cell(passing, request, place) for place in cells)


def _cell(rows: list[Row], request: ExactRequest, place: tuple[int, ...]) -> tuple[int, ...]:
    inside = [row for row in rows if tuple(bin_of(row, g) for g in request.groupings) == place]
    return tuple(_measured(inside, measure) for measure in request.measures)


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
    code = row[grouping.column]
    for number, (low, high) in enumerate(grouping.ranges):
        if code is not None and low <= code <= high:
            return number
    return len(grouping.ranges)


def _measured(rows: list[Row], measure: Measure) -> int:
    if measure.kind is MeasureKind.ROWS or measure.column is None:
        return len(rows)
    codes = [code // measure.width for row in rows if (code := row[measure.column]) is not None]
    if measure.kind is MeasureKind.CODE_SUM:
        return sum(codes)
    return len(codes) if measure.kind is MeasureKind.PRESENT else sum(code**2 for code in codes)
