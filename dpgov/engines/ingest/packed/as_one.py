"""The bytes that a file is known by: those of several as of one file that holds them all.

What could go wrong: somebody cuts a file that was registered, packs the parts, says that it has
another decimal mark, so that its cells are other ones, and the same people get a fresh budget. So
the parts of a CSV file, each with its line of names, have the bytes of the whole: whether a line
says names is a matter of reading, hence the first line of a further file is passed over where it is
that of the first one, whatever it says. A part that has no end of line gets that of the first line
where something follows. Parts in another order are other bytes, as rows in another order are.
Parquet files say what their cells mean: they are known by these anyway.
"""

import codecs
import io
from collections.abc import Iterator, Sequence

from dpgov.engines.ingest.limits import MAX_HEADER_BYTES
from dpgov.engines.ingest.packed.packing import Source, unpacked

_CHUNK = 1 << 20
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Of UTF-16 in both orders as well; none before a longer one that ends like it.
_ENDS = (b"\r\0\n\0", b"\0\r\0\n", b"\r\n", b"\n\0", b"\0\n", b"\r\0", b"\0\r", b"\n", b"\r")


def bytes_of(sources: Sequence[Source], packed: str, *, texts: bool) -> Iterator[bytes]:
    """In pieces; `packed` as in FileFormat. Raises Refused."""
    first, *others = sources
    mark = names = b""
    with _stream(first, packed) as stream:
        if texts and others:
            mark, names = _first_line(stream)
            yield mark + names
        end = names
        for chunk in _chunks(stream):
            end = _end(end + chunk)
            yield chunk
    newline = _newline(names)
    for source in others:
        with _stream(source, packed) as stream:
            between = b"" if end.endswith(newline) else newline
            for chunk in _further(stream, names) if texts else _chunks(stream):
                end = _end(end + between + chunk)
                yield between + chunk
                between = b""


def _stream(source: Source, packed: str) -> io.BufferedReader:
    inner, _position = unpacked(source, packed)
    return io.BufferedReader(inner, _CHUNK)


def _chunks(stream: io.BufferedReader) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


def _further(stream: io.BufferedReader, names: bytes) -> Iterator[bytes]:
    """Of a further part: without its mark, nor its first line where that is the names."""
    if (line := _first_line(stream)[1]) != names:
        yield line
    yield from _chunks(stream)


def _end(told: bytes) -> bytes:
    """As much of it as an end of line may be."""
    return told[-len(_ENDS[0]) :]


def _newline(names: bytes) -> bytes:
    """How lines end, by the first one; nothing where there is none."""
    return next((end for end in _ENDS if names.endswith(end)), b"")


def _first_line(stream: io.BufferedReader) -> tuple[bytes, bytes]:
    """The mark of an encoding that it begins with, if it does, and the rest of its first line."""
    begin = stream.peek(MAX_HEADER_BYTES)[:MAX_HEADER_BYTES]
    # As a Macintosh wrote it, where no line ends otherwise.
    alone = 0 if b"\n" in begin else begin.find(b"\r") + 1
    line = stream.readline(alone or MAX_HEADER_BYTES)
    mark = next((each for each in _MARKS if line.startswith(each)), b"")
    if mark == codecs.BOM_UTF16_LE:
        # Its end of line has a second byte.
        line += stream.read(1)
    return mark, line[len(mark) :]
