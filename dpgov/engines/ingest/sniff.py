"""What a file is, by its content and never by its name.

Looks at bytes only: decides between CSV and Parquet, refuses everything else by what it is.
"""

import codecs
import csv
import io
from dataclasses import dataclass
from pathlib import Path

from dpgov.engines.ingest.limits import MAX_COLUMNS, MAX_HEADER_BYTES, MAX_NAME_LENGTH
from dpgov.engines.ingest.refusal import Refused
from dpgov.language.said import said

_PARQUET = b"PAR1"
_DELIMITERS = ",;\t"
_CHUNK = 1 << 20
_KNOWN = (
    (b"\x1f\x8b", said("This is a gzip archive. Unpack it and upload the CSV or Parquet inside.")),
    (
        b"PK\x03\x04",
        said("This is a zip archive or a spreadsheet. Save it as CSV and upload that."),
    ),
    (b"\x28\xb5\x2f\xfd", said("This is a zstd archive. Unpack it and upload the file inside.")),
    (b"BZh", said("This is a bzip2 archive. Unpack it and upload the file inside.")),
    (b"\xfd7zXZ", said("This is an xz archive. Unpack it and upload the file inside.")),
    (b"\xd0\xcf\x11\xe0", said("This is a spreadsheet. Save it as CSV and upload that.")),
    (b"%PDF", said("This is a PDF. Upload a CSV or Parquet file.")),
    (b"\xff\xfe", said("This text is in UTF-16. Save it as UTF-8 and upload that.")),
    (b"\xfe\xff", said("This text is in UTF-16. Save it as UTF-8 and upload that.")),
)


@dataclass(frozen=True, slots=True)
class CsvLayout:
    """How a CSV file is written: its delimiter and the names in its first line, as they stand."""

    delimiter: str
    names: tuple[str, ...]


def format_of(path: Path) -> str:
    """ "parquet" or "csv"; raises Refused for what is clearly something else."""
    with path.open("rb") as file:
        start = file.read(512)
    if not start:
        raise Refused(said("The file is empty."))
    if start.startswith(_PARQUET):
        return "parquet"
    for mark, message in _KNOWN:
        if start.startswith(mark):
            raise Refused(message)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"<", b"{", b"["):
        raise Refused(said("This looks like a web page or JSON. Upload a CSV or Parquet file."))
    return "csv"


def csv_layout(path: Path) -> CsvLayout:
    """Read the header line: its delimiter is the one of `,` `;` tab that occurs most in it."""
    text = _header_text(path)
    delimiter = max(_DELIMITERS, key=text.splitlines()[0].count)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        names = next(reader)
    except csv.Error as problem:
        raise Refused(
            said("The header line cannot be read: a quotation mark is not closed.")
        ) from problem
    if any("\n" in name or "\r" in name for name in names):
        raise Refused(said("A column name runs over more than one line. Give it a one-line name."))
    return CsvLayout(delimiter, tuple(names))


def _header_text(path: Path) -> str:
    with path.open("rb") as file:
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
        raise Refused(said("The header line is not UTF-8. Save the file as UTF-8.")) from problem
    if not text.strip():
        raise Refused(said("The first line is empty. It must hold the column names."))
    return text


def check_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names with spaces around them removed; refuses too many, empty, long or repeated ones."""
    if len(names) > MAX_COLUMNS:
        raise Refused(
            said(
                "The file has {number} columns; at most {most} can be registered. Leave out those "
                "that nobody will ask about.",
                number=f"{len(names):,}",
                most=MAX_COLUMNS,
            )
        )
    seen: set[str] = set()
    for place, name in enumerate((name.strip() for name in names), start=1):
        _check_name(name, place)
        if name in seen:
            raise Refused(said("Two columns are called “{name}”. Rename one of them.", name=name))
        seen.add(name)
    return tuple(name.strip() for name in names)


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


def check_text(path: Path, *, most: int | None = None) -> None:
    """Read the whole file once, or its first `most` bytes: UTF-8 throughout, and no NUL bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, left = 1, path.stat().st_size if most is None else most
    with path.open("rb") as file:
        while chunk := file.read(min(_CHUNK, left)):
            left -= len(chunk)
            if b"\0" in chunk:
                line += chunk[: chunk.index(b"\0")].count(b"\n")
                raise Refused(
                    said(
                        "Line {line} has a NUL byte, so this is not a CSV text file.",
                        line=f"{line:,}",
                    )
                )
            _check_encoding(decoder, chunk, line)
            line += chunk.count(b"\n")
        whole = not file.read(1)
    if whole:
        _check_encoding(decoder, b"", line, final=True)


def _check_encoding(
    decoder: codecs.IncrementalDecoder, chunk: bytes, line: int, *, final: bool = False
) -> None:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError as problem:
        line += chunk[: problem.start].count(b"\n")
        raise Refused(
            said(
                "Line {line} is not UTF-8; the file seems to mix encodings. Save it as UTF-8.",
                line=f"{line:,}",
            )
        ) from problem
