"""The keyed hash of each distinct cell: of its number, or else of its text.

One value has one hash, whatever the file wrote: 1, 1.0 and "1 " are one number, -0 is 0; moments
are without what is zero; any other text is as it stands, trimmed. The name of a unit is the
exception: it is compared as it is written, since large numbers are not exact as floats, but for
whole numbers that a tool wrote as floats: 12345678901.0, 1.2345678901e+10 and 1.2345678901E10 are
12345678901. One empty cell makes a column of ids such a column, and the next file names the same
people. What might be another number stays as it is written: 1.000 is 1000 beside a decimal comma,
1e5 and 1E10 are codes, and E+10 is what spreadsheets write of a number that they cut.

A number is hashed by its bits and a whole number in a name by itself, each under a key of its own;
a text by its MD5, which is never kept or compared without a key over it.
"""

from decimal import Decimal
from hashlib import md5
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.ingest.cells.column import Cells, naming
from dpgov.engines.ingest.recognised.siphash import SipKey, Words, siphash
from dpgov.engines.keys import derived

_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+]00:?00)?$"
_SHORTER = (
    (r"(Z|[+]00:?00)$", ""),
    ("T", " "),
    (r"(\.[0-9]*[1-9])0+$", r"\1"),
    (r"\.0+$", ""),
    (r"( [0-9]{2}:[0-9]{2}):00$", r"\1"),
    (r" 00:00$", ""),
)
# A number in its only spelling, of so few digits that it is exact.
_WHOLE = r"^(?:0|-?[1-9][0-9]{0,17})$"
_BEYOND = 10**18
# The same in a column of floats, as pandas and spreadsheets write it, but for three zeros after a
# point that may part thousands. Of decimals the file itself says that they are numbers.
_WITH_POINT = (
    r"^(?:(-?(?:0|[1-9][0-9]{0,17}))(?:[.](?:00?|0{4,})|,0)|(-?(?:0|[1-9][0-9]{3,17}))[.]000)$"
)
_OF_DECIMALS = r"^(-?(?:0|[1-9][0-9]{0,17}))()[.]0+$"
# With an exponent as R and Arrow write it, of a sign and two digits, or as Java and Spark do, of a
# point and from seven on: codes of letters and digits have neither.
_WITH_EXPONENT = r"^-?[1-9](?:(?:[.][0-9]+)?e[+][0-9]{2}|[.](?:0|[0-9]*[1-9])E(?:[7-9]|1[0-9]))$"
# Up to here a float is no other whole number than that which was meant.
_EXACT = 2.0**53

Truths = npt.NDArray[np.bool_]


class NameHashes(NamedTuple):
    """Of each cell that may name a unit: whether it does, the keyed hash of the name, and what
    tells two names apart whose hashes are the same."""

    known: Truths
    hashes: Words
    apart: Words


class CellHashes:
    """Hashes under keys that the purposes `number` and `text` of one key make."""

    def __init__(self, key: bytes, purpose: str) -> None:
        self._number = SipKey.of(derived(key, f"{purpose}, number"))
        self._text = SipKey.of(derived(key, f"{purpose}, text"))

    def of_values(self, cells: Cells) -> Words:
        """Of each distinct cell; 0: missing."""
        values = cells.numbers_by_any_mark
        numbers = ~np.isnan(values)
        if numbers[:-1].all():
            return np.append(self._of_numbers(values[:-1]), np.uint64(0))
        hashes = np.zeros(cells.distinct, np.uint64)
        hashes[numbers] = self._of_numbers(values[numbers])
        if not cells.are_numbers:
            texts = texts_of(cells)
            known = _truths(pc.is_valid(texts)) & ~numbers
            words, _ = _words(texts.filter(pa.array(known)))
            hashes[known] = siphash(self._text, words)
        return hashes

    def _of_numbers(self, values: npt.NDArray[np.float64]) -> Words:
        return siphash(self._number, (values + 0.0).view(np.uint64))

    def of_names(self, cells: Cells) -> NameHashes:
        """Of each distinct cell as the name of a unit, as it is written."""
        known, whole, numbers = _whole_numbers(cells)
        hashes, apart = (np.zeros(cells.distinct, np.uint64) for _ in range(2))
        apart[whole] = numbers[whole].view(np.uint64)
        hashes[whole] = siphash(self._number, apart[whole])
        others = known & ~whole
        if others.any():
            words, apart[others] = _words(cells.texts.filter(pa.array(others)))
            hashes[others] = siphash(self._text, words)
        return NameHashes(known, hashes, apart)


