"""Are the people of two tables the same? Decided from two fingerprints alone.

Values that mostly occur once (a birth date with a salary, a row of a survey) are recognised by how
many of one table's values the other one has. Values that repeat (ages) are in any two tables: those
are recognised by their numbers, which agree far better than two independent samples can. In both
cases two tables of different people with the same distributions look different. Values that were
laid out rather than drawn (numbers from 1 to n, the same number of rows for each region) say
nothing, and neither do flags.
"""

from collections import Counter
from enum import StrEnum
from itertools import product

import numpy as np
import numpy.typing as npt

from dpgov.engines.fingerprint import Part, TableFingerprint

# A mean of one occurrence and a bit: what values look like that occur once each by chance.
_MOSTLY_ONCE = 1.58
# A row says more than a value: few shared ones are enough, but never a single one.
_FEWEST_ROWS, _FEWEST_SHARED_ROWS = 3, 2
_FEWEST_VALUES, _FEWEST_SHARED_VALUES = 20, 16
# Two samples differ by 1 on this scale, with standard deviation sqrt(2 / values) around it.
_CLOSER_THAN_CHANCE = 0.25
_FEWEST_REPEATED = 40
_LAID_OUT = 0.5
_BITS_OF_COINCIDENCE = 64

Floats = npt.NDArray[np.float64]


class Likeness(StrEnum):
    """How the tables were recognised; NONE for other people."""

    EXACT = "exact"
    ROWS = "rows"
    COLUMNS = "columns"
    NONE = "none"


def likeness(one: TableFingerprint, other: TableFingerprint) -> Likeness:
    """The strongest likeness of the two; the order does not matter."""
    if one.whole == other.whole:
        return Likeness.EXACT
    if one.rows is not None and other.rows is not None:
        if one.rows.total and one.rows.digest == other.rows.digest:
            return Likeness.EXACT
        if _alike(one.rows, other.rows, _FEWEST_ROWS, _FEWEST_SHARED_ROWS):
            return Likeness.ROWS
    pairs = product(one.columns, other.columns)
    if any(_alike(*pair, _FEWEST_VALUES, _FEWEST_SHARED_VALUES) for pair in pairs):
        return Likeness.COLUMNS
    return Likeness.COLUMNS if _too_many_equal(one, other) else Likeness.NONE


def _alike(one: Part, other: Part, fewest: int, fewest_shared: int) -> bool:
    """Whether the two multisets share far more than two samples of one distribution would."""
    if min(one.total, other.total) < fewest:
        return False
    x, y = _aligned(one, other)
    if not np.minimum(x, y).any():
        return False
    if max(_mean(x), _mean(y)) <= _MOSTLY_ONCE:
        chance = max(_chance(one, x), _chance(other, y))
        enough = bool(np.minimum(x, y).sum() >= fewest_shared)
        return enough and _mostly_contained(x, y, chance)
    return _closer_than_chance(x, y, other.total / one.total)


def _aligned(one: Part, other: Part) -> tuple[Floats, Floats]:
    """The numbers of the same values in both: of all values below the smaller of the two ends."""
    ends = [part.hashes[-1] for part in (one, other) if not part.is_complete]
    end = min(ends) if ends else np.uint64(2**64 - 1)
    values = np.union1d(one.hashes[one.hashes <= end], other.hashes[other.hashes <= end])
    x, y = (_counts(part, values) for part in (one, other))
    return x, y


def _counts(part: Part, values: npt.NDArray[np.uint64]) -> Floats:
    places = np.minimum(np.searchsorted(part.hashes, values), len(part.hashes) - 1)
    return np.where(part.hashes[places] == values, part.counts[places], 0).astype(np.float64)


def _mean(counts: Floats) -> float:
    present = counts[counts > 0]
    return float(present.mean()) if len(present) else 1.0


def _mostly_contained(x: Floats, y: Floats, chance: float) -> bool:
    """Whether the smaller one is in the larger one, halfway from chance to all of it or more."""
    shared, smaller = float(np.minimum(x, y).sum()), float(min(x.sum(), y.sum()))
    return shared / smaller > (1 + chance) / 2


def _chance(part: Part, counts: Floats) -> float:
    """How likely a value of other people, drawn alike, is in this table.

    For values drawn from many: m of them on average at each place that any could take give
    (1 - exp(-m)) / m distinct ones for each value, and a further one is there with 1 - exp(-m).
    """
    distinct = 1 / _mean(counts)
    low, high = 1e-9, 2.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if -np.expm1(-middle) / middle > distinct else (low, middle)
    of_places = part.total / part.span if part.span else 0.0
    return min(1.0, max(float(-np.expm1(-low)), of_places))


def _closer_than_chance(x: Floats, y: Floats, scale: float) -> bool:
    """Two independent samples differ by about the sum of their variances in each value."""
    weights = x * scale + y
    if weights.sum() ** 2 / (weights**2).sum() < _FEWEST_REPEATED:
        return False
    if min(_dispersion(x), _dispersion(y)) < _LAID_OUT:
        return False
    expected = (y + scale**2 * x).sum()
    return bool(((y - scale * x) ** 2).sum() <= _CLOSER_THAN_CHANCE * expected)


def _dispersion(counts: Floats) -> float:
    """Variance by mean: 1 for values drawn evenly, more for others, 0 for a plan."""
    present = counts[counts > 0]
    return float(present.var() / present.mean()) if len(present) else 0.0


def _too_many_equal(one: TableFingerprint, other: TableFingerprint) -> bool:
    """Whether columns of few values agree to the last row more often than by coincidence.

    Columns that say the same in other words (a code and its name) count once.
    """
    shared = {part.digest for part in one.columns} & {part.digest for part in other.columns}
    told = Counter(
        tuple(sorted(part.counts.tolist()))
        for part in one.columns
        if part.digest in shared and part.is_complete and part.total
    )
    return sum(_coincidence(counts) for counts in told) >= _BITS_OF_COINCIDENCE


def _coincidence(counts: tuple[int, ...]) -> float:
    """Bits of the chance that two samples agree in every number: 1 / sqrt(4 pi m) for each m."""
    numbers = np.array(counts, np.float64)
    if len(numbers) < 2 or _dispersion(numbers) < _LAID_OUT:
        return 0.0
    return float(np.log2(4 * np.pi * numbers[:-1]).sum() / 2)
