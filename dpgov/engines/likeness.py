"""Are the people of two tables the same? Decided from two fingerprints alone.

Values that mostly occur once (a birth date with a salary, a row of a survey) are recognised by how
many of one table's values the other one has. Values that repeat (ages) are in any two tables: those
are recognised by their numbers, which agree far better than two independent samples can; tables of
few different rows by all their numbers, see `counts`; and tables whose columns have few values by
all of these together, see `in_order`. In each case two tables of different people with the same
distributions look different. Values that were laid out rather than drawn (numbers from 1 to n, the
same number of rows for each region) say nothing.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from dpgov.engines.beside import ROUNDING, Columns, Floats, PairSums, distinct
from dpgov.engines.chance import Samples, log2_at_most
from dpgov.engines.counts import near, same_columns, too_many_alike
from dpgov.engines.fingerprint import MultisetFingerprint, TableFingerprint
from dpgov.engines.in_order import agree_in_order

# A mean of one occurrence and a bit: what values look like that occur once each by chance.
_MOSTLY_ONCE = 1.58
# A row says more than a value: few shared ones are enough, but never a single one.
_FEWEST_ROWS, _FEWEST_SHARED_ROWS = 3, 2
_FEWEST_VALUES, _FEWEST_SHARED_VALUES = 20, 16
# Two samples differ by 1 on this scale, with standard deviation sqrt(2 / values) around it.
_CLOSER_THAN_CHANCE = 0.25
_FEWEST_REPEATED = 40
_LAID_OUT = 0.5
# Rows that chance repeats so often have more than twice this variance by mean, rows of which all or
# many are there twice less.
_IN_ONE_NUMBER = 0.2
# Rows that repeat have to agree better than by a chance of one in a thousand.
_BITS_OF_ROWS = 10.0
# Some rows in common: this share of the smaller table, and so many standard deviations of chance.
_SOME, _BEYOND_CHANCE = 0.1, 5.0


class Likeness(StrEnum):
    """How the tables were recognised, the strongest first; NONE for other people.

    COUNTS: rows that repeat, in nearly the same numbers. SOME: too few rows in common to say
    that it is the same data.
    """

    EXACT = "exact"
    ROWS = "rows"
    COUNTS = "counts"
    COLUMNS = "columns"
    SOME = "some"
    NONE = "none"

    @property
    def is_recognised(self) -> bool:
        """Whether it says that these are the same people."""
        return self not in {Likeness.SOME, Likeness.NONE}


def likest(found: Iterable[Likeness]) -> Likeness:
    """The strongest of them."""
    return min(found, key=list(Likeness).index, default=Likeness.NONE)


def likeness(one: TableFingerprint, other: TableFingerprint) -> Likeness:
    """The strongest likeness of the two; the order does not matter."""
    if one.whole == other.whole or _same_file(one, other):
        return Likeness.EXACT
    if one.rows.total and one.rows.digest == other.rows.digest:
        return Likeness.EXACT
    if _alike(one.rows, other.rows, _FEWEST_ROWS, _FEWEST_SHARED_ROWS):
        return Likeness.ROWS
    if _come_again(one.rows, other.rows):
        return Likeness.ROWS
    if _agree(one.rows, other.rows):
        return Likeness.COUNTS
    if near(one.rows, other.rows) or same_columns(one.columns, other.columns):
        return Likeness.COUNTS
    return _by_columns(one, other)


def _same_file(one: TableFingerprint, other: TableFingerprint) -> bool:
    """Whether both were read from the same bytes; no when it is not kept of which."""
    return bool(one.file) and one.file == other.file


def _by_columns(one: TableFingerprint, other: TableFingerprint) -> Likeness:
    if _any_alike(one.columns, other.columns):
        return Likeness.COLUMNS
    if too_many_alike(one.columns, other.columns) or agree_in_order(one, other):
        return Likeness.COLUMNS
    if _some_rows(one.rows, other.rows):
        return Likeness.SOME
    return Likeness.NONE


def _any_alike(one: Sequence[MultisetFingerprint], other: Sequence[MultisetFingerprint]) -> bool:
    """Whether any column of the one is like any of the other."""
    columns = Columns(other)
    return any(
        _alike(part, each, _FEWEST_VALUES, _FEWEST_SHARED_VALUES)
        for part in distinct(one)
        if part.total >= _FEWEST_VALUES
        for each in _perhaps_alike(part, columns)
    )


def _perhaps_alike(part: MultisetFingerprint, columns: Columns) -> list[MultisetFingerprint]:
    """Those that `_alike` may be true of, by what it asks for at least: none is missed."""
    common, (x, y) = columns.common(part), columns.below_both_ends(part)
    shared = common.summed(lambda a, _: np.ones_like(a))
    mean = np.maximum(_means(x), _means(y))
    least = common.summed(np.minimum)
    contained = (least >= _FEWEST_SHARED_VALUES) & (2 * least > np.minimum(x.total, y.total))
    repeated = x.number + y.number - shared >= _FEWEST_REPEATED
    scale = columns.totals / part.total
    squares = y.squares + scale**2 * x.squares
    furthest = _CLOSER_THAN_CHANCE * (y.total + scale**2 * x.total) + ROUNDING * squares
    close = squares - 2 * scale * common.summed(np.multiply) <= furthest
    few, often = mean <= _MOSTLY_ONCE * (1 + ROUNDING), mean > _MOSTLY_ONCE * (1 - ROUNDING)
    return columns.those((shared > 0) & ((few & contained) | (often & repeated & close)))


def _means(sums: PairSums) -> Floats:
    return sums.total / np.maximum(sums.number, 1)


def _some_rows(one: MultisetFingerprint, other: MultisetFingerprint) -> bool:
    """Whether more rows that mostly occur once are in both than chance would put there."""
    if min(one.total, other.total) < _FEWEST_ROWS:
        return False
    x, y = _aligned(one, other)
    if max(_mean(x), _mean(y)) > _MOSTLY_ONCE:
        return False
    shared, smaller = float(np.minimum(x, y).sum()), float(min(x.sum(), y.sum()))
    if shared < max(_FEWEST_SHARED_ROWS, _SOME * smaller):
        return False
    chance = max(_chance(one, x), _chance(other, y))
    deviation = float(np.sqrt(smaller * chance * (1 - chance)))
    return shared > chance * smaller + _BEYOND_CHANCE * deviation


def _alike(
    one: MultisetFingerprint, other: MultisetFingerprint, fewest: int, fewest_shared: int
) -> bool:
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


def _agree(one: MultisetFingerprint, other: MultisetFingerprint) -> bool:
    """Whether rows that repeat are there in numbers that agree beyond chance, at any scale.

    Each row is of one kind, so that nothing here depends on each other.
    """
    if min(one.total, other.total) < _FEWEST_ROWS:
        return False
    x, y = _aligned(one, other)
    if max(_mean(x), _mean(y)) <= _MOSTLY_ONCE or min(_dispersion(x), _dispersion(y)) < _LAID_OUT:
        return False
    apart = float(Samples.of(one.total, other.total).apart(x, y).sum())
    return -log2_at_most(apart, max(1, len(x) - 1)) >= _BITS_OF_ROWS


def _come_again(one: MultisetFingerprint, other: MultisetFingerprint) -> bool:
    """Whether one table holds the rows of the other, nearly each of them several times.

    A file that was put after itself is nobody else's.
    """
    if min(one.total, other.total) < _FEWEST_ROWS:
        return False
    x, y = _aligned(one, other)
    return _is_repeated(one, x, other, y) or _is_repeated(other, y, one, x)


def _is_repeated(
    one: MultisetFingerprint, x: Floats, other: MultisetFingerprint, y: Floats
) -> bool:
    """Whether the other one repeats these rows, which mostly occur once themselves."""
    if _mean(x) > _MOSTLY_ONCE or _mean(y) <= _MOSTLY_ONCE or _dispersion(y) >= _IN_ONE_NUMBER:
        return False
    once = np.minimum(y, 1)
    enough = bool(np.minimum(x, once).sum() >= _FEWEST_SHARED_ROWS)
    return enough and _mostly_contained(x, once, max(_chance(one, x), _chance(other, once)))


def _aligned(one: MultisetFingerprint, other: MultisetFingerprint) -> tuple[Floats, Floats]:
    """The numbers of the same values in both: of all values below the smaller of the two ends."""
    ends = [part.hashes[-1] for part in (one, other) if not part.is_complete]
    end = min(ends) if ends else np.uint64(2**64 - 1)
    values = np.union1d(one.hashes[one.hashes <= end], other.hashes[other.hashes <= end])
    x, y = (_counts(part, values) for part in (one, other))
    return x, y


def _counts(part: MultisetFingerprint, values: npt.NDArray[np.uint64]) -> Floats:
    places = np.minimum(np.searchsorted(part.hashes, values), len(part.hashes) - 1)
    return np.where(part.hashes[places] == values, part.counts[places], 0).astype(np.float64)


def _mean(counts: Floats) -> float:
    present = counts[counts > 0]
    return float(present.mean()) if len(present) else 1.0


def _mostly_contained(x: Floats, y: Floats, chance: float) -> bool:
    """Whether the smaller one is in the larger one, halfway from chance to all of it or more."""
    shared, smaller = float(np.minimum(x, y).sum()), float(min(x.sum(), y.sum()))
    return shared / smaller > (1 + chance) / 2


def _chance(part: MultisetFingerprint, counts: Floats) -> float:
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
