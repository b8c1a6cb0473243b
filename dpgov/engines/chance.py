"""How far two samples of one distribution are apart by chance, and how seldom they are closer.

The statistic is Pearson's of two Poisson samples, of which one may be larger: its distribution is
that of chi squared (Abramowitz and Stegun 26.4).
"""

from math import lgamma, log, sqrt
from typing import NamedTuple

import numpy as np

from dpgov.engines.beside import Floats


class Samples(NamedTuple):
    """How much larger the second sample is, as a root, and the half row that is added."""

    root: float
    half: float

    @classmethod
    def of(cls, one: float, other: float) -> "Samples":
        """Of two numbers of rows, neither of them 0."""
        root = sqrt(other / one)
        return cls(root, max(root, 1 / root) / 2)

    def apart(self, x: Floats, y: Floats) -> Floats:
        """The squared difference of each pair of numbers by its variance; about 1 by chance.

        Half a row is added to each difference: that numbers are equal is no miracle.
        """
        return (np.abs(y / self.root - self.root * x) + self.half) ** 2 / (x + y)


def log2_at_most(statistic: float, freedom: float) -> float:
    """log2 of the chance that chi squared, of so many degrees of freedom, is at most this.

    0 above its mean, where nothing depends on the difference.
    """
    a, half = freedom / 2, statistic / 2
    if half >= a:
        return 0.0
    term = total = 1.0
    step = 0
    while term > total * 1e-12:
        step += 1
        term *= half / (a + step)
        total += term
    return (a * log(half) - half - lgamma(a + 1) + log(total)) / log(2)
