"""A text file as a stream of UTF-8, whatever it is written in and packed into.

An encoding is found by looking at the bytes: a mark at the start, or UTF-8 that holds. What is
neither is read as Windows-1252, which Latin-1 text is too, unless some of it is UTF-8 beyond doubt:
then two encodings are mixed and nothing is guessed.
"""

import codecs
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dpgov.engines.ingest.limits import LOOKED_AT_BYTES
from dpgov.engines.ingest.packed.packing import PackedFile, Source, unpacked
from dpgov.engines.ingest.reading import UTF8, FileFormat
from dpgov.engines.ingest.refusal import Refused
from dpgov.language.said import said

_CHUNK = 1 << 16
_ASCII, _UTF16 = "ascii", "utf-16"
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WESTERN = "cp1252"


@dataclass(frozen=True, slots=True)
class TextStream:
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


class CleanText:
    """Holds a text, piece by piece, to what CSV needs: UTF-8 throughout, and no NUL bytes."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder(UTF8)()
        self._line = 1

    def add(self, chunk: bytes) -> None:
        """The next piece; raises Refused, with the line."""
        if b"\0" in chunk:
            line = self._line + chunk[: chunk.index(b"\0")].count(b"\n")
            raise Refused(
                said("Line {line:,} has a NUL byte, so this is not a CSV text file.", line=line)
            )
        self._decode(chunk)
        self._line += chunk.count(b"\n")

    def end(self) -> None:
        """There is no more; raises Refused for half a character."""
        self._decode(b"", final=True)

    def _decode(self, chunk: bytes, *, final: bool = False) -> None:
        try:
            self._decoder.decode(chunk, final)
        except UnicodeDecodeError as problem:
            line = self._line + chunk[: problem.start].count(b"\n")
            raise Refused(
                said(
                    "Line {line:,} is not UTF-8, and other lines are. Save the file as UTF-8.",
                    line=line,
                )
            ) from problem


def open_text(source: Source, reading: FileFormat) -> TextStream:
    """From its beginning."""
    inner, position = unpacked(source, reading.packed)
    if reading.encoding != UTF8:
        inner = _Recoded(inner, reading.encoding)
    return TextStream(io.BufferedReader(inner, _CHUNK), position)


def encoding_of(sources: Sequence[Source], packed: str) -> str:
    """By the beginnings of all of them; UTF-8 where it is that, or nothing that could be read.

    Raises Refused for files in two encodings: read as one, the other would be other letters.
    """
    most = max(LOOKED_AT_BYTES // len(sources), _CHUNK)
    found = [_looked_at(source, packed, most) for source in sources]
    told = next((each for each in found if each != _ASCII), UTF8)
    for source, each in zip(sources, found, strict=True):
        if each != told and (each != _ASCII or told == _UTF16) and isinstance(source, PackedFile):
            raise Refused(
                said(
                    "“{file}” is in another encoding than other files of the archive. Save all of "
                    "them as UTF-8.",
                    file=source.name,
                )
            )
    return told


def _looked_at(source: Source, packed: str, most: int) -> str:
    """By its first `most` bytes; ASCII where they do not say which."""
    inner, _position = unpacked(source, packed)
    stream: io.BufferedReader = io.BufferedReader(inner, _CHUNK)
    with stream:
        return _UTF16 if stream.peek(2)[:2] in _UTF16_MARKS else _without_mark(stream, most)


def _without_mark(stream: io.BufferedReader, left: int) -> str:
    decoder = codecs.getincrementaldecoder(UTF8)()
    is_plain = True
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
    if is_plain and left and decoder.getstate()[0]:
        return _WESTERN
    return _ASCII if is_plain and not decoder.getstate()[0] else UTF8


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
