"""Over how many places the values of a column spread: 200 numbers from 1 to 200 say nothing.

Whole numbers, days (2024-05-17) and numbers behind a fixed text (P001) have places next to each
other; two tables of different people may well share them all.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_NUMBERED = r"^(?P<before>[^0-9]*)(?P<number>[0-9]{1,15})$"
_LARGEST = 2.0**53

Floats = npt.NDArray[np.float64]


class ColumnSpan:
    """Follows one column, batch by batch; given up at the first value without a place."""

    def __init__(self) -> None:
        self._kind: str | None = None
        self._low, self._high = np.inf, -np.inf
        self._given_up = False

    def add(self, numbers: Floats, texts: Callable[[], pa.Array]) -> None:
        """Distinct values, none missing: their numbers, NaN for a text, and their `texts`."""
        if self._given_up or not len(numbers):
            return
        kind, places = _places(numbers, texts)
        if places is None or self._kind not in (None, kind):
            self._given_up = True
            return
        self._kind = kind
        self._low = min(self._low, float(places.min()))
        self._high = max(self._high, float(places.max()))

    def width(self) -> int:
        """How many places there are from the first to the last; 0 where places mean nothing."""
        if self._given_up or self._kind is None:
            return 0
        return int(self._high - self._low) + 1


def _places(numbers: Floats, texts_of: Callable[[], pa.Array]) -> tuple[str, Floats | None]:
    is_text = np.isnan(numbers)
    if not is_text.any():
        whole = bool(((np.abs(numbers) < _LARGEST) & (numbers == np.rint(numbers))).all())
        return "number", numbers if whole else None
    if not is_text.all():
        return "text", None
    texts = texts_of()
    first = texts[0].as_py()
    if len(first) == 10 and first[4:5] == "-" and pc.all(_matches(texts, _DAY)).as_py():
        return "day", _days(texts)
    return _numbered(texts) if first[-1].isdecimal() else ("text", None)


def _matches(texts: pa.Array, pattern: str) -> pa.Array:
    return pc.match_substring_regex(texts, pattern)


def _days(texts: pa.Array) -> Floats | None:
    try:
        days = texts.cast(pa.date32()).cast(pa.int32())
    except pa.ArrowInvalid:
        return None
    numbers: Floats = days.to_numpy(zero_copy_only=False).astype(np.float64)
    return numbers


def _numbered(texts: pa.Array) -> tuple[str, Floats | None]:
    found = pc.extract_regex(texts, _NUMBERED)
    if found.null_count:
        return "text", None
    before = pc.unique(found.field("before"))
    if len(before) != 1:
        return "text", None
    numbers = found.field("number").cast(pa.int64()).to_numpy(zero_copy_only=False)
    return f"after {before[0].as_py()}", numbers.astype(np.float64)
