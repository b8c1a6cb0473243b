"""Public candidates of a noisy choice, and how far each lies from what is looked for.

Candidates are codes of the column's own lattice, or every so many of them; never values taken from
the data.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpgov.privacy.accounting.decimals import decimals_of, json_number
from dpgov.privacy.plan.request import CodeGrouping
from dpgov.privacy.plan.schema import NumericDomain

Counts = NDArray[np.int64]

MOST_CANDIDATES = 65_536
# Candidates of all cells together: what one answer may take.
MOST_SCORES = 2**18
# Finer places of one candidate, where several quantiles follow each other.
MOST_PLACES = 32
_GOOD_PLACES = 16
_COARSEST = 64


@dataclass(frozen=True, slots=True)
class Grid:
    """A candidate for every `width` codes, the middle one of each bin, dealt out to `places`."""

    domain: NumericDomain
    width: int
    places: int = 1

    @property
    def size(self) -> int:
        """How many candidates there are."""
        return self.domain.top // self.width + 1

    def axis(self, column: int) -> CodeGrouping:
        """Rows by candidate; the rest bin is for missing values."""
        return CodeGrouping(column, _bins(self.domain.top, self.width))

    def value(self, place: int) -> int | float:
        """The number that a candidate stands for."""
        code = min(place * self.width + (self.width - 1) // 2, self.domain.top)
        number = Fraction(self.domain.lower) + code * Fraction(self.domain.step)
        return json_number(number, max(map(self._decimals, ("lower", "step"))))

    @property
    def spacing(self) -> int | float:
        """How far two candidates lie apart."""
        return json_number(self.width * Fraction(self.domain.step), 12)

    @property
    def not_counted(self) -> tuple[str, ...]:
        """Which rows a statement about ranks leaves out, in words."""
        return (f"rows within {self.spacing} of either",) if self.width > 1 else ()

    def _decimals(self, name: str) -> int:
        return decimals_of(Fraction(getattr(self.domain, name)))


# Few: the finest grids take some megabytes, and one plan asks for its grid several times.
@lru_cache(maxsize=4)
def _bins(top: int, width: int) -> tuple[tuple[int, int], ...]:
    return tuple((start, start + width - 1) for start in range(0, top + 1, width))


def places_for(cells: int) -> int:
    """How many candidates, with their finer places, one cell of so many may have."""
    return max(2, min(MOST_CANDIDATES, MOST_SCORES // cells))


def grid_for(domain: NumericDomain, cells: int, *, several: bool = False) -> Grid:
    """The finest grid that one answer of so many cells may use: a public choice.

    For several quantiles it is coarser, so that the rows of one value can still be told apart.
    """
    fitting = places_for(cells)
    most = max(fitting // _GOOD_PLACES, min(fitting, _COARSEST)) if several else fitting
    width = -(-(domain.top + 1) // most)
    if not several:
        return Grid(domain, width)
    places = min(MOST_PLACES, 1 << ((fitting // (domain.top // width + 1)).bit_length() - 1))
    return Grid(domain, width, max(1, places))


def scores(rows: Counts, a: int, b: int, aim: int = 0) -> Counts:
    """How far each candidate's rows lie from rank aim + n a/b: minus b times a number of rows.

    Counted to the nearest of the candidate's own rows: 0 for the candidate that holds the rank. A
    row more or less moves b below - a n by a or b - a, whether it lies below, in or above.
    """
    upto = np.cumsum(rows)
    target = a * upto[-1] + b * aim
    nearest = np.minimum(np.maximum(target, b * (upto - rows)), b * upto)
    far: Counts = -np.abs(target - nearest)
    return far


def deal_out(rows: Sequence[int], places: int) -> Counts:
    """Each candidate's rows over finer places, evenly: row j goes by j's bits in reverse.

    A row more or less in a candidate changes exactly one place by one.
    """
    counts = np.array(rows, dtype=np.int64)
    if places == 1:
        return counts
    bits = places.bit_length() - 1
    turn = np.array([int(f"{place:0{bits}b}"[::-1], 2) for place in range(places)])
    dealt: Counts = (counts[:, None] - turn[None, :] + places - 1) // places
    return dealt.ravel()
