"""Which sums of neighbouring bins to draw, so that all cumulative counts have the least error.

A strategy is a matrix of whole numbers: each row a sum over bins that is drawn with noise. All
counts from the first bin on are then made of them by least squares. Drawing the bins themselves
makes late sums add up the noise of many; a tree draws a few sums for each, at the price of showing
every row once on each level (Hay et al., Boosting the accuracy of differentially private
histograms, 2010; Li et al., The matrix mechanism, 2015). Which is best depends on the number of
bins and the noise alone.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpgov.language.said import pattern
from dpgov.privacy.noise.noise import Floats
from dpgov.privacy.noise.sensitivity import Reach

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
