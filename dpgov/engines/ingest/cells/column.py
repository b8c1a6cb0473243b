"""One column of a batch: its distinct cells as texts and numbers, by the rules of `values`."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.ingest.reading import COMMA, POINT
from dpgov.engines.live import NOBODY

_NUMBER = (
    r"^[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?)$"
)
_THOUSANDS = r"^[+-]?[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]*)?$"
_NOBODY = pa.array(NOBODY, pa.large_string())

Places = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
T = TypeVar("T", bound=np.generic)
Made = TypeVar("Made")


@dataclass(frozen=True)
class Cells:
    """A column of a batch: its distinct cells, and for each row the place of its cell in them.

    The last one is always a null, for the rows whose cell is null. Where hardly any comes again,
    one may stand there for each row, in their order (`places` is None then), and where numbers are
    near to each other, also those between them that no row has. What is not asked for is not made:
    a column of numbers needs no texts.
    """

    values: pa.Array
    places: Places | None = None
    decimal: str = POINT
    made: dict[str, Any] = field(default_factory=dict, repr=False)

    def once(self, what: str, make: Callable[[], Made]) -> Made:
        """What is made of the distinct cells alone: made again only where others come."""
        if what not in self.made:
            self.made[what] = make()
        found: Made = self.made[what]
        return found

    @cached_property
    def rows(self) -> Places:
        """For each row the place of its cell."""
        return np.arange(len(self.values)) if self.places is None else self.places

    @cached_property
    def times(self) -> Places:
        """How many rows have each of the cells."""
        if self.places is None:
            return np.append(np.ones(len(self.values), np.int64), 0)
        return np.bincount(self.places, minlength=self.distinct)

    def spread(self, found: npt.NDArray[T]) -> npt.NDArray[T]:
        """What was found of each cell, for each row."""
        return found[:-1] if self.places is None else found[self.places]

    def at(self, places: Places) -> "Cells":
        """The same cells in the rows of another batch."""
        return replace(self, places=places)

    @property
    def distinct(self) -> int:
        """How many distinct cells there are, with the null."""
        return len(self.values) + 1

    @property
    def texts(self) -> pa.Array:
        """Trimmed, null where missing."""
        null = pa.nulls(1, pa.large_string())
        return self.once("texts", lambda: pa.concat_arrays([_texts(self.values), null]))

    @property
    def numbers(self) -> Floats:
        """The values, NaN where not a number."""
        return self.once("numbers", self._numbers)

    def _numbers(self) -> Floats:
        if self.are_numbers:
            # Rounded to the nearest float, as a text is.
            return np.append(self.values.to_numpy().astype(np.float64), np.nan)
        pointed = is_text(self.values.type) and self.decimal == COMMA
        return _numbers(_with_points(self.texts) if pointed else self.texts)

    @property
    def numbers_by_any_mark(self) -> Floats:
        """`numbers`, and beside a decimal comma those that are written with a point.

        To recognise a file again of which another mark was said.
        """
        if self.are_numbers or self.decimal != COMMA:
            return self.numbers
        return np.where(np.isnan(self.numbers), _numbers(self.texts), self.numbers)

    @property
    def are_numbers(self) -> bool:
        """Whether the file itself says that there is nothing but numbers, in 64 bits at most.

        Narrower floats are not among them: their text is another number in 64 bits.
        """
        kind = self.values.type
        is_one = pa.types.is_integer(kind) or pa.types.is_float64(kind)
        return bool(is_one) and not self.values.null_count

    @property
    def whole_numbers(self) -> npt.NDArray[np.int64] | None:
        """The cells and 0 for the null, if the file says that all are signed whole numbers."""
        if not (self.are_numbers and pa.types.is_signed_integer(self.values.type)):
            return None
        return np.append(self.values.to_numpy().astype(np.int64), 0)

    @property
    def typed_dates(self) -> bool:
        """Whether the file itself says that they are dates, so that they are in ISO 8601 here,
        whatever was declared."""
        return bool(pa.types.is_temporal(self.values.type))


def naming(cells: Cells) -> npt.NDArray[np.bool_]:
    """Which of the distinct cells can be somebody's id: not those that say that there is none."""
    nobody = pc.is_in(pc.utf8_lower(cells.texts), value_set=_NOBODY)
    names = pc.and_not(pc.is_valid(cells.texts), nobody)
    found: npt.NDArray[np.bool_] = names.to_numpy(zero_copy_only=False)
    return found


def is_text(kind: pa.DataType) -> bool:
    """Whether its cells are written out, each by itself."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _with_points(texts: pa.Array) -> pa.Array:
    """Texts with a decimal comma as if they were written with a point; others can be no number."""
    parted = pc.match_substring_regex(texts, _THOUSANDS)
    whole = pc.if_else(parted, pc.replace_substring(texts, POINT, ""), texts)
    has_point = pc.match_substring(whole, POINT)
    pointed = pc.replace_substring(whole, COMMA, POINT)
    return pc.if_else(has_point, pa.scalar("", pa.large_string()), pointed)


def _texts(values: pa.Array) -> pa.Array:
    if pa.types.is_floating(values.type):
        wide = values.cast(pa.float32()) if pa.types.is_float16(values.type) else values
        values = pc.if_else(pc.is_nan(wide), pa.scalar(None, wide.type), wide)
    trimmed = pc.utf8_trim_whitespace(values.cast(pa.large_string()))
    return pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.large_string()), trimmed)


def _numbers(texts: pa.Array) -> Floats:
    is_number = pc.match_substring_regex(texts, _NUMBER)
    as_text = texts if pc.all(is_number).as_py() else _or_truths(texts, is_number)
    filled = pc.fill_null(as_text.cast(pa.float64()), float("nan"))
    numbers: Floats = filled.to_numpy(zero_copy_only=False)
    return numbers


def _or_truths(texts: pa.Array, is_number: pa.Array) -> pa.Array:
    """Numbers as they are, and 1 and 0 for what says whether."""
    lower = pc.utf8_lower(texts)
    return pc.if_else(
        is_number,
        texts,
        pc.case_when(
            pc.make_struct(pc.equal(lower, "true"), pc.equal(lower, "false")),
            pa.scalar("1", pa.large_string()),
            pa.scalar("0", pa.large_string()),
        ),
    )
