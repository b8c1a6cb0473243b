"""What bounds would do to values beyond them, on invented values alone.

Nobody may look up where the values of a file lie to choose bounds. Two made-up shapes say what
could happen: a hill, and a tail like that of incomes. Exact integers, in steps of the column.
"""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np

from dpgov.privacy.mock.rows import Codes, stream

_ROWS = 10_000
# A place within the range is a product of three such numbers, which stays below 2**63.
_FINE = 2**20


class Shape(StrEnum):
    """Where invented values lie within a range."""

    HILL = "hill"
    TAIL = "tail"


@dataclass(frozen=True, slots=True)
class Clipped:
    """The share of the values that bounds change, and how far the mean moves, in steps."""

    share: Fraction
    moved: Fraction


def clipped(low: int, high: int, *, least: int, most: int, shape: Shape) -> Clipped:
    """What bounds of `low` and `high` do to invented values between `least` and `most`.

    All in whole steps from zero; the bounds lie within.
    """
    values = _values(shape, least, most)
    kept = np.clip(values, low, high)
    return Clipped(
        share=Fraction(int((kept != values).sum()), _ROWS),
        moved=Fraction(abs(_total(kept) - _total(values)), _ROWS),
    )


def _values(shape: Shape, least: int, most: int) -> Codes:
    drawn = (stream(f"clipping {shape}", _ROWS)[:, :3] % np.uint64(_FINE)).astype(np.int64)
    hill = shape is Shape.HILL
    places = drawn.sum(axis=1) // 3 if hill else drawn.prod(axis=1) // _FINE**2
    # In Python's own integers: a range of 2**53 steps times a place passes 64 bits.
    return np.array([least + int(place) * (most - least) // _FINE for place in places])


def _total(values: Codes) -> int:
    return sum(int(value) for value in values)
