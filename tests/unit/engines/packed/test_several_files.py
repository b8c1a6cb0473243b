"""M102: files in an archive become what one file of all their rows becomes, to the last code.

What could go wrong: a file that was registered comes again in pieces and is taken for other people;
somebody who is in two pieces counts twice; a piece gets lost, or is read as something else.
"""

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
import pytest

from dpgov.engines.fingerprint import TableFingerprint, as_json
from dpgov.engines.ingest.joining import opened
from dpgov.engines.ingest.recognised.fingerprint import hash_of_file
from dpgov.engines.ingest.request import Before, UnitNames
from dpgov.engines.ingest.sniff import kind_of
from dpgov.engines.ingest.store import StoredRows, store
from dpgov.engines.ingest.understood import understand
from dpgov.engines.likeness import Likeness, likeness
from tests.unit.engines.hostile_files import parquet_of, save, zipped
from tests.unit.engines.packed.hostile import CSV, PART, entries
from tests.unit.engines.tables import KEY, MEMORY, category, number
from tests.unit.engines.workbooks import workbook

COLUMNS = (number("n", "0", "99", "0.5"), category("sex", "f", "m"))
ROWS = [(f"{row % 37}.5", "fm"[row % 2], f"P{row // 3}") for row in range(300)]
NAMES = "n,sex,person"


class Read(NamedTuple):
    """What came of a file: counts, its fingerprint, and all that is stored."""

    stored: StoredRows
    tables: dict[str, list[Any]]


def _lines(rows: Sequence[tuple[str, ...]]) -> str:
    return "".join(",".join(row) + "\n" for row in rows)


def _csv(rows: Sequence[tuple[str, ...]]) -> bytes:
    return f"{NAMES}\n{_lines(rows)}".encode()


def _parquet(rows: Sequence[tuple[str, ...]]) -> bytes:
    numbers, sexes, people = zip(*rows, strict=True)
    columns = {"n": [float(one) for one in numbers], "sex": sexes, "person": people}
    return parquet_of(pa.table({name: list(column) for name, column in columns.items()}))


