"""Files that nobody should send, each made by the test that needs it."""

import base64
import gzip
import io
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

Hostile = Callable[[], bytes]


def parquet_of(table: pa.Table, **options: object) -> bytes:
    """A Parquet file in memory."""
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


# Made by writing 250 million equal numbers into one page of one row group; it takes pyarrow half
# a minute to make, hence the 490 bytes themselves (compressed once more, in base64).
_RUN_LENGTH_BOMB = (
    b"eNoLcAwyFGURFRAV8RFlEmUQYmDgkGFngABRBlE5USUd0YaGBgegCjZRNhmgKL8FK5AEiTEygkiGQa791FY9DO1A"
    b"MaB2IAnULqljyiDBVpyckZqbKMoEFFBlkmDMYxADSr9jlPSRlFFjkAGqMmVgE5AESogyiYHsFSsTq1OzUOPQ1AE6"
    b"gAGkjwFoCxODjSabpBrYfUB7gIpALDUOsToGfOZsY1RrYyTKpDZGAkZtYVJrYSLKqBYmHEYBgwVs1CZmtSZmHEaB"
    b"gg5iFJAFVAY0SkOhILGosDS1RDe5oEA3sagov1yhLLWoODM/T8HITM9Az1BSBhQFRYwMDAHAVAcA+t9q6w=="
)


def run_length_bomb() -> bytes:
    """490 bytes that decode to 2 GB: one number, 250 million times."""
    return zlib.decompress(base64.b64decode(_RUN_LENGTH_BOMB))


def dictionary_bomb() -> bytes:
    """One text of 1 MB, named 99,999 times by its number: 100 GB if it were written out."""
    values = pa.array(["x" * 1_000_000, "x"])
    places = pa.concat_arrays([_zeros(99_999), pa.array([1], pa.int32())])
    column = pa.DictionaryArray.from_arrays(places, values)
    return parquet_of(pa.table({"n": column}), compression="zstd")


def compressed_page_bomb() -> bytes:
    """300 MB of one letter in a page that is compressed to a few kilobytes."""
    table = pa.table({"n": ["x" * 300_000_000]})
    return parquet_of(table, compression="zstd", use_dictionary=False, write_statistics=False)


def _zeros(count: int) -> pa.Array:
    return pa.repeat(pa.scalar(0, pa.int32()), count)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip archive of these files."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return sink.getvalue()


def locked_zip() -> bytes:
    """A zip archive whose one file says that it needs a password."""
    found = bytearray(zipped({"a.csv": b"a\n1\n"}))
    found[6] |= 1
    found[found.index(b"PK\x01\x02") + 8] |= 1
    return bytes(found)


HEADERS: dict[str, tuple[Hostile, str]] = {
    "empty": (lambda: b"", "is empty"),
    "one line": (lambda: b"a,b", "one line only"),
    "a bomb in gzip": (lambda: gzip.compress(gzip.compress(b"a,b\n" * 99)), "once"),
    "Parquet in gzip": (lambda: gzip.compress(parquet_of(pa.table({"a": [1]}))), "once"),
    "gzip cut short": (lambda: gzip.compress(b"a,b\n1,2\n")[:-12], "damaged"),
    "an empty zip": (lambda: zipped({}), "holds no file"),
    "thousands of files in zip": (
        lambda: zipped({f"{n}": b"" for n in range(1_001)}),
        "too many files",
    ),
    "zip with a password": (locked_zip, "password"),
    "a zip cut short": (lambda: zipped({"a.csv": b"a\n1\n"})[:-8], "damaged"),
    "a workbook that is none": (lambda: zipped({"xl/workbook.xml": b"<x/>"}), "damaged"),
    "100,000 columns": (
        lambda: ",".join(f"c{n}" for n in range(100_000)).encode() + b"\n1\n",
        "100,000 columns",
    ),
    "2,000 columns in Parquet": (
        lambda: parquet_of(pa.table({f"c{n}": [1] for n in range(2_000)})),
        "2,000 columns",
    ),
    "a header without end": (lambda: b"x" * 3_000_000, "too long"),
    "NUL in the body": (lambda: b"a,b\n1,2\n3,\0\n", "Line 3 has a NUL"),
    "NUL in the header": (lambda: b"a,\0b\n1,2\n", "invisible|NUL"),
    "Latin-1 after UTF-8": (
        lambda: "name\nZürich\n".encode() + "Genève\n".encode("latin-1"),
        "Line 3 is not UTF-8",
    ),
    "a character cut at the end": (lambda: "é\n1\n".encode() + b"\xc3", "not UTF-8"),
    "bytes of no encoding": (lambda: b"a\n\x81\n", "not UTF-8"),
    "half a character of UTF-16": (lambda: b"\xff\xfea\x00\n\x00\x00\xd8", "cannot be read in"),
    "duplicate headers": (lambda: b"a,b, a \n1,2,3\n", "Two columns are called"),
    "a column without a name": (lambda: b"a,,c\n1,2,3\n", "Column 2 has no name"),
    "a very long name": (lambda: b"a," + b"n" * 201 + b"\n1,2\n", "longer than 200"),
    "control characters": (lambda: b"a,b\x1b[31m\n1,2\n", "invisible"),
    "an open quotation mark": (lambda: b'a,"b\n1,2\n', "quotation"),
    "HTML": (lambda: b"<!doctype html><script>alert(1)</script>", "web page"),
    "JSON": (lambda: b'[{"a": 1}]', "JSON"),
    "an old spreadsheet": (lambda: b"\xd0\xcf\x11\xe0" + bytes(100), "old format"),
    "noise that calls itself zip": (lambda: b"PK\x03\x04" + bytes(100), "damaged"),
    "PDF": (lambda: b"%PDF-1.7\n", "PDF"),
    "truncated Parquet": (lambda: parquet_of(pa.table({"a": list(range(1000))}))[:-20], "damaged"),
    "only the mark of Parquet": (lambda: b"PAR1", "damaged"),
    "a Parquet footer of noise": (
        lambda: b"PAR1" + b"\x15" * 5000 + (5000).to_bytes(4, "little") + b"PAR1",
        "damaged|could not be read",
    ),
    "Parquet with equal names": (
        lambda: parquet_of(pa.table([[1], [2]], names=["a", "a"])),
        "Two columns are called",
    ),
    "nothing but lists and bytes in Parquet": (
        lambda: parquet_of(pa.table({"a": [[1, 2]], "b": [b"x"]})),
        "Every column holds lists",
    ),
    "a run-length bomb": (run_length_bomb, "unpacks to far more"),
}
"""Refused as soon as they are uploaded: how each is made, and what its owner reads."""


def save(folder: Path, content: bytes) -> Path:
    """Put the content under a name that says nothing about it."""
    path = folder / "0e4c"
    path.write_bytes(content)
    return path
