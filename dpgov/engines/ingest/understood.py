"""What is understood of a file by its beginning, and what its owner has said about it instead."""

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from dpgov.engines.ingest.limits import LOOKED_AT_BYTES
from dpgov.engines.ingest.packed.packing import PackedFile, about
from dpgov.engines.ingest.reading import FileFormat, reading_of
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.sniff import (
    FileKind,
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
    """Raises Refused. `wanted` is what the owner chose, by the names of a FileFormat."""
    kind = kind_of(path)
    if kind.format == "parquet":
        return _parquet(path, kind)
    if kind.format == "xlsx":
        return _workbook(path, wanted)
    return _csv(path, kind, wanted)


def _csv(path: Path, kind: FileKind, wanted: dict[str, Any]) -> Understood:
    first, *others = sources = kind.files or (path,)
    encoding = wanted.get("encoding") or encoding_of(sources, kind.packed)
    reading = replace(reading_of(wanted), packed=kind.packed, encoding=encoding)
    with about(first):
        layout = csv_layout(first, replace(reading, header="header" in wanted and reading.header))
        reading = replace(reading, delimiter=layout.delimiter)
        headers, found = _named(reading, layout.cells, wanted)
    if others:
        _check_others(kind.files, replace(reading, header=found["header"]), headers)
    for source in sources:
        with about(source):
            check_text(source, reading, most=LOOKED_AT_BYTES // len(sources))
    return Understood("csv", headers, found | _archive(kind), ("",) * len(headers))


def _check_others(
    files: tuple[PackedFile, ...], reading: FileFormat, headers: tuple[str, ...]
) -> None:
    from dpgov.engines.ingest.several import check_first_line

    for file in files[1:]:
        with file.naming():
            check_first_line(file, reading, files[0], headers)


def _archive(kind: FileKind) -> dict[str, Any]:
    """What its owner is told of an archive, and how much time it takes."""
    if not kind.files:
        return {}
    return {
        "packed": kind.packed,
        "files": len(kind.files),
        "first_file": kind.files[0].name,
        "last_file": kind.files[-1].name,
        "unpacked_bytes": sum(file.entry.file_size for file in kind.files),
    }


def _workbook(path: Path, wanted: dict[str, Any]) -> Understood:
    from dpgov.engines.ingest.packed.workbook import rows_of, sheet_of, sheets_of

    sheets = sheets_of(path)
    sheet = wanted.get("sheet") or sheets[0]
    if sheet not in sheets:
        raise Refused(said("The file has no such sheet."))
    reading = replace(reading_of(wanted), sheet=sheet)
    headers, found = _named(reading, tuple(next(rows_of(sheet_of(path, sheet)))), wanted)
    return Understood("xlsx", headers, found | {"sheets": list(sheets)}, ("",) * len(headers))


def _parquet(path: Path, kind: FileKind) -> Understood:
    from dpgov.engines.ingest.several import look_at
    from dpgov.engines.ingest.tables import open_table, stated_kind

    table = look_at(kind) if kind.files else open_table(path, format_name="parquet")
    found = {"left_out": list(table.left_out)} | _archive(kind)
    return Understood("parquet", table.names, found, tuple(map(stated_kind, table.types)))


def _named(
    reading: FileFormat, cells: tuple[str, ...], wanted: dict[str, Any]
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """A first line that looks like values is no header unless its owner says so: names go public.

    The cells themselves go nowhere but into the names of the columns.
    """
    is_data = looks_like_values(cells)
    header = reading.header if "header" in wanted else not is_data
    chosen = replace(reading, header=header)
    return names_of(cells, header=header), chosen.as_json() | {"first_line_is_data": is_data}
