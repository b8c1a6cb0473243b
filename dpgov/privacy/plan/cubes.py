"""Which cubes a file has and what each can answer: by declarations and plans, never by data.

For every declared column, the one with the fewest codes first, there is a cube of that column and
of the smallest others, as many as fit into CELLS and into the declared number of rows. One cube
more has the smallest columns alone, within SUMMED_CELLS, and beside its counts the sums of columns
with too many codes to stand in a cube with them. All of them together hold at most NUMBERS.

A cube answers what is a function of the codes of its columns in the rows that it counted. Where a
column names the unit these are the first rows of each unit, as many as were declared when it was
made. So it answers no question that keeps other rows or tells units or their cells apart, and none
about a column that it lacks. `answers` is the whole of that rule.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from dpgov.privacy.plan.request import (
    CodeFilter,
    ExactRequest,
    Measure,
    MeasureKind,
    RowFilter,
    UnitBounds,
)
from dpgov.privacy.plan.schema import ColumnSpec, NumericDomain

# Of one cube: a marginal of as many cells takes well under a millisecond.
CELLS = 2**17
SUMMED_CELLS = 2**13
# Of all cubes of a file, in machine words: 4 MB.
NUMBERS = 2**19
_WORD = 2**63


@dataclass(frozen=True, slots=True)
class Layout:
    """One cube: column `columns[i]` has the codes 0 to `sizes[i]` - 1, and then the missing value.

    Of the columns in `sums` it has two more numbers a cell: present values, and their codes added
    up. It counts the first `rows_of_unit` rows of each unit, or all where each row is one (None).
    """

    columns: tuple[int, ...]
    sizes: tuple[int, ...]
    sums: tuple[int, ...]
    rows_of_unit: int | None
    max_rows: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Of its numbers: which one, then a place for each code of each column."""
        return 1 + 2 * len(self.sums), *(size + 1 for size in self.sizes)

    @property
    def numbers(self) -> int:
        """How many there are."""
        return prod(self.shape)

    def size_of(self, column: int) -> int:
        """How many codes one of its columns has."""
        return self.sizes[self.columns.index(column)]


def cubes_of(
    columns: Sequence[ColumnSpec], *, max_rows: int, rows_of_unit: int | None
) -> tuple[Layout, ...]:
    """Those of a file with these declared columns, the smallest cube first."""
    sizes = [spec.largest_code + 1 for spec in columns]
    smallest = sorted(range(len(columns)), key=lambda column: (sizes[column], column))

    def cube(first: Iterable[int], most: int, sums: tuple[int, ...] = ()) -> Layout | None:
        taken = list(first)
        cells = prod(sizes[column] + 1 for column in taken)
        if cells > most:
            return None
        for column in smallest:
            if column not in taken and cells * (sizes[column] + 1) <= most:
                cells *= sizes[column] + 1
                taken.append(column)
        own = tuple(sorted(taken))
        return Layout(own, tuple(sizes[c] for c in own), sums, rows_of_unit, max_rows)

    found: list[Layout] = []
    for column in smallest:
        made = cube([column], min(CELLS, max_rows))
        if made is not None and not any(set(made.columns) <= set(f.columns) for f in found):
            _add(found, made)
    summed = cube([], min(SUMMED_CELLS, max_rows))
    if summed is not None:
        found = [layout for layout in found if layout.columns != summed.columns]
        _add(found, _with_sums(summed, found, columns))
    return tuple(sorted(found, key=lambda layout: layout.numbers))


def _add(found: list[Layout], made: Layout) -> None:
    if sum(layout.numbers for layout in found) + made.numbers <= NUMBERS:
        found.append(made)


def _with_sums(layout: Layout, found: Sequence[Layout], columns: Sequence[ColumnSpec]) -> Layout:
    """With the sums of every column of numbers that no cube has beside all of its columns."""
    sums: list[int] = []
    for column, spec in enumerate(columns):
        beside = {column, *layout.columns}
        domain = spec.domain
        if any(beside <= set(one.columns) for one in (layout, *found)):
            continue
        if isinstance(domain, NumericDomain) and domain.top * layout.max_rows < _WORD:
            sums.append(column)
    left = NUMBERS - sum(one.numbers for one in found)
    most = max(0, (left // layout.numbers - 1) // 2)
    return Layout(
        layout.columns, layout.sizes, tuple(sums[:most]), layout.rows_of_unit, layout.max_rows
    )


def answers(layout: Layout, request: ExactRequest) -> bool:
    """Whether this cube has every number that is asked for."""
    columns = [*_columns(request.filters), *(grouping.column for grouping in request.groupings)]
    return (
        request.curve is None
        and _counts_those_rows(layout, request.bounds)
        and set(columns) <= set(layout.columns)
        and all(_measures(layout, measure) for measure in request.measures)
    )


def _counts_those_rows(layout: Layout, bounds: UnitBounds | None) -> bool:
    if bounds is None:
        return layout.rows_of_unit is None
    return not bounds.ranks_cells and bounds.max_rows == layout.rows_of_unit


def _columns(filters: Iterable[RowFilter]) -> Iterable[int]:
    for item in filters:
        if isinstance(item, CodeFilter):
            yield item.column
        else:
            yield from _columns(item.members)


def _measures(layout: Layout, measure: Measure) -> bool:
    """Whether it is a sum over the cells of this cube that fits a machine word."""
    kind, column = measure.kind, measure.column
    if kind is MeasureKind.ROWS:
        return True
    if kind is MeasureKind.PRODUCT_SUM:
        return _fits(layout, [(factor.column, factor.width) for factor in measure.factors])
    if column in layout.sums:
        return is_summed(measure)
    if column not in layout.columns or (kind is MeasureKind.VALUES and measure.clip is not None):
        return False
    return _fits(layout, [(column, measure.width)] * POWERS.get(kind, 0))


# How often a value is multiplied where codes are added up.
POWERS = {MeasureKind.CODE_SUM: 1, MeasureKind.SQUARE_SUM: 2}


def _fits(layout: Layout, factors: Iterable[tuple[int, int]]) -> bool:
    """Whether the sum of products of codes, each divided by its width, cannot be too large."""
    largest = 1
    for column, width in factors:
        if column not in layout.columns:
            return False
        largest *= max(1, (layout.size_of(column) - 1) // width)
    return largest * layout.max_rows < _WORD


def is_summed(measure: Measure) -> bool:
    """Whether it is one of the two numbers that a cube has of a column in `sums`."""
    if measure.kind is MeasureKind.PRESENT:
        return True
    return measure.kind is MeasureKind.CODE_SUM and (measure.width, measure.clip) == (1, None)
