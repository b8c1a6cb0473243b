"""A cumulative distribution: for every edge the rows below it, from sums chosen for that purpose.

Within each cell of the other groupings, bin i of the last grouping is answered by the rows of bins
0 to i, and the last bin, which holds everything else, by all rows.

A strategy, which sums of neighbouring bins to draw, is a matrix of whole numbers: each row a sum
over bins that is drawn with noise. All counts from the first bin on are then made of them by least
squares. Drawing the bins themselves makes late sums add up the noise of many; a tree draws a few
sums for each, at the price of showing every row once on each level (Hay et al., Boosting the
accuracy of differentially private histograms, 2010; Li et al., The matrix mechanism, 2015). Which
is best depends on the number of bins and the noise alone.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpgov.language.said import pattern
from dpgov.privacy.accounting.decimals import json_number_up
from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.draw import Draw, Measured, Reading, calibrated
from dpgov.privacy.mechanisms.mechanism import ROWS, Column, Drawn, OfOne, Statements, Summed
from dpgov.privacy.noise.noise import CONFIDENCE_LEVELS, Floats, Noise, statement
from dpgov.privacy.noise.sensitivity import Contribution, Exposure, Reach, reach
from dpgov.privacy.noise.spread.sums import bound_of_many
from dpgov.privacy.plan.plan import Statistic

Integers = NDArray[np.int64]
# What the sums are called in quotes and releases.
BINS, TREE = pattern("rows of bins"), pattern("rows of tree of {branches}")
BRANCHINGS = (2, 3, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class Strategy:
    """Each bin of a number of bins by itself (branching 0), or all levels of a tree above them."""

    bins: int
    branching: int

    @property
    def name(self) -> str:
        """In words."""
        return "bins" if not self.branching else f"tree of {self.branching}"

    @property
    def reading(self) -> str:
        """What its sums are called in quotes and releases."""
        return TREE.format(branches=self.branching) if self.branching else BINS

    @property
    def sums(self) -> Integers:
        """The matrix: a row for each sum that is drawn, a column for each bin."""
        return _matrix(self.bins, self.branching)

    @property
    def reach(self) -> Reach:
        """How far one row moves the sums: the largest column."""
        return Reach(int(self.sums.sum(axis=0).max()), int((self.sums**2).sum(axis=0).max()))

    @property
    def variances(self) -> Floats:
        """Of each cumulative count, for noise of variance one in each sum."""
        return _variances(self.bins, self.branching)

    @property
    def weights(self) -> Floats:
        """Which combination of the sums is each cumulative count."""
        return _weights(self.bins, self.branching)


def best_strategy(bins: int, variance: Callable[[Reach], float]) -> Strategy:
    """The one with the least mean squared error; `variance` is that of noise for a reach."""
    return min(_strategies(bins), key=lambda s: variance(s.reach) * float(s.variances.mean()))


def _strategies(bins: int) -> Iterator[Strategy]:
    yield Strategy(bins, 0)
    for branching in BRANCHINGS:
        if bins > branching:
            yield Strategy(bins, branching)


@lru_cache(maxsize=64)
def _matrix(bins: int, branching: int) -> Integers:
    rows = [np.eye(bins, dtype=np.int64)]
    width = branching
    while branching and width < bins:
        starts = range(0, bins, width)
        level = np.zeros((len(starts), bins), dtype=np.int64)
        for place, start in enumerate(starts):
            level[place, start : start + width] = 1
        rows.append(level)
        width *= branching
    return np.vstack(rows)


@lru_cache(maxsize=64)
def _inverse(bins: int, branching: int) -> Floats:
    sums = _matrix(bins, branching).astype(np.float64)
    return np.asarray(np.linalg.inv(sums.T @ sums), dtype=np.float64)


@lru_cache(maxsize=64)
def _variances(bins: int, branching: int) -> Floats:
    added = np.cumsum(np.cumsum(_inverse(bins, branching), axis=0), axis=1)
    return np.array(np.diag(added), dtype=np.float64)


@lru_cache(maxsize=16)
def _weights(bins: int, branching: int) -> Floats:
    sums = _matrix(bins, branching).astype(np.float64)
    weights: Floats = np.cumsum(_inverse(bins, branching) @ sums.T, axis=0)
    return weights


# The answers whose largest weight stands out most have the widest tails for their variance.
_LOOKED_AT = 4


@dataclass(frozen=True, slots=True)
class Cumulative(OfOne, Summed):
    """The counts from the first bin on, made of the sums of one strategy."""

    statistic: Statistic
    strategy: Strategy
    taken: Draw

    def run(self, table: Sequence[Measured]) -> Drawn:
        """The noisy sums of each cell of the other groupings, and the counts made of them."""
        rows = np.array([cell[ROWS] for cell in table], dtype=np.int64)
        exact = rows.reshape(-1, self.strategy.bins) @ self.strategy.sums.T
        noisy = np.array(self.taken.add_noise(exact.ravel().tolist())).reshape(exact.shape)
        values = np.rint(noisy.astype(np.float64) @ self.strategy.weights.T).astype(np.int64)
        bounds = self._statements()
        cells = tuple(
            {"value": value, "accuracy": bounds[place]}
            for cell in values.tolist()
            for place, value in enumerate(cell)
        )
        return Drawn(noisy.tolist(), (Column(self.statistic, {}, cells),))

    def describe(self) -> dict[str, Any]:
        """See Draw; `strategy` names the sums that are drawn."""
        sums = [{"name": self.strategy.reading, "lattice": 1}]
        return self.taken.describe() | {"strategy": self.strategy.name, "readings": sums}

    def expected(self, rows_in_a_cell: int | None) -> list[tuple[Column, Statements]]:
        """The widest of all bounds; the number of rows does not matter."""
        widest = int(np.argmax(self.strategy.variances))
        return [(Column(self.statistic, {}), self._statements()[widest])]

    def _statements(self) -> list[Statements]:
        return [list(of_one) for of_one in _stated(self.strategy, self.taken.noise)]


# The same for every answer to a question, and for its quote.
@lru_cache(maxsize=64)
def _stated(strategy: Strategy, noise: Noise) -> tuple[Statements, ...]:
    """The bounds of each cumulative count."""
    weights = strategy.weights
    deviations = np.sqrt((weights**2).sum(axis=1))
    stands_out = np.abs(weights).max(axis=1) / deviations
    looked_at = np.argsort(-stands_out, kind="stable")[:_LOOKED_AT]
    found: list[Statements] = [[] for _ in deviations]
    for level in CONFIDENCE_LEVELS:
        factor = max(
            bound_of_many(noise, weights[place], level) / deviations[place] for place in looked_at
        )
        for place, deviation in enumerate(deviations.tolist()):
            # Rounding to whole rows adds half a row at most.
            bound = json_number_up(Fraction(factor * deviation + 0.5), 0)
            found[place].append(statement(level, bound))
    return tuple(found)


def cumulative(statistic: Statistic, bins: int, exposed: Exposure, loss: Loss) -> Cumulative:
    """The mechanism for so many bins in each cell of the other groupings."""

    # A cell is one of the other groups here: all rows of a unit may lie along its bins.
    along = replace(exposed, in_a_cell=None, cells=exposed.cells // bins)

    def reach_of(size: Reach) -> Reach:
        apart = Reach(2 * size.l1, 2 * size.l2_squared)
        return reach(Contribution(size, apart, apart, both=size.l2_squared), along)

    strategy = best_strategy(bins, lambda size: calibrated(reach_of(size), loss)[0].variance)
    rows = Reading("rows", ((ROWS, 1),), Fraction(1))
    return Cumulative(statistic, strategy, Draw((rows,), reach_of(strategy.reach), loss))
