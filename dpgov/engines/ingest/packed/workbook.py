"""One sheet of a workbook (.xlsx) as texts, spelt as a CSV file of the same table would spell them.

A formula counts as the value that was saved with it; nothing is computed, and nothing outside the
file is looked at. Whole numbers lose their `.0`, dates are ISO 8601, rows without any cell are no
rows. The reader holds a sheet whole, so it is bounded by the memory of its process.
"""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, SheetTypeEnum

from dpgov.engines.ingest.packed.archive import check_workbook
from dpgov.engines.ingest.reading import POINT
from dpgov.engines.ingest.refusal import Refused
from dpgov.language.said import said

_LARGEST_EXACT = 2**53
_ROWS_AT_A_TIME = 16_384
# What a formula left that could not be computed.
_ERRORS = frozenset(
    {"#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#GETTING_DATA"}
)
_UNREADABLE = said(
    "The spreadsheet is damaged, has a password, or holds an error of a newer program, such as "
    "#SPILL!. Save it again as xlsx or CSV."
)
_EMPTY = said("The sheet is empty. It needs column names and rows below them.")


def sheets_of(path: Path) -> tuple[str, ...]:
    """The names of its sheets that hold cells, in their order; raises Refused."""
    found = _opened(path).sheets_metadata
    names = tuple(sheet.name for sheet in found if sheet.typ is SheetTypeEnum.WorkSheet)
    if not names:
        raise Refused(_EMPTY)
    return names


def sheet_of(path: Path, name: str) -> CalamineSheet:
    """The sheet of this name, held whole; raises Refused."""
    try:
        return _opened(path).get_sheet_by_name(name)
    except CalamineError as problem:
        raise Refused(_UNREADABLE) from problem


def rows_of(sheet: CalamineSheet, decimal: str = POINT) -> Iterator[list[str]]:
    """Its rows that have any cell, the first one included; raises Refused where there are none."""
    rows = _rows(sheet, decimal)
    first = next(rows, None)
    if first is None:
        raise Refused(_EMPTY)
    return chain([first], rows)


def batches_of(rows: Iterator[list[str]], names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Rows under these names."""
    schema = pa.schema([(name, pa.string()) for name in names])
    while some := list(islice(rows, _ROWS_AT_A_TIME)):
        columns = [pa.array(column, pa.string()) for column in zip(*some, strict=True)]
        yield pa.record_batch(columns, schema=schema)


def _opened(path: Path) -> CalamineWorkbook:
    check_workbook(path)
    try:
        return CalamineWorkbook.from_path(path)
    except CalamineError as problem:
        raise Refused(_UNREADABLE) from problem


def _rows(sheet: CalamineSheet, decimal: str) -> Iterator[list[str]]:
    for row in sheet.iter_rows():
        texts = [_text(cell, decimal) for cell in row]
        if any(texts):
            yield texts


def _text(cell: Any, decimal: str) -> str:
    if isinstance(cell, str):
        return "" if cell in _ERRORS else cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        is_whole = cell.is_integer() and abs(cell) < _LARGEST_EXACT
        return str(int(cell)) if is_whole else repr(cell).replace(POINT, decimal)
    if isinstance(cell, datetime):
        return cell.isoformat(" ") if cell.time() != time.min else cell.date().isoformat()
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell)
