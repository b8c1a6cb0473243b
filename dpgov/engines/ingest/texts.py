"""A text file as a stream of UTF-8, whatever it is written in and packed into.

An encoding is found by looking at the bytes: a mark at the start, or UTF-8 that holds. What is
neither is read as Windows-1252, which Latin-1 text is too, unless some of it is UTF-8 beyond doubt:
then two encodings are mixed and nothing is guessed.
"""

import codecs
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dpgov.engines.ingest.limits import LOOKED_AT_BYTES
from dpgov.engines.ingest.packing import unpacked
from dpgov.engines.ingest.reading import UTF8, Reading
from dpgov.engines.ingest.refusal import Refused
from dpgov.language.said import said

_CHUNK = 1 << 16
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WESTERN = "cp1252"


@dataclass(frozen=True, slots=True)
class Text:
    """Its bytes in UTF-8, and how many bytes of the file as it was sent are read so far."""

    stream: io.BufferedReader
    position: Callable[[], int]


class _Recoded(io.RawIOBase):
    """A text in another encoding, in UTF-8."""

    def __init__(self, inner: io.RawIOBase, encoding: str) -> None:
        self._inner, self._rest, self._ended = inner, b"", False
        self._decoder = codecs.getincrementaldecoder(encoding)()

    def readable(self) -> bool:
        """It is."""
        return True

    def close(self) -> None:
        """With what it reads from."""
        self._inner.close()
        super().close()

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """The next bytes; raises Refused where the text is in no such encoding."""
        while not self._rest and not self._ended:
            chunk = self._inner.read(_CHUNK) or b""
            self._ended = not chunk
            try:
                self._rest = self._decoder.decode(chunk, self._ended).encode()
            except UnicodeError as problem:
                raise Refused(
                    said(
                        "The text cannot be read in the encoding that was chosen. Save it as UTF-8."
                    )
                ) from problem
        taken = self._rest[: len(buffer)]
        self._rest = self._rest[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


def open_text(path: Path, reading: Reading) -> Text:
    """From its beginning; raises Refused for an archive of anything but one file."""
    inner, position = unpacked(path, reading.packed)
    if reading.encoding != UTF8:
        inner = _Recoded(inner, reading.encoding)
    return Text(io.BufferedReader(inner, _CHUNK), position)


def encoding_of(path: Path, packed: str) -> str:
    """By the file's beginning; UTF-8 where it is that, or nothing that could be read."""
    inner, _position = unpacked(path, packed)
    stream: io.BufferedReader = io.BufferedReader(inner, _CHUNK)
    with stream:
        return "utf-16" if stream.peek(2)[:2] in _UTF16 else _without_mark(stream)


def _without_mark(stream: io.BufferedReader) -> str:
    decoder = codecs.getincrementaldecoder(UTF8)()
    is_plain, left = True, LOOKED_AT_BYTES
    while chunk := stream.read(min(_CHUNK, left)):
        left -= len(chunk)
        try:
            decoder.decode(chunk)
        except UnicodeDecodeError as problem:
            is_plain = is_plain and problem.object[: problem.start].isascii()
            return _western(chunk, stream, left) if is_plain else UTF8
        # A character that a chunk's end cuts in two is no character yet.
        is_plain = is_plain and chunk[: len(chunk) - len(decoder.getstate()[0])].isascii()
    # What is left over at the very end is no part of a character.
    return _WESTERN if is_plain and left and decoder.getstate()[0] else UTF8


def _western(chunk: bytes, stream: io.BufferedReader, left: int) -> str:
    """Whether the rest that is looked at can be that."""
    while chunk:
        try:
            chunk.decode(_WESTERN)
        except UnicodeDecodeError:
            return UTF8
        chunk = stream.read(min(_CHUNK, left))
        left -= len(chunk)
    return _WESTERN
