"""Archives of several files that nobody should send, each made by the test that needs it."""

import io
import stat
import warnings
import zipfile
from collections.abc import Iterable

import pyarrow as pa

from tests.unit.engines.hostile_files import Hostile, parquet_of, run_length_bomb, zipped
from tests.unit.engines.workbooks import workbook

CSV = b"n,b\n1,2\n"
PART = parquet_of(pa.table({"n": [1], "b": ["x"]}))
# Eight megabytes, which are eight kilobytes in an archive.
_ZEROS = b"n\n" + b"0\n" * 4_000_000


def entries(pairs: Iterable[tuple[str, bytes]], **changes: int) -> bytes:
    """A zip archive with these entries in this order; names may come twice."""
    sink = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore", UserWarning)
        for name, content in pairs:
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            for attribute, value in changes.items():
                setattr(entry, attribute, value)
            archive.writestr(entry, content)
    return sink.getvalue()


def _link() -> bytes:
    kind = (stat.S_IFLNK | 0o777) << 16
    return entries([("a.csv", b"/etc/passwd")], create_system=3, external_attr=kind)


def _locked() -> bytes:
    """Its second file needs a password, as the directory says."""
    found = bytearray(zipped({"a.csv": CSV, "b.csv": CSV}))
    second = found.rindex(b"PK\x01\x02")
    found[second + 8] |= 1
    return bytes(found)


def _overlapping() -> bytes:
    """Its directory lists the same packed bytes fifty times, under other names."""
    content = bytearray(zipped({"f00.csv": _ZEROS}))
    start, end = content.index(b"PK\x01\x02"), content.index(b"PK\x05\x06")
    line = content[start:end]
    lines = b"".join(line.replace(b"f00", b"f%02d" % number) for number in range(50))
    found = content[:start] + lines + content[end:]
    place = len(content[:start] + lines)
    found[place + 8 : place + 12] = (50).to_bytes(2, "little") * 2
    found[place + 12 : place + 16] = len(lines).to_bytes(4, "little")
    return bytes(found)


def _claiming(size: int) -> bytes:
    """Its second file says of itself that it is so large."""
    found = bytearray(zipped({"a.csv": CSV, "b.csv": CSV}))
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = found.rindex(mark) + place
        found[at : at + 4] = size.to_bytes(4, "little")
    return bytes(found)


def _damaged() -> bytes:
    """A byte of its second file is another one than was packed."""
    found = bytearray(entries([("a.csv", CSV), ("b.csv", CSV)], compress_type=zipfile.ZIP_STORED))
    found[found.rindex(b"1,2")] = ord("9")
    return bytes(found)


def _other_beginning() -> bytes:
    """Its second file is called in no encoding where it begins."""
    found = bytearray(zipped({"a.csv": CSV, "bé.csv": CSV}))
    found[found.index("é".encode())] = 0xFF
    return bytes(found)


def _far_away() -> bytes:
    """Its second file begins where no number of a disk leads, by the directory."""
    found = bytearray(zipped({"a.csv": CSV, "b.csv": CSV}))
    line, end = found.rindex(b"PK\x01\x02"), found.rindex(b"PK\x05\x06")
    found[line + 42 : line + 46] = b"\xff" * 4
    place = b"\1\0\x08\0" + b"\xff" * 8
    found[line + 30 : line + 32] = len(place).to_bytes(2, "little")
    found[end:end] = place
    size = int.from_bytes(found[end + len(place) + 12 : end + len(place) + 16], "little")
    found[end + len(place) + 12 : end + len(place) + 16] = (size + len(place)).to_bytes(4, "little")
    return bytes(found)


def _two(one: bytes, other: bytes, kind: str = "csv") -> Hostile:
    return lambda: zipped({f"a.{kind}": one, f"b.{kind}": other})


def _parts(**columns: object) -> Hostile:
    return _two(PART, parquet_of(pa.table(columns)), "parquet")


def _at_zone(zone: str) -> bytes:
    """A Parquet file with one moment in this time zone, as it says."""
    return parquet_of(pa.table({"n": pa.array([1], pa.timestamp("us", tz=zone))}))


