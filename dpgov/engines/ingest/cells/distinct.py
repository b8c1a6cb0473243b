"""Which distinct cells a column has, found in the way that takes least time.

Whatever way it is, each cell comes out as the same text and number, and so with the same hash and
code: the ways differ in what is looked at twice, and in nothing that is kept.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.ingest.cells.column import Cells, Places, is_text
from dpgov.engines.ingest.reading import POINT

# One in so many rows is looked at first.
_LOOKED_AT = 16
# Of these so many are distinct where of all of them about half are: to find those that are the
# same takes as long then as to look at each.
_HARDLY = 0.95
# From here on texts are worth looking at as numbers.
_OFTEN = 0.25
# Rows to one number that may be between others, and numbers that are kept of one column.
_TO_ONE = 4
_WIDEST = 1 << 16
# Numbers that are kept of all columns, with their hashes and codes 34 bytes each.
_KEPT = 1 << 21


class Room:
    """For how many more numbers there is room, of all columns together."""

    def __init__(self) -> None:
        self.left = _KEPT


class NearNumbers:
    """The whole numbers of one column that are near to each other, kept for its later batches.

    With all that lie between them, so that a row's place is its number less the first: nothing is
    looked for, and what was made of them is not made again. Others take their place only after
    some times as many rows, so that numbers that move on with the rows cost no more for it.
    """

    def __init__(self, room: Room) -> None:
        self._room = room
        self._cells: Cells | None = None
        self._first, self._size, self._rows = 0, 0, 0

    def near(self, column: pa.Array, decimal: str) -> Cells | None:
        """The cells of a column of whole numbers, or None where they are far from each other."""
        least, most = (each.as_py() for each in pc.min_max(column).values())
        self._rows += len(column)
        if least is None or not self._covers(column.type, least, most):
            return None
        if self._cells is None or self._cells.decimal != decimal:
            self._cells = Cells(_numbers(column.type, self._first, self._size), None, decimal)
        return self._cells.at(_places(column, self._first, self._size))

    def _covers(self, kind: pa.DataType, least: int, most: int) -> bool:
        if self._first <= least and most < self._first + self._size:
            return True
        # A little more at both ends, as far as there is any: else each batch might need a few more.
        more = (most - least) // 8
        lowest, highest = _ends(kind)
        first, last = max(least - more, lowest), min(most + more, highest)
        size = last - first + 1
        if size > min(self._rows // _TO_ONE, _WIDEST, self._room.left + self._size):
            return False
        self._room.left += self._size - size
        self._cells, self._first, self._size, self._rows = None, first, size, 0
        return True


def _ends(kind: pa.DataType) -> tuple[int, int]:
    limits = np.iinfo(kind.to_pandas_dtype())
    return int(limits.min), int(limits.max)


def _numbers(kind: pa.DataType, first: int, size: int) -> pa.Array:
    # In words that wrap around: narrow types have no room for a difference.
    start = np.array(first).astype(kind.to_pandas_dtype())
    return pa.array(np.arange(size).astype(start.dtype) + start, kind)


def _places(column: pa.Array, first: int, size: int) -> Places:
    start = np.array(first).astype(column.type.to_pandas_dtype()).astype(np.uint64)
    filled = column.fill_null(first) if column.null_count else column
    places: Places = (filled.to_numpy().astype(np.uint64) - start).astype(np.int64)
    if column.null_count:
        places[column.is_null().to_numpy(zero_copy_only=False)] = size
    return places


def cells_of(column: pa.Array, decimal: str = POINT, known: NearNumbers | None = None) -> Cells:
    """Read a column of any type; texts with this decimal mark. `known` is of its batches before."""
    if pa.types.is_dictionary(column.type):
        return _encoded(column, decimal)
    share = _distinct(column)
    if share > _OFTEN and is_text(column.type):
        column = _as_numbers(column)
    if pa.types.is_integer(column.type):
        near = (known or NearNumbers(Room())).near(column, decimal)
        if near is not None:
            return near
    if share > _HARDLY and not column.null_count:
        return Cells(column, None, decimal)
    return _encoded(column.dictionary_encode(), decimal)


def _encoded(column: pa.DictionaryArray, decimal: str) -> Cells:
    rows = pc.fill_null(column.indices.cast(pa.int64()), len(column.dictionary))
    return Cells(column.dictionary, rows.to_numpy(zero_copy_only=False), decimal)


def _distinct(column: pa.Array) -> float:
    """Which share of the first cells is no other one's again."""
    some = column.slice(0, len(column) // _LOOKED_AT)
    return len(some.unique()) / len(some) if len(some) else 0.0


def _as_numbers(column: pa.Array) -> pa.Array:
    """The texts as whole numbers, if each is written like one in its only spelling, or empty.

    They are the same texts then, and numbers take less time.
    """
    first = column[0].as_py()
    if first and first[0] not in "-0123456789":
        return column
    found, empty = column, pc.equal(column, "")
    if pc.any(empty).as_py():
        found = pc.if_else(empty, pa.scalar(None, column.type), column)
    try:
        numbers = found.cast(pa.int64())
    except pa.ArrowInvalid:
        return column
    return numbers if numbers.cast(column.type).equals(found) else column
