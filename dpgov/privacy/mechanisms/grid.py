"""Public candidates of a noisy choice, and how far each lies from what is looked for.

Candidates are codes of the column's own lattice, or every so many of them; never values taken from
the data.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpgov.privacy.accounting.decimals import decimals_of, json_number
from dpgov.privacy.plan.bins import CodeGrouping, EvenRanges
from dpgov.privacy.plan.request import Counts
from dpgov.privacy.plan.schema import LARGEST_SUM, NumericDomain

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
        return CodeGrouping(column, EvenRanges(self.domain.top, self.width))

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
    def not_counted(self) -> int | float | None:
        """Rows as near to either value as this are left out of a statement about ranks."""
        return self.spacing if self.width > 1 else None

    def _decimals(self, name: str) -> int:
        return decimals_of(Fraction(getattr(self.domain, name)))


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


def scores(rows: Counts, a: int, b: int, aim: int = 0, inwards: int = 0) -> Counts:
    """How far each candidate's rows lie from rank aim + n a/b: minus b times a number of rows.

    Counted to the nearest of the candidate's own rows but the `inwards` outermost on either side,
    or to the middle of them if they are fewer: at most b `inwards` below 0 for the candidate that
    holds the rank. A row more or less moves b below - a n by a or b - a, whether it lies below, in
    or above; the two ends of what is counted to move by 0 or b with it, so that their distances
    from a n move by no more.
    """
    upto = np.cumsum(rows)
    target = a * upto[-1] + b * aim
    left_out = np.minimum(rows // 2, inwards)
    first, last = b * (upto - rows + left_out), b * (upto - left_out)
    nearest = np.minimum(np.maximum(target, first), last)
    # Cut where sums are: no score moves further for it, and nothing fails by a row too many.
    far: Counts = -np.minimum(np.abs(target - nearest), LARGEST_SUM)
    return far


def deal_out(counts: Counts, places: int) -> Counts:
    """Each candidate's rows over finer places, evenly: row j goes by j's bits in reverse.

    A row more or less in a candidate changes exactly one place by one.
    """
    if places == 1:
        return counts
    bits = places.bit_length() - 1
    turn = np.array([int(f"{place:0{bits}b}"[::-1], 2) for place in range(places)])
    dealt: Counts = (counts[:, None] - turn[None, :] + places - 1) // places
    return dealt.ravel()
