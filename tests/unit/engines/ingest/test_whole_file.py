"""F9: what a file is known by, whatever it is taken for."""

import gzip
from pathlib import Path
from typing import Any

from dpgov.engines.ingest.recognised.fingerprint import hash_of_file
from tests.unit.engines.hostile_files import zipped
from tests.unit.engines.tables import KEY
from tests.unit.engines.workbooks import workbook

TEXT = "age;sex\n71,5;f\n71.250;m\n".encode("cp1252")


def _hash(path: Path, content: bytes, key: bytes = KEY, **reading: Any) -> str:
    path.write_bytes(content)
    return hash_of_file(path, reading, key)


def test_a_file_is_the_same_however_it_is_read(tmp_path: Path) -> None:
    """F9: by mark, separator, encoding and header, and whatever sheet was named beside a text."""
    path = tmp_path / "file"
    readings: list[dict[str, Any]] = [
        {},
        {"decimal": ","},
        {"delimiter": ";", "encoding": "cp1252"},
        {"header": False, "sheet": "Data"},
    ]
    assert len({_hash(path, TEXT, **reading) for reading in readings}) == 1


def test_it_is_the_same_in_an_archive(tmp_path: Path) -> None:
    """F9: packed by others at another time."""
    path = tmp_path / "file"
    packed = [TEXT, gzip.compress(TEXT, mtime=1), gzip.compress(TEXT, 1), zipped({"a.csv": TEXT})]
    assert len({_hash(path, content) for content in packed}) == 1


def test_other_bytes_another_sheet_and_another_key_are_others(tmp_path: Path) -> None:
    """F9, L3: nobody who knows the file finds it without the key of the installation."""
    path, book = tmp_path / "file", workbook({"A": [["x"], [1]], "B": [["x"], [1]]})
    found = [
        _hash(path, TEXT),
        _hash(path, TEXT + b"\n"),
        _hash(path, TEXT, key=bytes(31) + b"1"),
        _hash(path, book, sheet="A"),
        _hash(path, book, sheet="B"),
    ]
    assert len(set(found)) == len(found)
    assert _hash(path, book, sheet="A", header=False) == found[3]