def texts_of(cells: Cells) -> pa.Array:
    """Of each distinct cell that is no number its text, moments in their shortest form, or null."""
    texts = cells.texts
    is_none = pc.or_(pa.array(~np.isnan(cells.numbers)), pc.equal(pc.utf8_lower(texts), "nan"))
    texts = pc.if_else(is_none, pa.scalar(None, pa.large_string()), texts)
    moment = pc.match_substring_regex(texts, _MOMENT)
    if not pc.any(moment).as_py():
        return texts
    short = texts
    for pattern, replacement in _SHORTER:
        short = pc.replace_substring_regex(short, pattern, replacement)
    return pc.if_else(moment, short, texts)


def _words(texts: pa.Array) -> tuple[Words, Words]:
    """Both halves of each text's MD5, the second one first."""
    found = (md5(text, usedforsecurity=False) for text in texts.cast(pa.large_binary()).to_pylist())
    halves = np.frombuffer(b"".join(each.digest() for each in found), "<u8").astype(np.uint64)
    return halves[1::2], halves[::2]


def _whole_numbers(cells: Cells) -> tuple[Truths, Truths, npt.NDArray[np.int64]]:
    """Which cells name a unit, which of these by a whole number, and that number."""
    if (typed := cells.whole_numbers) is not None:
        known = np.arange(len(typed)) < len(typed) - 1
        return known, known & (typed > -_BEYOND) & (typed < _BEYOND), typed
    if cells.are_numbers and pa.types.is_floating(cells.values.type):
        floats = cells.numbers
        if np.nanmax(np.abs(floats), initial=0.0) < _EXACT:
            known, filled = ~np.isnan(floats), np.nan_to_num(floats)
            return known, known & (filled == np.rint(filled)), filled.astype(np.int64)
    texts = cells.texts
    known = naming(cells)
    of_decimals = pa.types.is_decimal(cells.values.type)
    with_point = _OF_DECIMALS if of_decimals else _WITH_POINT
    texts = _as_whole(pc.replace_substring_regex(texts, with_point, r"\1\2"))
    texts = pc.if_else(pc.equal(texts, "-0"), "0", texts)
    is_whole = pc.match_substring_regex(texts, _WHOLE)
    numbers = pc.if_else(is_whole, texts, "0").cast(pa.int64())
    return known, _truths(is_whole), pc.fill_null(numbers, 0).to_numpy(zero_copy_only=False)


def _as_whole(texts: pa.Array) -> pa.Array:
    """The same, but for those with an exponent that are a whole number: these in digits."""
    has_exponent = pc.fill_null(pc.match_substring_regex(texts, _WITH_EXPONENT), False)
    if not pc.any(has_exponent).as_py():
        return texts
    found = [_in_digits(text) for text in texts.filter(has_exponent).to_pylist()]
    return pc.replace_with_mask(texts, has_exponent, pa.array(found, pa.large_string()))


def _in_digits(text: str) -> str:
    number = Decimal(text)
    is_whole = abs(number) < _BEYOND and number == number.to_integral_value()
    return f"{number:.0f}" if is_whole else text


def _truths(found: pa.Array) -> Truths:
    truths: Truths = pc.fill_null(found, False).to_numpy(zero_copy_only=False)
    return truths