def read(folder: Path, content: bytes, *, unit: bool = False, **more: Any) -> Read:
    """As the reader's process does it, in this one."""
    folder.mkdir()
    source, target = save(folder, content), folder / "target"
    reading = understand(source, more.pop("wanted", {})).reading
    stored = store(
        opened(source, reading),
        target,
        columns=more.pop("columns", COLUMNS),
        max_rows=1_000,
        memory_bytes=MEMORY,
        key=KEY,
        unit=UnitNames("person", "", (), 2) if unit else None,
        **more,
    ).of_file(hash_of_file(source, reading, KEY))
    with duckdb.connect(str(target), read_only=True) as connection:
        names = [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
        return Read(stored, {name: connection.table(name).fetchall() for name in names})


def _as_values(fingerprint: TableFingerprint, *, file: bool) -> dict[str, Any]:
    found = as_json(fingerprint)
    return found if file else found | {"file": ""}


PIECES = (ROWS[:100], ROWS[100:101], ROWS[101:])
SPLIT: dict[str, list[bytes]] = {
    "each with the names": [_csv(piece) for piece in PIECES],
    "one without an end of line": [_csv(PIECES[0])[:-1], _csv(PIECES[1]), _csv(PIECES[2])],
    "one of them without a row": [_csv(ROWS[:150]), _csv([]), _csv(ROWS[150:])],
    "one alone": [_csv(ROWS)],
}


@pytest.mark.parametrize("unit", [False, True], ids=["rows", "people"])
@pytest.mark.parametrize("pieces", SPLIT.values(), ids=SPLIT)
def test_pieces_of_a_csv_file_become_what_the_file_becomes(
    tmp_path: Path, pieces: list[bytes], *, unit: bool
) -> None:
    """M102, F9: codes, ranks of people who are in two of them, cubes, and every fingerprint."""
    one = read(tmp_path / "one", _csv(ROWS), unit=unit)
    files = {f"part-{place:04}.csv": piece for place, piece in enumerate(pieces)}
    many = read(tmp_path / "many", zipped(files), unit=unit)
    assert many.tables == one.tables
    assert (many.stored.rows, many.stored.units) == (300, 100 if unit else None)
    assert many.stored.units == one.stored.units
    both = [_as_values(each.stored.fingerprint, file=True) for each in (one, many)]
    assert both[0] == both[1]


@pytest.mark.parametrize("unit", [False, True], ids=["rows", "people"])
def test_pieces_of_a_parquet_file_become_what_the_file_becomes(
    tmp_path: Path, *, unit: bool
) -> None:
    """M102, F9: deflated or stored; the order of a piece's columns is its own."""
    one = read(tmp_path / "one", _parquet(ROWS), unit=unit)
    pieces = [(f"data/part-{at:04}.parquet", _parquet(piece)) for at, piece in enumerate(PIECES)]
    for place, method in enumerate((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)):
        many = read(tmp_path / f"{place}", entries(pieces, compress_type=method), unit=unit)
        assert many.tables == one.tables
        found = [_as_values(each.stored.fingerprint, file=False) for each in (one, many)]
        assert found[0] == found[1]


def test_columns_of_parquet_files_go_by_their_names(tmp_path: Path) -> None:
    one = pa.table({"n": [1.0, 2.0], "sex": ["f", "m"], "person": ["a", "b"]})
    two = pa.table({"person": ["c"], "n": [3.0], "sex": pa.array(["f"]).dictionary_encode()})
    archive = zipped({"a": parquet_of(one), "b": parquet_of(two)})
    found = read(tmp_path / "read", archive).tables["data"]
    assert found == [(2, 0), (4, 1), (6, 0)]


def test_pieces_in_another_order_are_the_same_people(tmp_path: Path) -> None:
    """F9: as rows in another order are, and as another number of pieces."""
    one = read(tmp_path / "one", _csv(ROWS)).stored.fingerprint
    turned = {"a.csv": _csv(PIECES[2]), "b.csv": _csv(PIECES[0]), "c.csv": _csv(PIECES[1])}
    halves = {"a.parquet": _parquet(ROWS[150:]), "b.parquet": _parquet(ROWS[:150])}
    for place, files in enumerate((turned, halves)):
        other = read(tmp_path / f"{place}", zipped(files)).stored.fingerprint
        assert _as_values(other, file=False) == _as_values(one, file=False)
        assert likeness(one, other) is Likeness.EXACT


TRICKS: dict[str, list[bytes]] = {
    "plain": [b"w;x\n71,5;1,25\n2,5;3,75\n", b"w;x\n8,125;9,5\n"],
    "Windows": [b"w;x\r\n71,5;1,25\r\n2,5;3,75\r\n", b"w;x\r\n8,125;9,5\r\n"],
    "a mark each": [b"\xef\xbb\xbfw;x\n71,5;1,25\n", b"\xef\xbb\xbfw;x\n8,125;9,5\n"],
    "a mark on the first alone": [b"\xef\xbb\xbfw;x\n71,5;1,25\n", b"w;x\n8,125;9,5\n"],
    "UTF-16": ["w;x\n71,5;1,25\n".encode("utf-16"), "w;x\n8,125;9,5\n".encode("utf-16")],
}


@pytest.mark.parametrize("pieces", TRICKS.values(), ids=TRICKS)
def test_a_file_that_comes_in_pieces_with_another_mark_is_the_same(
    tmp_path: Path, pieces: list[bytes]
) -> None:
    """M102, F9: its cells are other ones then, as they are of the whole file."""
    columns = (number("w", "0", "99"),)
    first, second = pieces
    whole = first + second.split(b"\n", 1)[1].removeprefix(b"\0" if b"\0" in second else b"")
    comma = read(tmp_path / "one", whole, columns=columns, wanted={"decimal": ","})
    archive = zipped({"a.csv": first, "b.csv": second})
    point = read(tmp_path / "two", archive, columns=columns, wanted={"decimal": "."})
    assert comma.stored.fingerprint.rows.digest != point.stored.fingerprint.rows.digest
    assert likeness(comma.stored.fingerprint, point.stored.fingerprint) is Likeness.EXACT


LINES = ["w;x", "71,5;1,25", "2,5;3,75", "8,125;9,5"]
ENDS = {
    (encoding, repr(end)): (encoding, end)
    for encoding in ("utf-8", "utf-16-le", "utf-16-be")
    for end in ("\n", "\r\n", "\r")
}


def _text(lines: Sequence[str], encoding: str, end: str, *, last: bool) -> bytes:
    mark = "" if encoding == "utf-8" else "\ufeff"
    return (mark + end.join(lines) + end * last).encode(encoding)


@pytest.mark.parametrize("last", [True, False], ids=["whole lines", "an end missing"])
@pytest.mark.parametrize(("encoding", "end"), ENDS.values(), ids=map(str, ENDS))
def test_pieces_have_the_bytes_of_the_whole_however_lines_end(
    tmp_path: Path, encoding: str, end: str, *, last: bool
) -> None:
    """M102, F9: also where a piece ends without an end of line, and the last one has no row."""
    names, *rows = LINES
    cut = [rows[:1], rows[1:], []]
    pieces = [_text([names, *some], encoding, end, last=last) for some in cut[:2]]
    pieces.append(_text([names], encoding, end, last=True))
    archive = zipped({f"{place}.csv": piece for place, piece in enumerate(pieces)})
    found = [
        hash_of_file(save(tmp_path, content), {}, KEY)
        for content in (_text(LINES, encoding, end, last=last), archive)
    ]
    assert found[0] == found[1]


def test_an_end_of_line_may_be_cut_where_a_piece_is_read_on(tmp_path: Path) -> None:
    """M102, F9: a piece is hashed a megabyte at a time."""
    row = b"1" * ((1 << 20) - 1) + b"\r\n"
    first, second = b"w\r\n" + row, b"w\r\n2\r\n"
    whole, archive = first + b"2\r\n", zipped({"a.csv": first, "b.csv": second})
    found = [hash_of_file(save(tmp_path, content), {}, KEY) for content in (whole, archive)]
    assert found[0] == found[1]


def test_rows_that_are_added_may_come_in_pieces(tmp_path: Path) -> None:
    """M102, L2: whoever is there already and in two new files has the rows that one may have."""
    pieces = zipped({"a.csv": _csv(PIECES[1]), "b.csv": _csv(PIECES[2])})
    found = []
    for name, new in {"one": _csv(ROWS[100:]), "many": pieces}.items():
        read(tmp_path / f"{name}-before", _csv(ROWS[:100]), unit=True)
        before = Before(str(tmp_path / f"{name}-before" / "target"), ((0, None), (1, 2)))
        found.append(read(tmp_path / name, new, unit=True, before=before))
    # Without the numbers of units, which are given as the database comes by them.
    rows = [sorted((*row[:2], *row[3:]) for row in each.tables["data"]) for each in found]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 300
    assert found[0].tables["seen"] == found[1].tables["seen"]
    added = [each.stored.addition for each in found]
    assert added[0]
    assert added[1]
    assert _as_values(added[0], file=True) == _as_values(added[1], file=True)


def test_what_lies_beside_data_is_passed_over_and_names_give_the_order(tmp_path: Path) -> None:
    lying = [
        ("b/2.csv", b"n,b\n2,2\n"),
        ("b/", b""),
        ("__MACOSX/b/._2.csv", b"\0\5"),
        (".DS_Store", b"\0"),
        ("b/.ipynb_checkpoints/2-checkpoint.csv", b"n,b\n9,9\n"),
        ("b/_SUCCESS", b""),
        ("b/.part-0000.parquet.crc", b"crc"),
        ("a/1.csv", b"n,b\n1,1\n"),
    ]
    source = save(tmp_path, entries(lying))
    assert [file.name for file in kind_of(source).files] == ["a/1.csv", "b/2.csv"]
    table = opened(source, {})
    assert [one for batch in table.batches for one in batch.column(0).to_pylist()] == ["1", "2"]


def test_a_quotation_mark_that_stays_open_ends_with_its_file(tmp_path: Path) -> None:
    """M102: it swallows no row of the next one."""
    archive = zipped({"a.csv": b'n,b\n1,"2', "b.csv": CSV})
    found = opened(save(tmp_path, archive), {})
    assert [batch.column(0).to_pylist() for batch in found.batches] == [["1"], ["1"]]


def test_a_workbook_is_no_archive_of_files(tmp_path: Path) -> None:
    """M102: nor is an archive of files one because it holds a sheet of another program."""
    assert kind_of(save(tmp_path, workbook({"s": [["n"], [1]]}))).format == "xlsx"
    kinds = {
        kind_of(save(tmp_path, zipped(files)))[:2]
        for files in ({"xl/data.csv": CSV, "xl/more.csv": CSV}, {"workbook.xml.csv": CSV})
    }
    assert kinds == {("csv", "zip")}
    assert kind_of(save(tmp_path, zipped({"a": PART})))[:2] == ("parquet", "zip")


def test_what_the_owner_is_told_of_an_archive(tmp_path: Path) -> None:
    source = save(tmp_path, zipped({"b.csv": CSV, "a.csv": CSV, "c.csv": CSV}))
    told = {"packed": "zip", "files": 3, "first_file": "a.csv", "last_file": "c.csv"}
    found = understand(source, {})
    assert (found.format, found.headers) == ("csv", ("n", "b"))
    assert found.reading.items() >= {**told, "unpacked_bytes": 3 * len(CSV)}.items()
