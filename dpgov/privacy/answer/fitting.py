"""The table of all columns that agrees with released tables of some of them.

Made of released numbers alone, without any chance of its own: synthetic rows are read off it, and
adaptive choices are told by it what is known already.

The fit is the table without negative counts whose marginals are nearest to the released ones, each
squared difference divided by the variance of its noise, found by entropic mirror descent from
independent columns on: of the many that fit, one that adds little besides (McKenna, Sheldon and
Miklau, Graphical-model based estimation and inference for differential privacy, 2019; over the full
table the steps are multiplicative weights: Hardt, Ligett and McSherry, 2012).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpgov.language.said import said
from dpgov.privacy.answer.body import MAX_CHOSEN_FROM
from dpgov.privacy.answer.plausible import projected
from dpgov.privacy.noise.noise import Floats

MAX_CELLS = MAX_CHOSEN_FROM
"""Of the fitted table: bounds the memory and the time of a fit."""
# So many cells of marginals are looked at in one fit: a few seconds at most, whatever the tables.
_WORK = 400_000_000
_MOST_STEPS = 400
_LEAST_STEPS = 20
# A fit is done when a step makes it better by less than this part.
_DONE = 1e-6
# What a fit takes of one processor, at most, by the number of cells that it looks at, and of memory
# by the number of its cells: measured 0.05 to 2.7 and 59 (docs/benchmarks.md), rounded upwards.
_NANOSECONDS_A_LOOK = 4
_MILLISECONDS_A_FIT = 50
_BYTES_A_CELL = 80
# No count is brought to nothing: what is nothing once stays so.
_LEAST = 0.05


class TooManyCells(ValueError):
    """The table of all columns would have more cells than are fitted."""

    def __init__(self, cells: int) -> None:
        self.cells = cells
        super().__init__(
            said(
                "A table of all these columns would have {cells} cells; synthetic rows are made "
                "for at most {most}. Ask with fewer columns or wider bins.",
                cells=cells,
                most=MAX_CELLS,
            )
        )


@dataclass(frozen=True, slots=True)
class Needs:
    """The most that a fit takes: out of the numbers of cells and tables alone, which are public."""

    cells: int
    seconds: float
    megabytes: int


def needs_of(cells: int, tables: int) -> Needs | None:
    """Of a table of so many cells fitted to so many tables; None where it is too large."""
    if cells > MAX_CELLS:
        return None
    looks = _steps_for(cells, tables) * cells * tables
    milliseconds = _MILLISECONDS_A_FIT + looks * _NANOSECONDS_A_LOOK // 10**6
    return Needs(cells, -(-milliseconds // 100) / 10, -(-cells * _BYTES_A_CELL // 10**6))


def _steps_for(cells: int, tables: int) -> int:
    return max(_LEAST_STEPS, min(_MOST_STEPS, _WORK // (cells * tables)))


@dataclass(frozen=True, slots=True)
class Axis:
    """A column and the names of its bins, the one for everything else last."""

    column: str
    bins: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedTable:
    """A released table: its axes, its noisy counts in their shape, the variance of their noise."""

    axes: tuple[Axis, ...]
    counts: Floats
    variance: float


def axes_of(tables: Sequence[ReleasedTable]) -> tuple[Axis, ...]:
    """Each column once, in the order of the tables; raises TooManyCells."""
    axes = tuple(dict.fromkeys(axis for table in tables for axis in table.axes))
    cells = math.prod(len(axis.bins) for axis in axes)
    if cells > MAX_CELLS:
        raise TooManyCells(cells)
    return axes


def total_of(tables: Sequence[ReleasedTable]) -> int:
    """How many rows there are by all tables together, weighted by how exact each is."""
    weights = [1 / (table.variance * table.counts.size) for table in tables]
    sums = [float(table.counts.sum()) * w for table, w in zip(tables, weights, strict=True)]
    return max(0, round(sum(sums) / sum(weights)))


def fit(tables: Sequence[ReleasedTable], axes: Sequence[Axis], total: int) -> Floats:
    """Counts of all cells, never negative and adding up to `total`, nearest to the tables."""
    if total == 0:
        return np.zeros(tuple(len(axis.bins) for axis in axes))
    if len(tables) == 1:
        return projected(tables[0].counts, total)
    descent = _Descent(tables, axes)
    return descent.from_(descent.raked(_independent(tables, axes, total)))


def _independent(tables: Sequence[ReleasedTable], axes: Sequence[Axis], total: int) -> Floats:
    """Every column spread as some table has it, and none depending on another; nowhere nothing."""
    found = np.full((), float(total))
    for axis in axes:
        table = min((t for t in tables if axis in t.axes), key=lambda t: t.variance * t.counts.size)
        others = tuple(place for place, other in enumerate(table.axes) if other != axis)
        shares = np.maximum(table.counts.sum(axis=others), 1.0)
        found = np.multiply.outer(found, shares / shares.sum())
    return found


class _Descent:
    """Mirror descent on the squared differences; a step that makes them larger is halved."""

    def __init__(self, tables: Sequence[ReleasedTable], axes: Sequence[Axis]) -> None:
        self._others, self._wanted, self._weights = [], [], []
        for table in tables:
            places = [axes.index(axis) for axis in table.axes]
            self._others.append(tuple(p for p in range(len(axes)) if p not in places))
            order = np.argsort(places)
            self._wanted.append(np.transpose(table.counts, order))
            self._weights.append(1 / table.variance)
        cells = math.prod(len(axis.bins) for axis in axes)
        self._steps = _steps_for(cells, len(tables))

    def raked(self, start: Floats) -> Floats:
        """Counts brought to each table in turn (iterative proportional fitting): a near start.

        Tables contradict each other by their noise, so that it ends where no round is better.
        """
        total = float(start.sum())
        targets = [np.maximum(projected(wanted, total), _LEAST) for wanted in self._wanted]
        best, least, cells = start, self._loss(start)[0], start
        for _ in range(self._steps // 8):
            for others, target in zip(self._others, targets, strict=True):
                apart = target / np.maximum(cells.sum(axis=others), _LEAST / 10)
                cells = cells * np.expand_dims(apart, others)
            cells = cells * (total / cells.sum())
            loss = self._loss(cells)[0]
            if loss >= least * (1 - _DONE):
                break
            best, least = cells, loss
        return best

    def from_(self, start: Floats) -> Floats:
        """The nearest table that so many steps lead to."""
        total, cells = float(start.sum()), start
        loss, off = self._loss(cells)
        step = 1.0 / (total * sum(self._weights))
        for _ in range(self._steps):
            slope = self._slope(off, cells.shape)
            for _ in range(20):
                moved = cells * np.exp(np.clip(-step * slope, -50, 50))
                moved *= total / moved.sum()
                new_loss, new_off = self._loss(moved)
                if new_loss <= loss:
                    break
                step /= 2
            else:
                break
            done = loss - new_loss < _DONE * loss
            cells, loss, off = moved, new_loss, new_off
            step *= 1.5
            if done:
                break
        return cells

    def _loss(self, cells: Floats) -> tuple[float, list[Floats]]:
        off = [
            cells.sum(axis=others) - wanted
            for others, wanted in zip(self._others, self._wanted, strict=True)
        ]
        squares = (w * float((d**2).sum()) for w, d in zip(self._weights, off, strict=True))
        return sum(squares), off

    def _slope(self, off: Sequence[Floats], shape: tuple[int, ...]) -> Floats:
        slope = np.zeros(shape)
        for others, weight, apart in zip(self._others, self._weights, off, strict=True):
            slope += weight * np.expand_dims(apart, others)
        return slope
