"""The one text file in a gzip or zip archive, as a stream that may not grow without end.

Nothing is unpacked to disk and no name in an archive is used as one. What an archive says of its
own size is not believed: bytes are counted as they come out.
"""

import gzip
import io
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, cast

from dpgov.engines.ingest.limits import largest_unpacked
from dpgov.engines.ingest.reading import GZIP
from dpgov.engines.ingest.refusal import Refused
from dpgov.language.said import said

_MOST_ENTRIES = 1_000
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGED = said("The archive is damaged or not complete. Pack it again, or upload the file inside.")
_WORKBOOK = "xl/workbook.xml"


class Unpacked(io.RawIOBase):
    """The bytes inside; raises Refused where there are too many of them, or none to be had."""

    def __init__(self, inner: IO[bytes], archive: IO[bytes], most: int) -> None:
        self._inner, self._archive, self._left = inner, archive, most

    def readable(self) -> bool:
        """It is."""
        return True

    def close(self) -> None:
        """With the archive."""
        self._inner.close()
        self._archive.close()
        super().close()

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """The next bytes."""
        try:
            chunk = self._inner.read(len(buffer))
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as problem:
            raise Refused(_DAMAGED) from problem
        self._left -= len(chunk)
        if self._left < 0:
            raise Refused(
                said("The file unpacks to more than 100 times its size. Export it again.")
            )
        buffer[: len(chunk)] = chunk
        return len(chunk)


def unpacked(path: Path, packed: str) -> tuple[io.RawIOBase, Callable[[], int]]:
    """The file inside, and how many bytes of the archive are read so far."""
    if not packed:
        plain = io.FileIO(path)
        return plain, plain.tell
    raw = path.open("rb")
    most = largest_unpacked(path.stat().st_size)
    try:
        inner = _inside(raw, packed)
    except BaseException:
        raw.close()
        raise
    return Unpacked(inner, raw, most), raw.tell


def _inside(raw: IO[bytes], packed: str) -> IO[bytes]:
    if packed == GZIP:
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw, mode="rb"))
    archive = _archive(raw)
    return archive.open(_only_file(archive))


def is_workbook(path: Path) -> bool:
    """Whether a zip archive is a spreadsheet; raises Refused for one that cannot be read."""
    with path.open("rb") as raw:
        return _WORKBOOK in _archive(raw).namelist()


def check_workbook(path: Path) -> None:
    """Raises Refused for a spreadsheet that says itself that it unpacks to too much."""
    with path.open("rb") as raw:
        entries = _archive(raw).infolist()
    if sum(entry.file_size for entry in entries) > largest_unpacked(path.stat().st_size):
        raise Refused(said("The file unpacks to more than 100 times its size. Export it again."))
    for entry in entries:
        _check_entry(entry)


def _archive(raw: IO[bytes]) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(raw)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as problem:
        raise Refused(_DAMAGED) from problem
    if len(archive.infolist()) > _MOST_ENTRIES:
        raise Refused(said("The archive holds too many files. Pack one CSV file alone."))
    return archive


def _only_file(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    found = [entry for entry in archive.infolist() if not _is_by_the_way(entry)]
    if len(found) != 1:
        raise Refused(
            said(
                "The archive holds {number:,} files. Pack one CSV file alone.",
                number=len(found),
            )
        )
    _check_entry(found[0])
    return found[0]


def _is_by_the_way(entry: zipfile.ZipInfo) -> bool:
    """A folder, or what a file manager leaves there."""
    parts = entry.filename.split("/")
    return entry.is_dir() or parts[0] == "__MACOSX" or parts[-1].startswith(".")


def _check_entry(entry: zipfile.ZipInfo) -> None:
    if entry.flag_bits & _ENCRYPTED:
        raise Refused(said("The archive is locked by a password. Pack it without one."))
    if entry.compress_type not in _METHODS:
        raise Refused(said("The archive is packed in an unusual way. Pack it as plain zip."))
