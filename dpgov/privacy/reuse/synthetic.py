"""Synthetic rows: rows whose counts agree with released tables of some of their columns.

Made of released numbers alone (`answer.fitting`), so that it costs nothing and gives nothing more
away, and without any chance of its own: the same releases make the same rows. A row stands for a
cell of the fitted table and never for a person.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpgov.privacy.answer.fitting import Axis, ReleasedTable, axes_of, fit, total_of
from dpgov.privacy.noise.noise import Floats

Integers = NDArray[np.int64]
MAX_ROWS = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Synthetic:
    """Whole numbers of rows for each cell; `stands_for` is the noisy number of all rows."""

    axes: tuple[Axis, ...]
    counts: Integers
    stands_for: int

    @property
    def rows(self) -> int:
        """How many there are: fewer than they stand for only where those are too many."""
        return int(self.counts.sum())

    def columns(self) -> Iterator[tuple[Axis, Integers]]:
        """For each column the bin of every row, in the order of the cells."""
        cells = np.flatnonzero(self.counts)
        times = self.counts.ravel()[cells]
        for axis, places in zip(self.axes, np.unravel_index(cells, self.counts.shape), strict=True):
            yield axis, np.repeat(places.astype(np.int64), times)


def synthesise(tables: Sequence[ReleasedTable]) -> Synthetic:
    """Rows that agree with these tables; raises TooManyCells before anything is computed."""
    axes = axes_of(tables)
    total = total_of(tables)
    fitted = fit(tables, axes, total)
    rows = min(total, MAX_ROWS)
    return Synthetic(axes, _whole(fitted * (rows / max(1, total)), rows), total)


def _whole(cells: Floats, rows: int) -> Integers:
    """Whole numbers adding up to `rows`: the sum up to each cell is rounded, not each cell.

    Rounding cells one by one would lose every part of the table that is spread thinly.
    """
    summed = np.cumsum(cells.ravel())
    scaled = summed * (rows / summed[-1]) if rows else np.zeros_like(summed)
    edges = np.floor(scaled + 0.5).astype(np.int64)
    edges[-1] = rows
    return np.diff(edges, prepend=0).reshape(cells.shape)
