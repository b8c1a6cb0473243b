"""What a file is, by its content and never by its name.

Looks at bytes only: decides between CSV, Parquet and a workbook, packed or not, and refuses
everything else by what it is. A workbook is an archive itself, and is told by what lies in it.
"""

import csv
import io
import re
from pathlib import Path
from typing import NamedTuple

from dpgov.engines.ingest.limits import MAX_COLUMNS, MAX_HEADER_BYTES, MAX_NAME_LENGTH
from dpgov.engines.ingest.packed.archive import files_in, is_workbook
from dpgov.engines.ingest.packed.packing import PackedFile, Source, unpacked
from dpgov.engines.ingest.reading import DELIMITERS, GZIP, ZIP, FileFormat
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.texts import CleanText, open_text
from dpgov.language.said import said

_PARQUET = b"PAR1"
# The second one is of an archive that holds nothing.
_GZIP, _ZIP = b"\x1f\x8b", (b"PK\x03\x04", b"PK\x05\x06")
_CHUNK = 1 << 20
_EMPTY = said("The file is empty.")
_KNOWN = (
    (b"\x28\xb5\x2f\xfd", said("This is a zstd archive. Unpack it and upload the file inside.")),
    (b"BZh", said("This is a bzip2 archive. Unpack it and upload the file inside.")),
    (b"\xfd7zXZ", said("This is an xz archive. Unpack it and upload the file inside.")),
    (
        b"\xd0\xcf\x11\xe0",
        said("This is a spreadsheet in an old format, or one with a password. Save it as xlsx."),
    ),
    (b"%PDF", said("This is a PDF. Upload a CSV, Excel or Parquet file.")),
)


class FileKind(NamedTuple):
    """ "csv", "parquet" or "xlsx", what it is packed into, if it is, and the files inside."""

    format: str
    packed: str = ""
    files: tuple[PackedFile, ...] = ()


class CsvLayout(NamedTuple):
    """How a CSV file is written: its delimiter and the cells of its first line, as they stand."""

    delimiter: str
    cells: tuple[str, ...]


def kind_of(path: Path) -> FileKind:
    """Raises Refused for what is clearly something else."""
    with path.open("rb") as file:
        start = file.read(512)
    if not start:
        raise Refused(_EMPTY)
    if start.startswith(_PARQUET):
        return FileKind("parquet")
    if start.startswith(_ZIP):
        return FileKind("xlsx") if is_workbook(path) else _kind_of_files(files_in(path))
    packed = GZIP if start.startswith(_GZIP) else ""
    if packed:
        start = _start_of(path, packed)
        if start.startswith((_GZIP, *_ZIP, _PARQUET)):
            raise Refused(said("Pack one CSV file alone, once. Upload Parquet as it is."))
    _check_start(start)
    return FileKind("csv", packed)


def _kind_of_files(files: tuple[PackedFile, ...]) -> FileKind:
    """All of one format: rows of two formats would be one table by chance alone."""
    formats: dict[str, PackedFile] = {}
    for file in files:
        with file.naming():
            formats.setdefault(_format_of(file), file)
    if len(formats) > 1:
        raise Refused(
            said(
                "The archive holds both CSV and Parquet: “{csv}” and “{parquet}”. Pack files of "
                "one kind alone.",
                csv=formats["csv"].name,
                parquet=formats["parquet"].name,
            )
        )
    return FileKind(next(iter(formats)), ZIP, files)


def _format_of(file: PackedFile) -> str:
    start = _start_of(file, ZIP)
    if not start:
        raise Refused(_EMPTY)
    if start.startswith(_PARQUET):
        return "parquet"
    if start.startswith((_GZIP, *_ZIP)):
        raise Refused(
            said("This file is an archive itself. Pack CSV or Parquet files alone, once.")
        )
    _check_start(start)
    return "csv"


def _start_of(source: Source, packed: str) -> bytes:
    inner, _position = unpacked(source, packed)
    with inner:
        return inner.read(512) or b""


