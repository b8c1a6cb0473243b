"""What comes out of a gzip or zip archive: a stream that may not grow without end, or a file.

A text is never unpacked to disk. A Parquet file has to be, because it is read from its end: one at
a time, into a file that has no name, so that the system takes it back however this process ends.
No name in an archive is used as one. What an archive says of its own size is a bound that is held,
and not believed: bytes are counted as they come out.
"""

import gzip
import io
import shutil
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, cast

from dpgov.engines.ingest.limits import largest_unpacked, most_written
from dpgov.engines.ingest.refusal import Refused
from dpgov.language.said import said

DAMAGED = said("The archive is damaged or not complete. Pack it again, or upload the file inside.")
_CHUNK = 1 << 20
# Of an entry whose own beginning says something else than the directory, or lies elsewhere.
_WRONG = (
    OSError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
)


class Unpacked(io.RawIOBase):
    """The bytes inside; raises Refused where there are too many of them, or none to be had."""

    def __init__(self, inner: IO[bytes], archive: IO[bytes] | None, most: int) -> None:
        self._inner, self._archive, self._left = inner, archive, most

    def readable(self) -> bool:
        """It is."""
        return True

    def close(self) -> None:
        """With the archive, if it is of this file alone."""
        self._inner.close()
        if self._archive is not None:
            self._archive.close()
        super().close()

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """The next bytes."""
        try:
            chunk = self._inner.read(len(buffer))
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as problem:
            raise Refused(DAMAGED) from problem
        self._left -= len(chunk)
        if self._left < 0:
            raise too_large()
        buffer[: len(chunk)] = chunk
        return len(chunk)


def too_large() -> Refused:
    """For what unpacks to more than it may."""
    return Refused(said("The file unpacks to more than 100 times its size. Export it again."))


@dataclass(frozen=True, slots=True)
class PackedFile:
    """One file in an open zip archive that lies in `folder`.

    `most` is how many bytes everything in the archive may hold, `alone` whether there is no other:
    then nobody needs to be told which one is meant.
    """

    archive: zipfile.ZipFile
    entry: zipfile.ZipInfo
    folder: Path
    most: int
    alone: bool

    @property
    def name(self) -> str:
        """As its owner knows it; never a path."""
        return self.entry.filename

    @property
    def content(self) -> tuple[int, int]:
        """What is the same of two files of the same bytes: whoever reads it to its end knows that
        the archive says the truth."""
        return self.entry.CRC, self.entry.file_size

    def opened(self) -> tuple[io.RawIOBase, Callable[[], int]]:
        """Its bytes, and how many of the archive's are read of them so far; raises Refused."""
        try:
            inner = self.archive.open(self.entry)
        except _WRONG as problem:
            raise Refused(DAMAGED) from problem
        return Unpacked(inner, None, self.most), self._position

    def _position(self) -> int:
        at = self.archive.fp.tell() if self.archive.fp else 0
        return max(0, min(at - self.entry.header_offset, self.entry.compress_size))

    @contextmanager
    def on_disk(self) -> Iterator[Path]:
        """The file unpacked, by a name that holds in this process alone; raises Refused."""
        if self.entry.file_size > (most := most_written()):
            raise Refused(
                said(
                    "Unpacked, it is larger than {megabytes:,} MB. Split it into smaller files.",
                    megabytes=most // 1_000_000,
                )
            )
        stream, _position = self.opened()
        with stream, TemporaryFile(dir=self.folder) as laid:
            shutil.copyfileobj(stream, laid, _CHUNK)
            laid.flush()
            yield Path(f"/proc/self/fd/{laid.fileno()}")

    @contextmanager
    def naming(self) -> Iterator[None]:
        """What is refused within is about this file, and says so where there are others."""
        try:
            yield
        except Refused as refusal:
            if self.alone:
                raise
            words = said("“{file}”: {problem}", file=self.name, problem=refusal.args[0])
            raise Refused(words, field=refusal.field, column=refusal.column) from refusal


Source = Path | PackedFile
"""A file as it was sent, or one of those in a zip archive."""


def about(source: Source) -> AbstractContextManager[None]:
    """What is refused within is about this file, which is named where it is one of several."""
    return source.naming() if isinstance(source, PackedFile) else nullcontext()


def unpacked(source: Source, packed: str) -> tuple[io.RawIOBase, Callable[[], int]]:
    """The file inside, and how many bytes of the archive are read so far; `packed` as in Reading.

    Of a zip archive each file is a source of its own.
    """
    if isinstance(source, PackedFile):
        return source.opened()
    if not packed:
        plain = io.FileIO(source)
        return plain, plain.tell
    raw = source.open("rb")
    inner = cast("IO[bytes]", gzip.GzipFile(fileobj=raw, mode="rb"))
    return Unpacked(inner, raw, largest_unpacked(source.stat().st_size)), raw.tell
