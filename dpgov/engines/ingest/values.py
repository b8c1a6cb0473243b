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

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.ingest.cells.column import Cells
from dpgov.engines.ingest.dates import date_codes
from dpgov.engines.ingest.refusal import Refused
from dpgov.language.said import said
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DateDomain,
    MissingRule,
    NumericDomain,
)

_SQL_TYPES = {
    pa.uint8(): "UTINYINT",
    pa.uint16(): "USMALLINT",
    pa.uint32(): "UINTEGER",
    pa.uint64(): "UBIGINT",
}
_NO_PLACE = np.uint64(2**64 - 1)


def codes(cells: Cells, spec: ColumnSpec) -> pa.Array:
    """The lattice code of each row, in `code_type`; null where it is missing."""
    found = cells.once(f"codes of {spec.name}", lambda: distinct_codes(cells, spec))
    return found[:-1] if cells.places is None else found.take(pa.array(cells.places))


def distinct_codes(cells: Cells, spec: ColumnSpec) -> pa.Array:
    """The same of each of the cells, whether any row has it or not."""
    if isinstance(spec.domain, CategoryDomain):
        found = _category_codes(cells.texts, spec.domain)
    elif isinstance(spec.domain, DateDomain):
        found = date_codes(cells.texts, spec.domain, typed=cells.typed_dates)
    else:
        found = _numeric_codes(cells.numbers, spec.domain)
    if spec.impute_code is not None:
        found = pc.fill_null(found, pa.scalar(spec.impute_code, pa.uint64()))
    return found.cast(code_type(spec))


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


def stored_as(spec: ColumnSpec) -> str:
    """The same with how a file keeps it: unpacked, unless codes need less than half of the bits.

    Unpacked codes are read in two thirds of the time, whatever they are, but for those that are all
    the same. It follows from what is declared, as the type does.
    """
    kind = code_type(spec)
    packs = 2 * spec.largest_code.bit_length() < kind.bit_width
    return _SQL_TYPES[kind] + ("" if packs else " USING COMPRESSION uncompressed")


def code_type(spec: ColumnSpec) -> pa.DataType:
    """The narrowest unsigned type that holds every code of the declared domain."""
    for kind, largest in ((pa.uint8(), 2**8), (pa.uint16(), 2**16), (pa.uint32(), 2**32)):
        if spec.largest_code < largest:
            return kind
    return pa.uint64()
