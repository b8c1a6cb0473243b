"""Tables whose columns have few values, recognised by all numbers of all columns together.

Of a yes-or-no column two samples of one distribution agree well every few times, and so no such
column says anything by itself. Of twenty of them, each a little closer than chance would have it,
the sum does: the same people with some more of them, with a column left out or added, or with one
or two made anew. Columns are put beside each other in their order, so that few ways of doing so
have to be allowed for; where they came in another order, nothing is recognised here.

Other people's answers to the same questions are not closer than chance, however many questions.
Where columns depend on each other their sum varies more than that of independent ones: each counts
as if it had come twice. With columns that say the same ten times over that is not enough, and other
people may be taken for the same by coincidence.
"""

from collections.abc import Sequence
from math import lgamma, log

import numpy as np

from dpgov.engines.beside import Columns, Floats
from dpgov.engines.chance import Samples, log2_at_most
from dpgov.engines.counts import how_often, laid_out
from dpgov.engines.fingerprint import MultisetFingerprint, TableFingerprint

# A chance of one in a million.
_BITS = 20.0
_AS_IF_TWICE = 2
# So many columns of the table that has fewer may be other ones.
_OTHERS = 2
# What a degree of freedom is worth when columns are chosen: more than the same people need.
_CLOSE = 0.2
_NEVER = 1e18


def agree_in_order(one: TableFingerprint, other: TableFingerprint) -> bool:
    """Whether the columns of few values, in their order, agree beyond chance."""
    told = [(table.rows.total, _told(table)) for table in (one, other)]
    (rows, few), (more_rows, many) = sorted(told, key=lambda each: len(each[1]))
    if not few:
        return False
    beside = _Beside(many, Samples.of(rows, more_rows), more_rows)
    apart, freedom = _pairs(few, rows, beside)
    apart, freedom = apart * _counted(many), freedom * _counted(many)
    return any(
        _bits(statistic, degrees, apart.shape, left_out) >= _BITS
        for left_out, (statistic, degrees) in enumerate(_in_order(apart, freedom))
    )


def _told(table: TableFingerprint) -> list[MultisetFingerprint]:
    return [part for part in table.columns if part.is_complete and part.total]


def _pairs(
    few: Sequence[MultisetFingerprint], rows: int, beside: "_Beside"
) -> tuple[Floats, Floats]:
    """Of each of the few and each of the others: how far apart, in how many degrees of freedom."""
    counted = np.array(_counted(few), np.float64)[:, None]
    found = [beside.against(part, rows - part.total) for part in few]
    apart, freedom = (np.array(each) for each in zip(*found, strict=True))
    return apart * counted, freedom * counted


def _counted(parts: Sequence[MultisetFingerprint]) -> list[bool]:
    """Which of them say something: what was laid out, or says what an earlier one did, does not."""
    seen: set[tuple[int, ...]] = set()
    found = []
    for part in parts:
        numbers = how_often(part)
        found.append(numbers not in seen and not laid_out(part))
        seen.add(numbers)
    return found


class _Beside:
    """The columns of a table, each beside a column of another one; a missing cell is a value."""

    def __init__(self, parts: Sequence[MultisetFingerprint], samples: Samples, rows: int) -> None:
        self._columns, self._apart = Columns(parts), samples.apart
        places = {part.packed(): place for place, part in enumerate(self._columns.parts)}
        self._places = np.array([places[part.packed()] for part in parts])
        self._alone = self._columns.summed(lambda y: self._apart(np.zeros_like(y), y))
        self._lengths = np.array([len(part.hashes) for part in self._columns.parts])
        self._missing = rows - self._columns.totals

    def against(self, part: MultisetFingerprint, missing: int) -> tuple[Floats, Floats]:
        """How far each of them is from this one, and in how many degrees of freedom."""
        common = self._columns.common(part)
        x = part.counts.astype(np.float64)
        apart = common.summed(self._both_but_not_alone) + self._alone
        apart += self._apart(x, np.zeros_like(x)).sum()
        shared = common.summed(lambda x, _: np.ones_like(x))
        freedom = len(x) + self._lengths - shared - 1
        lacks = missing + self._missing > 0
        lacked = np.full(len(lacks), float(missing))
        apart[lacks] += self._apart(lacked[lacks], self._missing[lacks])
        return apart[self._places], (freedom + lacks)[self._places]

    def _both_but_not_alone(self, x: Floats, y: Floats) -> Floats:
        nothing = np.zeros_like(x)
        return self._apart(x, y) - self._apart(x, nothing) - self._apart(nothing, y)


def _in_order(apart: Floats, freedom: Floats) -> list[tuple[float, float]]:
    """With none, one and two columns of the fewer left out: the closest way to put the others
    beside some of the more, in order; how far apart that is, and its degrees of freedom.
    """
    number = apart.shape[1] + 1
    kept = np.zeros((_OTHERS + 1, 3, number))
    kept[1:, 0] = _NEVER
    for far, free in zip(apart, freedom, strict=True):
        beside = np.full_like(kept, _NEVER)
        beside[:, :, 1:] = kept[:, :, :-1] + np.stack([far - _CLOSE * free, far, free])
        # This one is left out instead.
        better = kept[:-1, 0] < beside[1:, 0]
        beside[1:] = np.where(better[:, None], kept[:-1], beside[1:])
        # Or the last one of the more.
        least = np.minimum.accumulate(beside[:, 0], axis=1)
        where = np.where(beside[:, 0] == least, np.arange(number), 0)
        places = np.maximum.accumulate(where, axis=1)
        kept = np.take_along_axis(beside, places[:, None], axis=2)
    found = kept[: len(apart), :, -1].tolist()
    return [(statistic, degrees) for _, statistic, degrees in found]


def _bits(statistic: float, freedom: float, shape: tuple[int, ...], left_out: int) -> float:
    """Bits of the chance of that, less those of how many ways there are."""
    if not freedom or statistic >= _NEVER:
        return 0.0
    few, many = shape
    ways = _log2_ways(few, few - left_out) + _log2_ways(many, few - left_out)
    return -log2_at_most(statistic / _AS_IF_TWICE, freedom / _AS_IF_TWICE) - ways


def _log2_ways(number: int, chosen: int) -> float:
    """log2 of how many ways there are to choose so many."""
    return (lgamma(number + 1) - lgamma(chosen + 1) - lgamma(number - chosen + 1)) / log(2)