HOSTILE: dict[str, tuple[Hostile, str]] = {
    "more than it may, by its own word": (lambda: _claiming(3_000_000_000), "100 times its size"),
    "less than there is, by its own word": (lambda: _claiming(3), "damaged"),
    "the same bytes fifty times": (_overlapping, "100 times its size|damaged"),
    "a thousand files and one": (
        lambda: zipped({f"{n}.csv": CSV for n in range(1_001)}),
        "too many files: 1,000",
    ),
    "a byte that was changed": (_damaged, "damaged"),
    "nothing at all": (lambda: zipped({}), "holds no file"),
    "another name at its beginning": (_other_beginning, "“bé.csv”: The archive is damaged"),
    "a beginning that lies nowhere": (_far_away, "“b.csv”: The archive is damaged"),
    "nothing but leavings": (
        lambda: entries([("data/", b""), ("__MACOSX/a.csv", CSV), (".DS_Store", b"x")]),
        "holds no file",
    ),
    "a name that climbs": (lambda: zipped({"../a.csv": CSV, "b.csv": CSV}), "leads out"),
    "a name that climbs in Windows": (lambda: entries([("x\\..\\..\\a.csv", CSV)]), "leads out"),
    "an absolute name": (lambda: entries([("/etc/a.csv", CSV)]), "leads out"),
    "a name on a drive": (lambda: entries([("C:\\a.csv", CSV)]), "leads out"),
    "a name that is turned round": (lambda: zipped({"a\u202evsc.csv": CSV}), "invisible"),
    "a very long name": (lambda: zipped({"a" * 201: CSV}), "more than 200"),
    "a link": (_link, "“a.csv” is a link"),
    "two files of one name": (
        lambda: entries([("a.csv", CSV), ("a.csv", CSV)]),
        "Two files in the archive are called “a.csv”",
    ),
    "a locked file": (_locked, "password"),
    "an archive in an archive": (
        _two(CSV, zipped({"c.csv": CSV})),
        "“b.csv”: This file is an arch",
    ),
    "a workbook in an archive": (
        _two(CSV, workbook({"s": [["n"]]})),
        "“b.csv”: This file is an arch",
    ),
    "CSV and Parquet": (
        lambda: zipped({"a.csv": CSV, "b.parquet": PART}),
        "both CSV and Parquet: “a.csv” and “b.parquet”",
    ),
    "a note beside the data": (
        lambda: zipped({"a.csv": CSV, "readme.txt": b"Hello,\nread me\n"}),
        "“readme.txt”: Its first line does not name “n”, as that of “a.csv” does",
    ),
    "a PDF beside the data": (_two(CSV, b"%PDF-1.7\n"), "“b.csv”: This is a PDF"),
    "an empty file": (_two(CSV, b""), "“b.csv”: The file is empty"),
    "columns in another order": (
        _two(CSV, b"b,n\n1,2\n"),
        "“b.csv”: Its columns are in another order than those of “a.csv”: “n” stands elsewhere",
    ),
    "another name": (_two(CSV, b"n,c\n1,2\n"), "“b.csv”: Its first line does not name “b”"),
    "a column less": (
        _two(CSV, b"n\n1\n"),
        "“b.csv”: It does not have as many columns as “a.csv”: 1 in place of 2",
    ),
    "another separator": (_two(CSV, b"n;b\n1;2\n"), "“b.csv”: It does not have as many"),
    "no names": (_two(CSV, b"4711,2\n3,4\n"), "“b.csv”: Its first line does not name “n”"),
    "two encodings": (
        _two("n,b\n1,é\n".encode(), "n,b\n1,é\n".encode("cp1252")),
        "“b.csv” is in another encoding",
    ),
    "UTF-16 and ASCII": (_two("n,b\n1,2\n".encode("utf-16"), CSV), "“b.csv” is in another enc"),
    "a Parquet file with a column less": (_parts(n=[1]), "“b.parquet”: It has no column “b”"),
    "a Parquet file with a column more": (
        _parts(n=[1], b=["x"], c=[1]),
        "“b.parquet”: It has a column “c”",
    ),
    "a Parquet file of other types": (
        _parts(n=["1"], b=["x"]),
        "“b.parquet”: “n” has the type string, and int64 in “a.parquet”",
    ),
    "a Parquet file with a time zone of its own": (
        _two(_at_zone("UTC"), _at_zone("\0\u202e" + "x" * 4_000), "parquet"),
        r"“b.parquet”: “n” has the type timestamp\[us, tz=\?\?x{,200}, and timestamp\[us, tz=",
    ),
    "a Parquet file cut short": (_two(PART, PART[:-20], "parquet"), "“b.parquet”: The file is dam"),
    "a Parquet bomb": (_two(PART, run_length_bomb(), "parquet"), "“b.parquet”: The file unpacks"),
}
"""Refused as soon as they are uploaded: how each is made, and what its owner reads."""