def _check_start(start: bytes) -> None:
    for mark, message in _KNOWN:
        if start.startswith(mark):
            raise Refused(message)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"<", b"{", b"["):
        raise Refused(
            said("This looks like a web page or JSON. Upload a CSV, Excel or Parquet file.")
        )


def csv_layout(source: Source, reading: FileFormat) -> CsvLayout:
    """Read the first line: unless it is said, its delimiter is the one that occurs most in it."""
    text = _first_line(source, reading)
    delimiter = reading.delimiter or max(DELIMITERS, key=text.splitlines()[0].count)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        names = next(reader)
    except csv.Error as problem:
        raise Refused(
            said("The header line cannot be read: a quotation mark is not closed.")
        ) from problem
    if reading.header and any("\n" in name or "\r" in name for name in names):
        raise Refused(said("A column name runs over more than one line. Give it a one-line name."))
    return CsvLayout(delimiter, tuple(names))


def _first_line(source: Source, reading: FileFormat) -> str:
    with open_text(source, reading).stream as file:
        line = file.readline(MAX_HEADER_BYTES + 1)
    if len(line) > MAX_HEADER_BYTES and b"\r" not in line:
        raise Refused(said("The header line is too long. Is the first line the column names?"))
    if not line.endswith((b"\n", b"\r")) and b"\r" not in line:
        raise Refused(
            said("The file has one line only. It needs column names and rows below them.")
        )
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Refused(
            said("This is not a table that can be read. Save it as CSV in UTF-8, Excel or Parquet.")
        ) from problem
    if not text.strip():
        raise Refused(said("The first line is empty. It must hold the column names."))
    return text


# A number, in either spelling, that is not a year; a date. Names of columns look otherwise.
_VALUE = re.compile(r"[+-]?[0-9]+([.,][0-9]+)*|[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}")
_YEAR = re.compile(r"(19|20)[0-9]{2}")


def looks_like_values(cells: tuple[str, ...]) -> bool:
    """Whether a first line holds a row rather than names. Only its owner is told."""
    found = [cell.strip() for cell in cells]
    return any(_VALUE.fullmatch(cell) and not _YEAR.fullmatch(cell) for cell in found)


def names_of(cells: tuple[str, ...], *, header: bool) -> tuple[str, ...]:
    """The names of the columns: these cells, or their numbers; raises Refused."""
    if header:
        return check_names(cells)
    _check_width(cells)
    return tuple(f"column_{place}" for place, _cell in enumerate(cells, start=1))


def check_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names with spaces around them removed; refuses too many, empty, long or repeated ones."""
    _check_width(names)
    seen: set[str] = set()
    for place, name in enumerate((name.strip() for name in names), start=1):
        _check_name(name, place)
        if name in seen:
            raise Refused(said("Two columns are called “{name}”. Rename one of them.", name=name))
        seen.add(name)
    return tuple(name.strip() for name in names)


def _check_width(cells: tuple[str, ...]) -> None:
    if len(cells) > MAX_COLUMNS:
        raise Refused(
            said(
                "The file has {number:,} columns; at most {most} can be registered. Leave out "
                "those that nobody will ask about.",
                number=len(cells),
                most=MAX_COLUMNS,
            )
        )


def _check_name(name: str, place: int) -> None:
    if not name:
        raise Refused(
            said(
                "Column {place} has no name. Name it in the first line, or remove it.", place=place
            )
        )
    if len(name) > MAX_NAME_LENGTH:
        raise Refused(
            said(
                "The name of column {place} is longer than {most} characters.",
                place=place,
                most=MAX_NAME_LENGTH,
            )
        )
    if not name.isprintable():
        raise Refused(
            said("The name of column {place} has invisible characters. Rename it.", place=place)
        )


def check_text(source: Source, reading: FileFormat, *, most: int | None = None) -> None:
    """Read the whole text once, or its first `most` bytes: UTF-8 throughout, and no NUL bytes."""
    clean, left = CleanText(), most
    with open_text(source, reading).stream as file:
        while chunk := file.read(_CHUNK if left is None else min(_CHUNK, left)):
            left = None if left is None else left - len(chunk)
            clean.add(chunk)
        whole = not file.read(1)
    if whole:
        clean.end()
