"""What is understood of a file by its beginning, and what its owner has said about it instead."""

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from dpgov.engines.ingest.limits import LOOKED_AT_BYTES
from dpgov.engines.ingest.reading import Reading, reading_of
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.sniff import (
    Kind,
    check_text,
    csv_layout,
    kind_of,
    looks_like_values,
    names_of,
)
from dpgov.engines.ingest.texts import encoding_of
from dpgov.language.said import said


class Understood(NamedTuple):
    """A format, the names of the columns, the reading with what the owner is told of it, types."""

    format: str
    headers: tuple[str, ...]
    reading: dict[str, Any]
    kinds: tuple[str, ...]


def understand(path: Path, wanted: dict[str, Any]) -> Understood:
    """Raises Refused. `wanted` is what the owner chose, by the names of a Reading."""
    kind = kind_of(path)
    if kind.format == "parquet":
        return _parquet(path)
    if kind.format == "xlsx":
        return _workbook(path, wanted)
    return _csv(path, kind, wanted)


def _csv(path: Path, kind: Kind, wanted: dict[str, Any]) -> Understood:
    encoding = wanted.get("encoding") or encoding_of(path, kind.packed)
    reading = replace(reading_of(wanted), packed=kind.packed, encoding=encoding)
    layout = csv_layout(path, replace(reading, header="header" in wanted and reading.header))
    found = _named(replace(reading, delimiter=layout.delimiter), layout.cells, wanted)
    check_text(path, reading, most=LOOKED_AT_BYTES)
    return Understood("csv", *found, kinds=("",) * len(found[0]))


def _workbook(path: Path, wanted: dict[str, Any]) -> Understood:
    from dpgov.engines.ingest.workbook import rows_of, sheet_of, sheets_of

    sheets = sheets_of(path)
    sheet = wanted.get("sheet") or sheets[0]
    if sheet not in sheets:
        raise Refused(said("The file has no such sheet."))
    reading = replace(reading_of(wanted), sheet=sheet)
    headers, found = _named(reading, tuple(next(rows_of(sheet_of(path, sheet)))), wanted)
    return Understood("xlsx", headers, found | {"sheets": list(sheets)}, ("",) * len(headers))


def _parquet(path: Path) -> Understood:
    from dpgov.engines.ingest.tables import open_table, stated_kind

    table = open_table(path, format_name="parquet")
    found = {"left_out": list(table.left_out)}
    return Understood("parquet", table.names, found, tuple(map(stated_kind, table.types)))


def _named(
    reading: Reading, cells: tuple[str, ...], wanted: dict[str, Any]
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """A first line that looks like values is no header unless its owner says so: names go public.

    The cells themselves go nowhere but into the names of the columns.
    """
    is_data = looks_like_values(cells)
    header = reading.header if "header" in wanted else not is_data
    chosen = replace(reading, header=header)
    return names_of(cells, header=header), chosen.as_json() | {"first_line_is_data": is_data}
