"""Tables of few different values, recognised by how often each of them occurs.

Where every value of a part is in its sketch, two parts are compared by all their numbers. They are
near when they differ by a few rows in all, or when they agree so well that two samples of one
distribution would hardly do so by chance: the numbers of other people differ by about their square
roots (Pearson's statistic of two Poisson samples; its distribution: Abramowitz and Stegun 26.4).
"""

from collections.abc import Sequence
from math import lgamma, log, sqrt

import numpy as np
import numpy.typing as npt

from dpgov.engines.fingerprint import Part

# One row less is 1, one row changed is 2; a quarter of a tiny table is more than a few.
FEW_ROWS, _FEW_OF_ALL = 3, 4
# A chance of one in a thousand.
_NEAR_BITS = 10.0
# Of several columns, most of a table's or not: they may depend on each other, or be planned.
_BITS_OF_MOST_COLUMNS, _BITS_OF_COLUMNS = 24.0, 64.0
# Variance by mean: below this, numbers were laid out rather than drawn.
_LAID_OUT = 0.5

Numbers = npt.NDArray[np.float64]


def near(one: Part, other: Part) -> bool:
    """Whether the two multisets agree in all their numbers, to a few rows or beyond chance."""
    if not (_repeats(one) and _repeats(other)):
        return False
    x, y = _numbers(one, other)
    few = max(1, min(FEW_ROWS, min(one.total, other.total) // _FEW_OF_ALL))
    return bool(np.abs(x - y).sum() <= few) or _bits(x, y) >= _NEAR_BITS


def same_columns(one: Sequence[Part], other: Sequence[Part]) -> bool:
    """Whether a table with fewer columns has only such as the other one has too."""
    smaller, larger = sorted((_with_values(one), _with_values(other)), key=len)
    if not smaller or len(smaller) == len(larger):
        # Of as many columns the rows are compared, which say more.
        return False
    known = _Columns(larger)
    return all(known.near(part) for part in smaller)


def too_many_alike(one: Sequence[Part], other: Sequence[Part]) -> bool:
    """Whether the columns of two tables agree far more often than by coincidence.

    Columns that say the same in other words (a code and its name) count once, and those that were
    laid out (the same number for each region) not at all.
    """
    smaller, larger = sorted((_with_values(one), _with_values(other)), key=len)
    known = _Columns(larger)
    agreeing = [(part, found) for part in smaller if (found := known.near(part))]
    told = {
        tuple(sorted(part.counts.tolist())): max(_bits(*_numbers(part, each)) for each in found)
        for part, found in agreeing
        if not _laid_out(part)
    }
    needed = _BITS_OF_MOST_COLUMNS if 2 * len(agreeing) > len(smaller) else _BITS_OF_COLUMNS
    return sum(told.values()) >= needed


class _Columns:
    """The columns of a table, found by a value and how often it occurs."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._by_value: dict[int, list[tuple[int, Part]]] = {}
        for part in filter(_repeats, parts):
            for value, times in zip(part.hashes.tolist(), part.counts.tolist(), strict=True):
                self._by_value.setdefault(value, []).append((times, part))

    def near(self, part: Part) -> list[Part]:
        """Those near to this one."""
        if not _repeats(part):
            return []
        place = int(part.counts.argmax())
        value, times = int(part.hashes[place]), int(part.counts[place])
        # Further apart, this value alone would be too much.
        furthest = FEW_ROWS + 2 * sqrt(len(part.counts) * times)
        there = self._by_value.get(value, [])
        close = [each for count, each in there if abs(count - times) <= furthest]
        return [each for each in close if near(part, each)]


def _with_values(parts: Sequence[Part]) -> list[Part]:
    return [part for part in parts if part.total]


def _repeats(part: Part) -> bool:
    """Whether all its values are known, and they do not all occur just once, as if numbered."""
    return part.is_complete and part.total > len(part.counts) > 0


def _numbers(one: Part, other: Part) -> tuple[Numbers, Numbers]:
    """How often each value of either occurs in both, in the same order."""
    values = np.union1d(one.hashes, other.hashes)
    x, y = (np.zeros(len(values), np.float64) for _ in range(2))
    x[np.searchsorted(values, one.hashes)] = one.counts
    y[np.searchsorted(values, other.hashes)] = other.counts
    return x, y


def _laid_out(part: Part) -> bool:
    counts = part.counts.astype(np.float64)
    return len(counts) < 2 or bool(counts.var() < _LAID_OUT * counts.mean())


def _bits(x: Numbers, y: Numbers) -> float:
    """Bits of the chance that two samples of one distribution come as close as these.

    Half a row is added to each difference: that numbers are equal is no miracle.
    """
    statistic = float((((np.abs(x - y) + 0.5) ** 2) / (x + y)).sum())
    return -_log2_at_most(statistic, max(1, len(x) - 1))


def _log2_at_most(statistic: float, freedom: int) -> float:
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
