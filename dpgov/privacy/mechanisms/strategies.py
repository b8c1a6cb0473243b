"""Which sums over bins are drawn for a cumulative distribution, and what is made of them.

A strategy is a matrix of whole numbers: each row a weighted sum over bins that is drawn with noise.
All counts from the first bin on are then made of them by least squares. Drawing the bins themselves
makes late counts add up the noise of many; a tree draws a few sums for each, at the price of
showing every row once on each level (Hay et al., Boosting the accuracy of differentially private
histograms, 2010; Li et al., The matrix mechanism, 2015). The square root of the matrix of
cumulative sums, whose entries are those of the power series of 1/√(1 - x), has the least error
known for Gaussian noise, to a factor that tends to one (Bennett, 1977; Fichtenberger, Henzinger and
Upadhyay, Constant matters, 2023; Henzinger, Upadhyay and Upadhyay, Almost tight error bounds on
differentially private continual counting, 2023). Its columns are all made as long as the longest,
which costs nothing and makes the noise of late bins less. It is rounded to whole multiples of
1/ROOTED: what is drawn is that matrix of integers, with exactly its own sensitivity and error.

All of it is a function of the number of bins. What is looked at is known by formulas (`trees`),
so that a quote waits for no matrix but the one that is drawn. Two columns together are in
`products`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Protocol, TypeVar

import numpy as np

from dpgov.language.said import pattern
from dpgov.privacy.mechanisms.trees import (
    Integers,
    levels,
    mean_of_ranges,
    variances,
    weights_of_counts,
)
from dpgov.privacy.noise.noise import Floats
from dpgov.privacy.noise.sensitivity import Sensitivity

Drawing = TypeVar("Drawing", bound="Workable")
# What the sums are called in quotes and releases.
BINS, TREE = pattern("rows of bins"), pattern("rows of tree of {branches}")
# Trees of wider branching pay under pure ε, where each level costs more; of many bins few are
# looked at, because each of them takes long to compute.
BRANCHINGS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 24)
OF_MANY = (2, 8, 10, 12, 16)
_MANY = 256
# The number in place of a branching that stands for the square root, and its lattice.
SQUARE_ROOT = 1
ROOTED = 4096
# Up to here weighted sums are made into counts without an error of floats that could be seen.
_MOST_ROWS = 2**31


class Workable(Protocol):
    """What can be compared with others of its kind."""

    @property
    def usual(self) -> float:
        """The variance that is to be small, for noise of variance one in each sum."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """Each bin by itself (branching 0), the square root (1), or all levels of a tree above bins."""

    bins: int
    branching: int

    @property
    def name(self) -> str:
        """In words."""
        if self.branching == SQUARE_ROOT:
            return "square root"
        return f"tree of {self.branching}" if self.branching else "bins"

    @property
    def reading(self) -> str:
        """What its sums are called in quotes and releases."""
        tree = self.branching > SQUARE_ROOT
        return TREE.format(branches=self.branching) if tree else BINS

    @property
    def unit(self) -> Fraction:
        """What part of a row a step of its sums is."""
        return Fraction(1, ROOTED if self.branching == SQUARE_ROOT else 1)

    @property
    def sums(self) -> Integers:
        """The matrix: a row for each sum that is drawn, a column for each bin."""
        return _matrix(self.bins, self.branching)

    @property
    def heaviest(self) -> int:
        """The largest weight of a bin in a sum."""
        return int(self.sums.max()) if self.branching == SQUARE_ROOT else 1

    @property
    def width(self) -> int:
        """How many sums are drawn."""
        if self.branching == SQUARE_ROOT:
            return self.bins
        return self.bins + sum(len(level.starts) for level in levels(self.bins, self.branching))

    @property
    def reach(self) -> Sensitivity:
        """How far one row moves the sums: the largest column.

        Above bins each row is once on every level.
        """
        if self.branching == SQUARE_ROOT:
            return _reach_of_root(self.bins)
        once = 1 + sum(1 for _ in levels(self.bins, self.branching))
        return Sensitivity(once, once)

    @property
    def variances(self) -> Floats:
        """Of each cumulative count, for noise of variance one in each sum."""
        return _variances(self.bins, self.branching)

    @property
    def weights(self) -> Floats:
        """Which combination of the sums is each cumulative count."""
        return _weights(self.bins, self.branching)

    @property
    def of_bins(self) -> Floats:
        """Which combination of the sums is each bin."""
        found: Floats = np.diff(self.weights, axis=0, prepend=0.0)
        return found

    @property
    def most_exact_bin(self) -> Floats:
        """Which combination of the sums is the bin that has the least noise."""
        found: Floats = self.of_bins[np.argmin((self.of_bins**2).sum(axis=1))]
        return found

    @property
    def usual(self) -> float:
        """What is to be small: the mean of all variances."""
        return float(self.variances.mean())

    @property
    def of_ranges(self) -> float:
        """The mean variance over all ranges of bins, for noise of variance one in each sum."""
        return _of_ranges(self.bins, self.branching)

    @property
    def largest(self) -> Floats:
        """The largest weight of each cumulative count, by size."""
        found: Floats = np.abs(self.weights).max(axis=1)
        return found

    def weights_of(self, count: int) -> Floats:
        """Those of one cumulative count."""
        found: Floats = self.weights[count]
        return found

    def drawn_of(self, rows: Integers) -> Integers:
        """The exact sums, of a line of bins for each cell of the other groupings."""
        found: Integers = rows @ self.sums.T
        return found

    def made_of(self, noisy: Floats) -> Floats:
        """The cumulative counts, of a line of sums for each of these cells."""
        found: Floats = noisy @ self.weights.T
        return found

    def adding(self, chosen: Floats) -> Floats:
        """The weights of sums of bins; a line for each, with a one for each bin that is in it."""
        found: Floats = chosen @ self.of_bins
        return found


def strategies(bins: int, *, max_rows: int) -> Iterator[Strategy]:
    """All that are looked at for so many bins; `max_rows` is a public bound of their rows."""
    yield Strategy(bins, 0)
    if bins > 1 and max_rows <= _MOST_ROWS:
        yield Strategy(bins, SQUARE_ROOT)
    for branching in BRANCHINGS if bins <= _MANY else OF_MANY:
        if bins > branching:
            yield Strategy(bins, branching)


def best_of(found: Iterable[Drawing], variance: Callable[[Drawing], float]) -> Drawing:
    """The one with the least mean squared error; `variance` is that of the noise of each sum."""
    return min(found, key=lambda one: variance(one) * one.usual)


@lru_cache(maxsize=16)
def _matrix(bins: int, branching: int) -> Integers:
    if branching == SQUARE_ROOT:
        return _square_root(bins)
    above = list(levels(bins, branching))
    bin_ = np.arange(bins)
    rows = [(one.starts[:, None] <= bin_) & (bin_ < one.ends[:, None]) for one in above]
    return np.vstack([np.eye(bins, dtype=np.int64), *(row.astype(np.int64) for row in rows)])


def _square_root(bins: int) -> Integers:
    """Lower triangular, of columns of about the length ROOTED."""
    steps = np.arange(1, bins)
    series = np.concatenate([[1.0], np.cumprod((2 * steps - 1) / (2 * steps))])
    places = np.subtract.outer(np.arange(bins), np.arange(bins))
    root = np.where(places >= 0, series[np.abs(places)], 0.0)
    lengths = np.sqrt((root**2).sum(axis=0))
    found: Integers = np.rint(root / lengths * ROOTED).astype(np.int64)
    return found


@lru_cache(maxsize=256)
def _reach_of_root(bins: int) -> Sensitivity:
    sums = _matrix(bins, SQUARE_ROOT)
    return Sensitivity(int(sums.sum(axis=0).max()), int((sums**2).sum(axis=0).max()))


@lru_cache(maxsize=256)
def _variances(bins: int, branching: int) -> Floats:
    if branching == SQUARE_ROOT:
        found: Floats = (_weights(bins, branching) ** 2).sum(axis=1)
        return found
    return variances(bins, branching)


@lru_cache(maxsize=256)
def _of_ranges(bins: int, branching: int) -> float:
    if branching != SQUARE_ROOT:
        return mean_of_ranges(bins, branching)
    # Of all pairs of n + 1 ends, of which the first is nothing, as in `trees`.
    weights = _weights(bins, branching)
    squares, both = float((weights**2).sum()), float((weights.sum(axis=0) ** 2).sum())
    return ((bins + 1) * squares - both) / (bins * (bins + 1) / 2)


@lru_cache(maxsize=16)
def _weights(bins: int, branching: int) -> Floats:
    if branching == SQUARE_ROOT:
        # As many sums as bins: the one combination that there is.
        inverse = np.linalg.inv(_matrix(bins, branching).astype(np.float64))
        return np.asarray(np.cumsum(inverse, axis=0), dtype=np.float64)
    return weights_of_counts(bins, branching)
