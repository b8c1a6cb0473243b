"""How far two noisy answers overlap: one without a person (or group), one with them.

Both are the same integer noise, one of them shifted by what that person can move the answer. From
the distribution of the noise alone, without any draw and without any data. The noises here are
symmetric and fall from their middle, so that the best guess between the two is by the nearer middle
(Neyman and Pearson 1933).
"""

from dataclasses import dataclass

import numpy as np

from dpgov.privacy.noise.noise import Noise

# Above what rounding of floats, and sums taken as integrals, can have lost: see `noise`.
_MARGIN = 1e-6
_TAIL = 0.999


@dataclass(frozen=True, slots=True)
class Bin:
    """Lattice values from `first` to `last` with their probability without and with the shift."""

    first: int
    last: int
    without: float
    within: float


@dataclass(frozen=True, slots=True)
class Overlap:
    """Noise around 0 and around `shift`, both in lattice units."""

    noise: Noise
    shift: int

    def __post_init__(self) -> None:
        if type(self.shift) is not int or self.shift < 1:
            raise ValueError("Somebody moves the answer by at least one step.")

    @property
    def best_guess(self) -> float:
        """How often a guess from one answer is right, both being equally likely; rounded up.

        1/2 + (P(noise > c - shift) - P(noise > c))/2 at the middle c between the two.
        """
        middle = (self.shift - 1) // 2
        near, far = self.noise.above(np.array([float(middle - self.shift), float(middle)]))
        return min(1.0, 0.5 + float(near - far) / 2 + _MARGIN)

    def bins(self, most: int = 120) -> list[Bin]:
        """At most so many stretches of equal width that hold all but a thousandth of both."""
        reach = self._reach()
        low, high = -reach, self.shift + reach
        width = -(-(high - low + 1) // most)
        edges = np.arange(low, high + width + 1, width, dtype=np.float64)
        without = self._between(edges)
        within = self._between(edges - self.shift)
        return [
            Bin(int(start), int(start) + width - 1, float(one), float(other))
            for start, one, other in zip(edges[:-1], without, within, strict=True)
        ]

    def _between(self, edges: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[float]:
        """P(e_i <= noise < e_(i+1)) for whole edges."""
        above = self.noise.above(edges - 1)
        return [max(0.0, float(p)) for p in above[:-1] - above[1:]]

    def _reach(self) -> int:
        """The smallest t beyond which either side holds half a thousandth of the noise."""
        low, high = 0, 1
        while self._outside(high) > 1 - _TAIL:
            low, high = high, high * 2
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._outside(middle) > 1 - _TAIL else (low, middle)
        return high

    def _outside(self, t: int) -> float:
        return 2 * float(self.noise.above(np.array([float(t)]))[0])
