"""L10, I1: archives and workbooks that are small and unpack without end, refused in words."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from dpgov.engines import child
from dpgov.engines.child import Limits, RefusedFile
from dpgov.engines.ingest.packed import archive, packing
from dpgov.engines.ingest.reading import GZIP, ZIP, FileFormat
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.sniff import check_text, kind_of
from tests.unit.engines.hostile_files import save, zipped
from tests.unit.engines.workbooks import packed, workbook

LIMITS = Limits(memory_bytes=200_000_000, seconds=60)
_ALLOWED = 100_000
_ROWS = b"n\n" + b"1\n" * _ALLOWED


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound that a test can pass without a gigabyte."""
    for module in (archive, packing):
        monkeypatch.setattr(module, "largest_unpacked", lambda _size: _ALLOWED)


def lying_zip() -> bytes:
    """An archive that says that what is in it is ten bytes long."""
    found = bytearray(zipped({"a.csv": _ROWS}))
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = found.index(mark) + place
        found[at : at + 4] = (10).to_bytes(4, "little")
    return bytes(found)


@pytest.mark.parametrize(
    ("made", "kind", "reason"),
    [
        (lambda: gzip.compress(_ROWS), GZIP, "100 times its size"),
        (lambda: gzip.compress(b"n\n") + gzip.compress(_ROWS), GZIP, "100 times its size"),
        (lambda: zipped({"a.csv": _ROWS}), ZIP, "100 times its size"),
        (lying_zip, ZIP, "damaged"),
    ],
    ids=["gzip", "gzip in members", "zip", "a zip that lies"],
)
@pytest.mark.usefixtures("little")
def test_an_archive_is_counted_as_it_comes_out(
    tmp_path: Path, made: Callable[[], bytes], kind: str, reason: str
) -> None:
    """L10: whatever it says of its own size."""
    source = save(tmp_path, made())
    assert source.stat().st_size < _ALLOWED / 50
    with pytest.raises(Refused, match=reason):
        for file in kind_of(source).files or (source,):
            check_text(file, FileFormat(packed=kind))


@pytest.mark.usefixtures("little")
def test_a_workbook_that_says_that_it_is_too_large_is_not_opened(tmp_path: Path) -> None:
    """L10: before a byte of it is parsed."""
    source = save(tmp_path, workbook({"s": [["n"], *([1] for _ in range(5_000))]}))
    with pytest.raises(Refused, match="100 times its size"):
        archive.check_workbook(source)


HUGE = {
    "two cells in opposite corners": '<c r="A1"><v>1</v></c></row><row r="1048576">'
    '<c r="XFD1048576"><v>1</v></c>',
    "more rows than there are": '<c r="A1"><v>1</v></c></row><row r="4294967295">'
    '<c r="A4294967295"><v>1</v></c>',
}


@pytest.mark.parametrize("cells", HUGE.values(), ids=HUGE)
def test_a_sheet_of_a_few_cells_that_spans_billions_is_refused(tmp_path: Path, cells: str) -> None:
    """L10, I1: a few hundred bytes; the reader dies or declines, and we hardly notice."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = f'<worksheet xmlns="{main}"><sheetData><row r="1">{cells}</row></sheetData></worksheet>'
    with pytest.raises(RefusedFile, match=r"memory|damaged"):
        child.inspect(save(tmp_path, packed({"s": sheet})), limits=LIMITS)


def test_entities_of_a_workbook_are_not_multiplied(tmp_path: Path) -> None:
    """L10: a billion laughs stay unsaid."""
    laughs = "".join(
        f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' if n else '<!ENTITY l0 "ha">' for n in range(10)
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    cell = '<c r="A1" t="inlineStr"><is><t>&l9;</t></is></c>'
    rows = f'<sheetData><row r="1">{cell}</row></sheetData>'
    sheet = f'<!DOCTYPE x [{laughs}]><worksheet xmlns="{main}">{rows}</worksheet>'
    with pytest.raises(RefusedFile):
        child.inspect(save(tmp_path, packed({"s": sheet})), limits=LIMITS)
