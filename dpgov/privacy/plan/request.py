"""What an engine is asked, in lattice codes only, and what it must return: exact integers.

Column i of the schema is stored as `c{i}`: an integer code, or null where the value is missing.
Where a column of the file names the privacy unit, a row also has `u`, the number of its unit; `k`,
a hash of that unit's id; `r`, the row's place among its unit's rows, from 0; and `n`, how many
rows the unit has. An engine never sees names, values, ε or noise.
"""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from dpgov.privacy.plan.bins import CodeGrouping

# The column numbers by which a factor means what the request's curve makes of a row.
ON_CURVE, WEIGHT = -2, -3
# From here on counts come as an array: a public number, like that of the cells.
MANY_CELLS = 1_000


@dataclass(frozen=True, slots=True)
class CodeFilter:
    """A row passes when its code lies in one of the inclusive ranges.

    A null passes only if `missing_passes`. No ranges and no missing_passes: no row passes.
    """

    column: int
    ranges: tuple[tuple[int, int], ...]
    missing_passes: bool = False


@dataclass(frozen=True, slots=True)
class AllOf:
    """A row passes when it passes every member."""

    members: tuple["RowFilter", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A row passes when it passes at least one member; none passes an empty one."""

    members: tuple["RowFilter", ...]


RowFilter = CodeFilter | AllOf | AnyOf


class MeasureKind(StrEnum):
    """The exact integers that an engine can compute over the rows of a cell."""

    ROWS = "rows"
    UNITS = "units"
    VALUES = "values"
    PRESENT = "present"
    CODE_SUM = "code_sum"
    SQUARE_SUM = "square_sum"
    PRODUCT_SUM = "product_sum"


_COUNTED = frozenset(
    {
        MeasureKind.ROWS,
        MeasureKind.UNITS,
        MeasureKind.VALUES,
        MeasureKind.PRESENT,
        MeasureKind.CODE_SUM,
    }
)


@dataclass(frozen=True, slots=True)
class Factor:
    """A number of a row: its code divided by `width` and rounded down, or with a `level` whether
    the code is that one: 1 or 0.
    """

    column: int
    width: int = 1
    level: int | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    """ROWS counts rows and UNITS distinct units (column None); PRESENT counts non-null codes and
    VALUES distinct ones.

    CODE_SUM adds codes and SQUARE_SUM squares of codes, each first divided by `width` and rounded
    down. With `clip` each code is before that moved to the nearest one from its low to its high
    and counted from its low; null stays null. PRODUCT_SUM adds the product of its one to three
    `factors`, over rows in which none of them is null.
    """

    kind: MeasureKind
    column: int | None = None
    width: int = 1
    clip: tuple[int, int] | None = None
    factors: tuple[Factor, ...] = ()

    @property
    def is_distinct(self) -> bool:
        """Whether the numbers of two cells do not add up to that of both together."""
        return self.kind in (MeasureKind.UNITS, MeasureKind.VALUES)


@dataclass(frozen=True, slots=True)
class TabulatedCurve:
    """Two more numbers of a row: its place on a public curve, and how steep that is, in integers.

    The score is the sum of `weights` times factors, and `plus`. The curve is `table`, a place every
    `step` from score 0 on, rising from 0 or more to at most `unit`, with straight lines between and
    level beyond, rounded down: ON_CURVE. WEIGHT is that times what it lacks of `unit`, divided by
    `coarse` and rounded down. No number that is divided is ever negative, so that every engine
    rounds alike.
    """

    weights: tuple[tuple[Factor, int], ...]
    plus: int
    table: tuple[int, ...]
    step: int
    unit: int
    coarse: int

    @property
    def end(self) -> int:
        """The largest score that is told from larger ones."""
        return self.step * (len(self.table) - 1) - 1


@dataclass(frozen=True, slots=True)
class UnitBounds:
    """What is kept of each unit, by a rule that looks at that unit's rows alone.

    Of a unit's rows those with `r` below `max_rows`; of the cells that the kept and passing ones
    fall into, the first `max_groups` (None: all) in the order of `place_of_cell`; in each of these
    the first `max_rows_per_group` (None: all) in the order of `r`. Cells here are those of the
    first `groupings` groupings alone.
    """

    max_rows: int
    max_groups: int | None = None
    groupings: int = 0
    max_rows_per_group: int | None = None

    @property
    def ranks_cells(self) -> bool:
        """Whether rows have to be told apart by the cell that they fall into."""
        return self.max_groups is not None or self.max_rows_per_group is not None


# 2^31 - 1, a prime: products of two smaller numbers fit a signed machine word in every engine.
PRIME = 2_147_483_647


def place_of_cell(key: int, cell: int) -> tuple[int, int]:
    """Where a cell stands in a unit's own order of cells: a hash of its `k` and the cell's number.

    Every engine computes the same, in integers: different cells never share a place.
    """
    factor, shift = 1 + key % (PRIME - 1), key // 2**32 % PRIME
    spread = (factor * (cell + 1) + shift) % PRIME
    return spread**2 % PRIME, spread


@dataclass(frozen=True, slots=True)
class Bilinear:
    """A whole number of two codes: plus + first · one + second · other + both · one · other.

    For every two codes that there can be, each part of it and each sum of parts fits 64 bits.
    """

    first: int
    second: int
    both: int
    plus: int


@dataclass(frozen=True, slots=True)
class CodeOfTwo:
    """One more column of a row, of number `column`, that no table stores: `form` of its codes of
    columns `one` and `other`, and null where either is.
    """

    column: int
    one: int
    other: int
    form: Bilinear


@dataclass(frozen=True, slots=True)
class ExactRequest:
    """One scan: filters are joined by AND; cells are the product of the groupings' bins.

    `bounds` is None where each row is a unit of its own, `curve` where no factor needs it. Columns
    in `of_two` have the numbers after those of the table, and are asked about like them.
    """

    filters: tuple[RowFilter, ...]
    groupings: tuple[CodeGrouping, ...]
    measures: tuple[Measure, ...]
    bounds: UnitBounds | None = None
    curve: TabulatedCurve | None = None
    of_two: tuple[CodeOfTwo, ...] = ()

    @property
    def cells(self) -> int:
        """How many cells the answer has: 1 without grouping; row-major, first grouping slowest."""
        count = 1
        for grouping in self.groupings:
            count *= grouping.bins
        return count

    @property
    def counts_many(self) -> bool:
        """Whether it counts and adds up codes in many cells: then the answer may be an array.

        Sums of codes fit a machine word, as `check_capacity` sees to; squares and products need
        not.
        """
        return self.cells >= MANY_CELLS and self.only_counts

    @property
    def only_counts(self) -> bool:
        """Whether it counts and adds up codes, and nothing else."""
        counted = all(measure.kind in _COUNTED for measure in self.measures)
        return counted and self.curve is None

    @property
    def counts_rows(self) -> bool:
        """Whether it asks for nothing but rows."""
        return all(measure.kind is MeasureKind.ROWS for measure in self.measures)


Counts = NDArray[np.int64]
ExactAnswer = tuple[tuple[int, ...], ...] | Counts
"""One tuple per cell, in cell order, with one integer per measure, in request order.

Where a request `counts_many` cells, an array of such rows: integers all the same.
"""
