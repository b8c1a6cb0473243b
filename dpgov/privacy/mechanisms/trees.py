"""Sums over neighbouring bins on levels: what least squares make of them, without any inverse.

The bins are drawn, and on each level the sums over so many neighbours. Each such sum v adds a one
for each pair of its bins to the matrix whose inverse is the covariance of the bins (for noise of
variance one in each sum). So it takes from the inverse what lies in one direction, w_v w_v' / (1 +
t_v), where w_v is the inverse of the levels below it times a one for each of its bins, and t_v is
the sum of w_v (Sherman and Morrison, 1950). Below a sum these directions are known from the ones
next below: w_v is put together of w_c / (1 + t_c). That is the way up of Hay, Rastogi, Miklau and
Suciu (2010), and everything that is asked of a tree follows from w and t, in a few passes over the
bins.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpgov.privacy.noise.noise import Floats

Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Level:
    """Sums over so many neighbouring bins each: of bins `starts` to before `ends`.

    `weights` are w of all of them, one behind the other, and `totals` their t.
    """

    starts: Integers
    ends: Integers
    weights: Floats
    totals: Floats

    @property
    def taken(self) -> Floats:
        """1 / (1 + t), by which its squares are taken from what the levels below leave."""
        found: Floats = 1 / (1 + self.totals)
        return found

    def of_each_bin(self, values: Floats) -> Floats:
        """A value of each sum, for each of its bins."""
        return np.repeat(values, self.ends - self.starts)

    @property
    def upto(self) -> Floats:
        """The weights of each sum added up from its first bin to each bin."""
        added = np.cumsum(self.weights)
        before = np.concatenate([[0.0], added])[self.starts]
        found: Floats = added - self.of_each_bin(before)
        return found

    def of_counts(self) -> Floats:
        """What it takes from the variance of the count up to each bin."""
        whole = self.totals**2 * self.taken
        before = np.cumsum(whole) - whole
        found: Floats = self.of_each_bin(before) + self.upto**2 * self.of_each_bin(self.taken)
        return found

    def of_ranges(self) -> float:
        """What it takes from the variances of all ranges of bins together.

        Of all pairs of n + 1 ends, the sum of squared differences is (n + 1) times the sum of
        squares less the square of the sum.
        """
        bins, upto = len(self.weights), self.upto
        later = bins - self.ends
        squares = np.add.reduceat(upto**2, self.starts) + self.totals**2 * later
        sums = np.add.reduceat(upto, self.starts) + self.totals * later
        return float((((bins + 1) * squares - sums**2) * self.taken).sum())


def levels(bins: int, branching: int) -> Iterator[Level]:
    """Those above the bins, from the narrowest on; none where all bins are within one sum."""
    weights, width = np.ones(bins), branching
    while branching and width < bins:
        starts = np.arange(0, bins, width)
        ends = np.minimum(starts + width, bins)
        level = Level(starts, ends, weights, np.add.reduceat(weights, starts))
        yield level
        weights = weights * level.of_each_bin(level.taken)
        width *= branching


def variances(bins: int, branching: int) -> Floats:
    """Of the count up to each bin, for noise of variance one in each sum."""
    found = np.arange(1.0, bins + 1)
    for level in levels(bins, branching):
        found -= level.of_counts()
    return found


def mean_of_ranges(bins: int, branching: int) -> float:
    """The mean variance of all ranges of bins; of bins alone it is their mean length."""
    taken = sum(level.of_ranges() for level in levels(bins, branching))
    return (bins + 2) / 3 - taken / (bins * (bins + 1) / 2)


def weights_of_counts(bins: int, branching: int) -> Floats:
    """Which combination of all sums, the bins first, is the count up to each bin."""
    inverse, found = np.eye(bins), list(levels(bins, branching))
    for level in found:
        for start, end, taken in zip(level.starts, level.ends, level.taken, strict=True):
            own = level.weights[start:end]
            inverse[start:end, start:end] -= taken * np.outer(own, own)
    upto = np.cumsum(inverse, axis=0)
    return np.hstack([upto, *(np.add.reduceat(upto, one.starts, axis=1) for one in found)])
