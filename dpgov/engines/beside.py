"""A column beside every column of another table at once, by the values that both have.

Tables have hundreds of columns, and to compare each with each takes half a minute. Few pairs have
anything in common that says something: sums over all of them at once show which, and these alone
are compared one by one. A sum here may differ from one over a single pair in its last digits, so
whoever drops a pair by it leaves room for that.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dpgov.engines.fingerprint import MultisetFingerprint

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Truths = npt.NDArray[np.bool_]
# How far sums of the same numbers in another order may be apart, of the largest of them.
ROUNDING = 1e-9
_EVERYTHING = np.uint64(2**64 - 1)


@dataclass(frozen=True, slots=True)
class Common:
    """The values that a part has in common with columns, an entry for each of both.

    `places` are those in the part, `columns` says whose entry it is; `x` is how often the part has
    it, and `y` the column.
    """

    places: Places
    columns: Places
    x: Floats
    y: Floats
    among: int

    def summed(self, what: Callable[[Floats, Floats], Floats]) -> Floats:
        """What each entry makes, added up for each column."""
        return added_up(self.columns, what(self.x, self.y), self.among)


class PairSums(NamedTuple):
    """Of each pair one side: how many values, how often they occur in all, and the squares."""

    number: Floats
    total: Floats
    squares: Floats


class Columns:
    """The columns of a table, each content once, found by their values."""

    def __init__(self, parts: Iterable[MultisetFingerprint]) -> None:
        self.parts = distinct(parts)
        self.totals = np.array([part.total for part in self.parts], np.float64)
        self._ends = np.array([_end(part) for part in self.parts], np.uint64)
        lengths = [len(part.hashes) for part in self.parts]
        hashes = np.concatenate([np.empty(0, np.uint64), *(part.hashes for part in self.parts)])
        counts = np.concatenate([np.empty(0), *(part.counts for part in self.parts)])
        order = np.argsort(hashes, kind="stable")
        self._hashes, self._counts = hashes[order], counts[order]
        self._owners = np.repeat(np.arange(len(lengths)), lengths)[order]
        self._all = self._own(len(order))

    def common(self, part: MultisetFingerprint) -> Common:
        """Each value of the part in each column that has it."""
        first = np.searchsorted(self._hashes, part.hashes, "left")
        number = np.searchsorted(self._hashes, part.hashes, "right") - first
        places = np.repeat(np.arange(len(first)), number)
        # Counted on from the first entry of each value.
        entries = np.arange(len(places)) + np.repeat(first - np.cumsum(number) + number, number)
        x = part.counts.astype(np.float64)[places]
        owners, y = self._owners[entries], self._counts[entries]
        return Common(places, owners, x, y, len(self.parts))

    def below_both_ends(self, part: MultisetFingerprint) -> tuple[PairSums, PairSums]:
        """Of the part and of each column, what lies below the ends of both sketches."""
        end = _end(part)
        places = np.searchsorted(part.hashes, np.minimum(self._ends, end), "right")
        counts = part.counts.astype(np.float64)
        total, squares = (_up_to(places, each) for each in (counts, counts**2))
        below = int(np.searchsorted(self._hashes, end, "right"))
        own = self._all if below == len(self._hashes) else self._own(below)
        return PairSums(places.astype(np.float64), total, squares), own

    def summed(self, what: Callable[[Floats], Floats]) -> Floats:
        """What all values of each column make, added up."""
        return added_up(self._owners, what(self._counts), len(self.parts))

    def those(self, chosen: Truths) -> list[MultisetFingerprint]:
        """The chosen ones."""
        return [part for part, is_one in zip(self.parts, chosen.tolist(), strict=True) if is_one]

    def _own(self, entries: int) -> PairSums:
        owners, counts = self._owners[:entries], self._counts[:entries]
        weights = (np.ones(entries), counts, counts**2)
        return PairSums(*(added_up(owners, each, len(self.parts)) for each in weights))


def added_up(columns: Places, numbers: Floats, among: int) -> Floats:
    """The numbers of each of so many columns, in all."""
    return np.bincount(columns, numbers, among).astype(np.float64)


def distinct(parts: Iterable[MultisetFingerprint]) -> Sequence[MultisetFingerprint]:
    """Each content once: what is true of a column is true of every other one that is the same."""
    return list({(part.total, part.span, part.packed()): part for part in parts}.values())


def _end(part: MultisetFingerprint) -> np.uint64:
    return _EVERYTHING if part.is_complete else part.hashes[-1]


def _up_to(places: Places, numbers: Floats) -> Floats:
    found: Floats = np.concatenate([[0.0], np.cumsum(numbers)])[places]
    return found
