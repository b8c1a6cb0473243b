"""What a limit on the rows of one person costs: noise that grows with it, and rows left out.

Works from how many people have how many rows, as somebody believes or as a noisy answer says, and
never from the data. Both errors are those of a count of rows.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpgov.privacy.accounting.loss import Loss
from dpgov.privacy.mechanisms.draw import Draw
from dpgov.privacy.noise.sensitivity import Sensitivity

EDGES = (1, 2, 3, 4, 6, 11, 21, 51, 101, 1001)
LIMITS = (1, 2, 3, 5, 10, 20, 50, 100)
_LEVEL = Fraction(95, 100)
# Whoever has more rows than the last edge is taken to have so many times as many.
_OPEN_END = 2


@dataclass(frozen=True, slots=True)
class SizeBin:
    """So many people have from `low` to `high` rows; no `high` for the last bin."""

    low: int
    high: int | None
    people: float

    @property
    def label(self) -> str:
        """1, 4 to 5, or more than 1000."""
        if self.high is None:
            return f"more than {self.low - 1}"
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"

    def rows_beyond(self, limit: int) -> float:
        """How many rows of these people are over the limit; sizes spread evenly over the bin."""
        if self.high is None:
            return self.people * max(0, _OPEN_END * self.low - limit)
        if self.high <= limit:
            return 0.0
        first = max(self.low, limit + 1)
        over = (first + self.high - 2 * limit) / 2 * (self.high - first + 1)
        return self.people * over / (self.high - self.low + 1)


@dataclass(frozen=True, slots=True)
class LimitPrice:
    """What one limit costs: the 95% bound of the noise, rows left out, and both together.

    `together` is the root of the noise's variance and the squared loss.
    """

    limit: int
    noise: int
    dropped: float
    share: float
    together: float
    best: bool = False


def size_bins(people: Sequence[float]) -> list[SizeBin]:
    """Bins between EDGES, and one for more, from so many people in each."""
    highs: list[int | None] = [*(edge - 1 for edge in EDGES[1:]), None]
    return [SizeBin(*one) for one in zip(EDGES, highs, people, strict=True)]


def above_noise(people: Sequence[float], bound: float) -> list[float]:
    """Noisy numbers with those that noise alone may have made counted as nobody."""
    return [number if number > bound else 0.0 for number in people]


def prices(
    bins: Sequence[SizeBin], *, group_size: int, loss: Loss, part: float = 1.0
) -> list[LimitPrice]:
    """Each limit's price for a count of this part of all rows at this loss, the best one marked.

    Limits at which the noise could not be drawn are left out.
    """
    rows = part * sum(one.rows_beyond(0) for one in bins)
    found = []
    for limit in LIMITS:
        rows_moved = group_size * limit
        draw = Draw((), Sensitivity(rows_moved, rows_moved**2), loss)
        if draw.smallest_nano > loss.nano:
            continue
        noise = draw.noise
        dropped = part * sum(one.rows_beyond(limit) for one in bins)
        together = math.hypot(math.sqrt(noise.variance), dropped)
        share = dropped / rows if rows else 0.0
        found.append((limit, noise.tail_bound(_LEVEL), dropped, share, together))
    best = min((one[-1] for one in found), default=0.0)
    return [LimitPrice(*one, best=one[-1] == best) for one in found]
