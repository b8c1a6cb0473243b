"""How well a file and its declarations fit, in coarse words, for the owner of the file alone.

Counts stay in this process: what leaves it is one of five words for each share, whose thresholds
are fixed. No value of the file leaves it, and nothing that would tell where a bound should be.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from dpgov.engines.ingest.cells.column import Cells, naming
from dpgov.engines.ingest.cells.distinct import cells_of
from dpgov.engines.ingest.reading import COMMA, POINT
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.tables import Table
from dpgov.engines.ingest.values import distinct_codes
from dpgov.language.said import said
from dpgov.privacy.plan.schema import ColumnSpec, DateDomain, MissingRule, NumericDomain

# Of a large file the beginning is looked at: somebody waits at a page.
LOOKED_AT_UNPACKED_BYTES = 100_000_000

NONE, FEW, HALF, MOST, ALL = "none", "few", "half", "most", "all"


def word(part: int, whole: int) -> str:
    """Up to a quarter is few, more than three quarters is most; of nothing there is none."""
    if not part:
        return NONE
    if part == whole:
        return ALL
    if 4 * part <= whole:
        return FEW
    return HALF if 4 * part <= 3 * whole else MOST


@dataclass(slots=True)
class CellCounts:
    """Exact numbers of cells of one column; they never leave this process.

    `filled` hold anything at all, `read` are understood under the declared domain, `inside` lie
    within the bounds or the list, `other_mark` are numbers if the decimal mark is the other one.
    """

    rows: int = 0
    filled: int = 0
    read: int = 0
    inside: int = 0
    other_mark: int = 0

    def words(self) -> dict[str, str]:
        """The same in words."""
        return {
            "filled": word(self.filled, self.rows),
            "read": word(self.read, self.filled),
            "inside": word(self.inside, self.read),
            "outside": word(self.read - self.inside, self.read),
            "other_mark": word(self.other_mark, self.filled),
        }

    def add(self, column: pa.Array, spec: ColumnSpec | None, decimal: str) -> None:
        """The cells of one batch; without a spec only whether they name anybody."""
        cells = cells_of(column, decimal)
        times = cells.times
        filled = naming(cells) if spec is None else _valid(cells.texts)
        self.rows += len(column)
        self.filled += int(times[filled].sum())
        if spec is None:
            return
        self.read += int(times[is_read(cells, spec)].sum())
        self.inside += int(times[is_inside(cells, spec)].sum())
        if _is_number(spec):
            turned = cells_of(column, POINT if decimal == COMMA else COMMA)
            self.other_mark += int(turned.times[~np.isnan(turned.numbers)].sum())


Mask = npt.NDArray[np.bool_]


def is_read(cells: Cells, spec: ColumnSpec) -> Mask:
    """Which of the distinct cells are understood; a category is, whatever it says."""
    if _is_number(spec):
        found: Mask = ~np.isnan(cells.numbers)
        return found
    return _valid(_read_codes(cells, spec))


def _is_number(spec: ColumnSpec) -> bool:
    """Dates are numbers of periods, and spelt otherwise."""
    return isinstance(spec.domain, NumericDomain) and not isinstance(spec.domain, DateDomain)


def is_inside(cells: Cells, spec: ColumnSpec) -> Mask:
    """Which of them are in the declared list, or within the declared bounds."""
    if isinstance(spec.domain, DateDomain):
        return _within(cells, spec, spec.domain)
    if isinstance(spec.domain, NumericDomain):
        lower, upper = float(spec.domain.lower), float(spec.domain.upper)
        # NaN compares as neither.
        found: Mask = (cells.numbers >= lower) & (cells.numbers <= upper)
        return found
    known = _read_codes(cells, spec)
    listed: Mask = _valid(known) & (known.fill_null(0).to_numpy() != spec.domain.other)
    return listed


def _within(cells: Cells, spec: ColumnSpec, domain: DateDomain) -> Mask:
    """Dates outside fall on the ends, so they are told by a calendar that is longer at both."""
    longer = replace(domain, first=domain.first - 1, upper=domain.upper + 2)
    found = _read_codes(cells, replace(spec, domain=longer))
    numbers = found.fill_null(0).to_numpy()
    inside: Mask = (numbers > 0) & (numbers < longer.top)
    return inside


def _read_codes(cells: Cells, spec: ColumnSpec) -> pa.Array:
    """The code of each distinct cell, whether any row has it or not; null where it is missing."""
    return distinct_codes(cells, replace(spec, missing=MissingRule.DROP, impute_code=None))


def _valid(found: pa.Array) -> Mask:
    mask: Mask = found.is_valid().to_numpy(zero_copy_only=False)
    return mask


def check(table: Table, columns: Sequence[ColumnSpec], private_id: str | None) -> dict[str, Any]:
    """Words for each declared column, and for the one that names people if there is one.

    `whole` says whether all of the file was looked at. Raises Refused for a file without a row.
    """
    specs = {spec.name: spec for spec in columns}
    wanted = [*specs, *([private_id] if private_id else [])]
    for name in wanted:
        if name not in table.names:
            raise Refused(said("The file has no column “{column}”.", column=name), column=name)
    fits = {name: CellCounts() for name in wanted}
    seen, whole = 0, True
    for batch in table.batches:
        for name, fit in fits.items():
            place = table.names.index(name)
            fit.add(batch.column(place), specs.get(name), table.decimal_at(place))
        seen += batch.nbytes
        if seen > LOOKED_AT_UNPACKED_BYTES:
            whole = False
            break
    if not any(fit.rows for fit in fits.values()):
        raise no_row()
    return {"whole": whole, "columns": {name: fit.words() for name, fit in fits.items()}}


def no_row() -> Refused:
    """For a file with nothing but names in it."""
    return Refused(said("The file has no row: nothing but the names of its columns."))
