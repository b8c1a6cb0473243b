"""Tables of few different values, recognised by how often each of them occurs.

Where every value of a part is in its sketch, two parts are compared by all their numbers. They are
near when they differ by a few rows in all, or when they agree so well that two samples of one
distribution would hardly do so by chance: the numbers of other people differ by about their square
roots (see `chance`).
"""

from collections.abc import Sequence
from functools import cache
from math import log2, sqrt

import numpy as np

from dpgov.engines.beside import ROUNDING, Columns, Common, Floats, Truths
from dpgov.engines.chance import Samples, log2_at_most
from dpgov.engines.fingerprint import MultisetFingerprint

# One row less is 1, one row changed is 2; a quarter of a tiny table is more than a few.
FEW_ROWS, _FEW_OF_ALL = 3, 4
# A chance of one in a thousand.
_NEAR_BITS = 10.0
# Of several columns, most of a table's or not: they may depend on each other, or be planned.
_BITS_OF_MOST_COLUMNS, _BITS_OF_COLUMNS = 24.0, 64.0
# How far apart numbers are, of samples of any size.
_matched = Samples(1.0, 0.5).apart
# Variance by mean: below this, numbers were laid out rather than drawn.
_LAID_OUT = 0.5


def near(one: MultisetFingerprint, other: MultisetFingerprint) -> bool:
    """Whether the two multisets agree in all their numbers, to a few rows or beyond chance."""
    if not (_repeats(one) and _repeats(other)):
        return False
    x, y = _numbers(one, other)
    few = max(1, min(FEW_ROWS, min(one.total, other.total) // _FEW_OF_ALL))
    return bool(np.abs(x - y).sum() <= few) or _bits(x, y) >= _NEAR_BITS


def same_columns(one: Sequence[MultisetFingerprint], other: Sequence[MultisetFingerprint]) -> bool:
    """Whether a table with fewer columns has only such as the other one has too."""
    smaller, larger = _by_size(one, other)
    if not smaller or len(smaller) == len(larger):
        # Of as many columns the rows are compared, which say more.
        return False
    known = _Known(larger)
    return all(known.near(part) for part in smaller)


def too_many_alike(
    one: Sequence[MultisetFingerprint], other: Sequence[MultisetFingerprint]
) -> bool:
    """Whether the columns of two tables agree far more often than by coincidence.

    Columns that say the same in other words (a code and its name) count once, and those that were
    laid out (the same number for each region) not at all.
    """
    smaller, larger = _by_size(one, other)
    known = _Known(larger)
    agreeing = [(part, found) for part in smaller if (found := known.near(part))]
    told = {
        how_often(part): known.bits(part, found) for part, found in agreeing if not laid_out(part)
    }
    needed = _BITS_OF_MOST_COLUMNS if 2 * len(agreeing) > len(smaller) else _BITS_OF_COLUMNS
    return sum(told.values()) >= needed


class _Known:
    """The columns of a table, found by a value and how often it occurs."""

    def __init__(self, parts: Sequence[MultisetFingerprint]) -> None:
        self._columns = Columns(filter(_repeats, parts))
        self._alone = self._columns.summed(_unmatched)
        self._near: dict[bytes, list[MultisetFingerprint]] = {}

    def near(self, part: MultisetFingerprint) -> list[MultisetFingerprint]:
        """Those near to this one, each content once."""
        if not _repeats(part):
            return []
        content = part.packed()
        if content not in self._near:
            self._near[content] = [each for each in self._close(part) if near(part, each)]
        return self._near[content]

    def bits(self, part: MultisetFingerprint, found: Sequence[MultisetFingerprint]) -> float:
        """Of the nearest of them, less those of having had so many to choose from."""
        nearest = max(_bits(*_numbers(part, each)) for each in found)
        return max(0.0, nearest - log2(self._having(part)))

    def _having(self, part: MultisetFingerprint) -> int:
        """How many columns have its most frequent value."""
        common = self._columns.common(part)
        return int(np.count_nonzero(common.places == int(part.counts.argmax())))

    def _close(self, part: MultisetFingerprint) -> list[MultisetFingerprint]:
        common = self._columns.common(part)
        perhaps = self._by_the_most_frequent(part, common) & self._perhaps_near(part, common)
        return self._columns.those(perhaps)

    def _by_the_most_frequent(self, part: MultisetFingerprint, common: Common) -> Truths:
        place = int(part.counts.argmax())
        # Further apart, this value alone would be too much.
        furthest = FEW_ROWS + 2 * sqrt(len(part.counts) * int(part.counts[place]))
        close = (common.places == place) & (np.abs(common.y - common.x) <= furthest)
        return common.summed(lambda *_: close.astype(np.float64)) > 0

    def _perhaps_near(self, part: MultisetFingerprint, common: Common) -> Truths:
        """By what `near` asks for at least: none is missed."""
        counts = part.counts.astype(np.float64)
        both = common.summed(lambda x, y: np.abs(x - y) - x - y)
        few: Truths = both + counts.sum() + self._columns.totals <= FEW_ROWS
        alone = _unmatched(counts).sum() + self._alone
        matched = common.summed(lambda x, y: _matched(x, y) - _unmatched(x) - _unmatched(y))
        shared = common.summed(lambda x, _: np.ones_like(x))
        lengths = np.array([len(each.counts) for each in self._columns.parts])
        furthest = [_furthest(int(n)) for n in len(counts) + lengths - shared]
        agreeing: Truths = matched + alone <= np.array(furthest) + ROUNDING * alone
        perhaps: Truths = few | agreeing
        return perhaps


def _by_size(
    one: Sequence[MultisetFingerprint], other: Sequence[MultisetFingerprint]
) -> list[list[MultisetFingerprint]]:
    """The fewer columns first; of as many, always the same ones, whichever were given first."""
    both = (_with_values(one), _with_values(other))
    return sorted(both, key=lambda parts: (len(parts), [part.digest for part in parts]))


def _with_values(parts: Sequence[MultisetFingerprint]) -> list[MultisetFingerprint]:
    return [part for part in parts if part.total]


def _repeats(part: MultisetFingerprint) -> bool:
    """Whether all its values are known, and they do not all occur just once, as if numbered."""
    return part.is_complete and part.total > len(part.counts) > 0


def _numbers(one: MultisetFingerprint, other: MultisetFingerprint) -> tuple[Floats, Floats]:
    """How often each value of either occurs in both, in the same order."""
    values = np.union1d(one.hashes, other.hashes)
    x, y = (np.zeros(len(values), np.float64) for _ in range(2))
    x[np.searchsorted(values, one.hashes)] = one.counts
    y[np.searchsorted(values, other.hashes)] = other.counts
    return x, y


def how_often(part: MultisetFingerprint) -> tuple[int, ...]:
    """How often its values occur, whichever they are: the same of a code and its name."""
    return tuple(sorted(part.counts.tolist()))


def laid_out(part: MultisetFingerprint) -> bool:
    """Whether its numbers are too even to have been drawn."""
    counts = part.counts.astype(np.float64)
    return len(counts) < 2 or bool(counts.var() < _LAID_OUT * counts.mean())


def _bits(x: Floats, y: Floats) -> float:
    """Bits of the chance that two samples of one distribution come as close as these."""
    statistic = float(_matched(x, y).sum())
    return -log2_at_most(statistic, max(1, len(x) - 1))


@cache
def _furthest(values: int) -> float:
    """The statistic up to which so many values agree beyond chance, and a little more."""
    freedom = max(1, values - 1)
    low, high = 0.0, float(freedom)
    for _ in range(60):
        middle = (low + high) / 2
        is_near = -log2_at_most(middle, freedom) >= _NEAR_BITS
        low, high = (middle, high) if is_near else (low, middle)
    return high * (1 + ROUNDING)


def _unmatched(counts: Floats) -> Floats:
    """The same of values that the other one does not have."""
    return _matched(counts, np.zeros_like(counts))
