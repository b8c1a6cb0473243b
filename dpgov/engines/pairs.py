"""Which rows of two files become which row of a derived one, by places alone.

What is taken in memory is at most BYTES for each row that any of the three files may have, and what
is done is to sort each file's rows by their unit and go through what is kept once: neither depends
on who is in both files. Exact integers throughout.
"""

from dataclasses import dataclass
from math import isqrt

import numpy as np
import numpy.typing as npt

# For each row of either file, or that is kept, at most at any moment; a test holds it.
BYTES = 64
# Rows that are kept and made at once.
_AT_ONCE = 1 << 18

Words = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]
Rows = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class UnitRows:
    """The rows of a file that count: their places in it (`rows`), unit by unit in the order of k.

    Those of the unit with hash `keys[i]` begin at `begins[i]` and are `sizes[i]`, in their order.
    """

    rows: Rows
    keys: Words
    begins: Rows
    sizes: Rows


@dataclass(frozen=True, slots=True)
class Kept:
    """The rows that are kept: of which unit each is (`units`), and its place among its unit's.

    `firsts` and `seconds` are the rows of both files that it is made of, `keys` and `sizes` the
    hash of each unit and how many rows of it are kept.
    """

    firsts: Rows
    seconds: Rows
    units: Rows
    places: Rows
    keys: Words
    sizes: Rows


def units_of(keys: Words, places: Rows, rows: Rows) -> UnitRows:
    """The rows at these places of a file, by the hash of their unit and their place in it.

    A unit has the places 0, 1, 2, …; where two have one hash, a place would be two rows, and
    neither of them counts.
    """
    order = np.lexsort((places, keys))
    rows, places, keys = rows[order], places[order], keys[order]
    del order
    is_first = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    begins = np.flatnonzero(is_first).astype(np.uint32)
    keys = keys[is_first]
    ends = np.append(begins[1:], np.uint32(len(rows)))[: len(begins)]
    is_one = places[ends - 1] == ends - begins - 1
    return UnitRows(rows, keys[is_one], begins[is_one], (ends - begins)[is_one])


def kept_of(first: UnitRows, second: UnitRows, most: int) -> Kept:
    """The first `most` pairs of each unit that is in both files, by the order of `_pair`."""
    keys, here, there = np.intersect1d(
        first.keys, second.keys, assume_unique=True, return_indices=True
    )
    pairs = first.sizes[here].astype(np.int64) * second.sizes[there]
    sizes = np.minimum(pairs, most).astype(np.uint32)
    del pairs
    units = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
    firsts, seconds, places = (np.empty(len(units), np.uint32) for _ in range(3))
    starts = np.cumsum(sizes, dtype=np.int64) - sizes
    for begin in range(0, len(units), _AT_ONCE):
        some = slice(begin, begin + _AT_ONCE)
        own = units[some]
        place = np.arange(begin, begin + len(own)) - starts[own]
        one, other = here[own], there[own]
        a, b = _pair(place, first.sizes[one].astype(np.int64), second.sizes[other].astype(np.int64))
        firsts[some] = first.rows[first.begins[one] + a]
        seconds[some] = second.rows[second.begins[other] + b]
        places[some] = place
    return Kept(firsts, seconds, units, places, keys, sizes)


def _pair(place: Places, here: Places, there: Places) -> tuple[Places, Places]:
    """Which row of a unit here and which there is its pair at this place, of so many in each.

    By the later of the two, so that of both files the first rows are kept; then by the one and the
    other. Of n pairs the first s * s are those of the first s rows of both, if both have as many;
    those of the later place j, there or here, begin at j * j. Further ones are s in a row.
    """
    fewer = np.minimum(here, there)
    in_square = place < fewer * fewer
    root = _roots(place)
    later = np.where(in_square, root, place // fewer)
    rest = np.where(in_square, place - root * root, place % fewer)
    a = np.where(in_square, np.minimum(rest, later), np.where(here > there, later, rest))
    b = np.where(
        in_square,
        np.where(rest < later, later, rest - later),
        np.where(here > there, rest, later),
    )
    return a, b


def _roots(numbers: Places) -> Places:
    """The whole part of the square root of each, exactly."""
    squares = np.arange(isqrt(int(numbers.max(initial=0))) + 1, dtype=np.int64) ** 2
    return np.searchsorted(squares, numbers, side="right") - 1
