"""Cells as text, numbers and lattice codes: one rule, whatever the file and its column type.

Every cell becomes a trimmed text first, so that a CSV file and a Parquet file of the same table
give the same codes. Each rule looks at one cell alone, never at the other rows.

| cell | in a number column | in a category column |
|---|---|---|
| null, empty, only spaces | missing | missing |
| NaN (a floating-point NaN, not a text) | missing | missing |
| plain or exponent number: 12, +5, -.5, 1e3 | that value, as a 64-bit float | text, as it stands |
| inf, -inf, infinity, 1e400, in any case | clipped to the bound | text, as it stands |
| true, false, in any case, and booleans | 1 and 0 | text `true`, `false` if a boolean |
| with a decimal comma: 1,5, -,5, 1.234,5, in texts | that value | text, as it stands |
| any other text: nan, n/a, 0x10, 1_000, 1,5, full-width digits | missing | text, as it stands |
| text equal to a declared category | - | that category |
| any other text | - | "other", code len(categories) |

Dates are read as `dates` says.

A number is clipped to the bounds and rounded to the nearest step; exactly halfway goes to the even
multiple of the step. -0.0 is 0. Missing is null, or the declared value if the rule is to impute.

With a decimal comma a point only parts thousands, three digits at a time, and a number that has a
point anywhere else is none; the marks are put right in the text, before it is read.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.ingest.dates import date_codes
from dpgov.engines.ingest.reading import COMMA, POINT
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.live import NOBODY
from dpgov.language.said import said
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DateDomain,
    MissingRule,
    NumericDomain,
)

_NUMBER = (
    r"^[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
    r"|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?)$"
)
_THOUSANDS = r"^[+-]?[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]*)?$"
_SQL_TYPES = {
    pa.uint8(): "UTINYINT",
    pa.uint16(): "USMALLINT",
    pa.uint32(): "UINTEGER",
    pa.uint64(): "UBIGINT",
}
_NOBODY = pa.array(NOBODY, pa.large_string())
_NO_PLACE = np.uint64(2**64 - 1)


@dataclass(frozen=True)
class Cells:
    """A column of a batch: its distinct cells, and for each row the place of its cell in them.

    The last one is always a null, for the rows whose cell is null. What is not asked for is not
    made: a column of numbers needs no texts.
    """

    values: pa.Array
    rows: npt.NDArray[np.int64]
    decimal: str = POINT

    @property
    def distinct(self) -> int:
        """How many distinct cells there are, with the null."""
        return len(self.values) + 1

    @cached_property
    def texts(self) -> pa.Array:
        """Trimmed, null where missing."""
        return pa.concat_arrays([_texts(self.values), pa.nulls(1, pa.large_string())])

    @cached_property
    def numbers(self) -> npt.NDArray[np.float64]:
        """The values, NaN where not a number."""
        if self.are_numbers:
            # Rounded to the nearest float, as a text is.
            return np.append(self.values.to_numpy().astype(np.float64), np.nan)
        pointed = _is_text(self.values.type) and self.decimal == COMMA
        return _numbers(_with_points(self.texts) if pointed else self.texts)

    @cached_property
    def numbers_by_any_mark(self) -> npt.NDArray[np.float64]:
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


def cells_of(column: pa.Array, decimal: str = POINT) -> Cells:
    """Read a column of any type, each distinct cell once; texts with this decimal mark."""
    encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    rows = pc.fill_null(encoded.indices.cast(pa.int64()), len(encoded.dictionary))
    return Cells(encoded.dictionary, rows.to_numpy(zero_copy_only=False), decimal)


def naming(cells: Cells) -> npt.NDArray[np.bool_]:
    """Which of the distinct cells can be somebody's id: not those that say that there is none."""
    nobody = pc.is_in(pc.utf8_lower(cells.texts), value_set=_NOBODY)
    names = pc.and_not(pc.is_valid(cells.texts), nobody)
    found: npt.NDArray[np.bool_] = names.to_numpy(zero_copy_only=False)
    return found


def _is_text(kind: pa.DataType) -> bool:
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


def _numbers(texts: pa.Array) -> npt.NDArray[np.float64]:
    is_number = pc.match_substring_regex(texts, _NUMBER)
    lower = pc.utf8_lower(texts)
    as_text = pc.if_else(
        is_number,
        texts,
        pc.case_when(
            pc.make_struct(pc.equal(lower, "true"), pc.equal(lower, "false")),
            pa.scalar("1", pa.large_string()),
            pa.scalar("0", pa.large_string()),
        ),
    )
    filled = pc.fill_null(as_text.cast(pa.float64()), float("nan"))
    numbers: npt.NDArray[np.float64] = filled.to_numpy(zero_copy_only=False)
    return numbers


def codes(cells: Cells, spec: ColumnSpec) -> pa.Array:
    """The lattice code of each row, in `code_type`; null where it is missing."""
    if isinstance(spec.domain, CategoryDomain):
        found = _category_codes(cells.texts, spec.domain)
    elif isinstance(spec.domain, DateDomain):
        found = date_codes(cells.texts, spec.domain, typed=cells.typed_dates)
    else:
        found = _numeric_codes(cells.numbers, spec.domain)
    if spec.impute_code is not None:
        found = pc.fill_null(found, pa.scalar(spec.impute_code, pa.uint64()))
    return found.cast(code_type(spec)).take(pa.array(cells.rows))


def _category_codes(texts: pa.Array, domain: CategoryDomain) -> pa.Array:
    declared = pa.array(domain.categories, pa.large_string())
    places = pc.fill_null(pc.index_in(texts, value_set=declared), domain.other)
    return pc.if_else(pc.is_valid(texts), places.cast(pa.uint64()), pa.scalar(None, pa.uint64()))


def _numeric_codes(values: npt.NDArray[np.float64], domain: NumericDomain) -> pa.Array:
    missing = np.isnan(values)
    clipped = np.clip(np.where(missing, 0.0, values), float(domain.lower), float(domain.upper))
    steps = np.rint(clipped / float(domain.step)) - float(domain.lower_steps)
    found = np.clip(steps, 0, domain.top).astype(np.uint64)
    return pa.array(np.where(missing, _NO_PLACE, found), mask=missing)


def never_missing(found: pa.Array, spec: ColumnSpec) -> pa.Array:
    """The codes, if the column keeps what is declared; questions rely on it, see `sensitivity`."""
    if spec.missing is MissingRule.REQUIRE and found.null_count:
        words = said(
            "“{column}” is declared as never missing, but some of its cells are empty or "
            "cannot be read. Choose what a missing value counts as, or complete the file.",
            column=spec.name,
        )
        if spec.formula is not None:
            words = said(
                "“{column}” is declared as never missing, but in some rows it cannot be computed. "
                "Choose what a missing value counts as.",
                column=spec.name,
            )
        raise Refused(words, column=spec.name)
    return found


def sql_type(spec: ColumnSpec) -> str:
    """The same in the words of the database."""
    return _SQL_TYPES[code_type(spec)]


def code_type(spec: ColumnSpec) -> pa.DataType:
    """The narrowest unsigned type that holds every code of the declared domain."""
    top = spec.domain.other if isinstance(spec.domain, CategoryDomain) else spec.domain.top
    for kind, largest in ((pa.uint8(), 2**8), (pa.uint16(), 2**16), (pa.uint32(), 2**32)):
        if top < largest:
            return kind
    return pa.uint64()
