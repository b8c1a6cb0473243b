"""The bytes that a file is known by: those of several as of one file that holds them all.

What could go wrong: somebody cuts a file that was registered, packs the parts, says that it has
another decimal mark, so that its cells are other ones, and the same people get a fresh budget. So
the parts of a CSV file, each with its line of names, have the bytes of the whole: whether a line
says names is a matter of reading, hence the first line of a further file is passed over where it is
that of the first one, whatever it says. Parts in another order are other bytes, as rows in another
order are. Parquet files say what their cells mean: they are known by these anyway.
"""

import codecs
import io
from collections.abc import Iterator, Sequence

from dpgov.engines.ingest.limits import MAX_HEADER_BYTES
from dpgov.engines.ingest.packed.packing import Source, unpacked

_CHUNK = 1 << 20
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def bytes_of(sources: Sequence[Source], packed: str, *, texts: bool) -> Iterator[bytes]:
    """In pieces; `packed` as in Reading. Raises Refused."""
    first, *others = sources
    end = names = b""
    with _stream(first, packed) as stream:
        if texts and others:
            mark, names = _first_line(stream)
            end = mark + names
            yield end
        while chunk := stream.read(_CHUNK):
            end = chunk
            yield chunk
    for source in others:
        with _stream(source, packed) as stream:
            if texts:
                begin = _between(end, names, _first_line(stream)[1])
                end = begin or end
                yield begin
            while chunk := stream.read(_CHUNK):
                end = chunk
                yield chunk


def _stream(source: Source, packed: str) -> io.BufferedReader:
    inner, _position = unpacked(source, packed)
    return io.BufferedReader(inner, _CHUNK)


def _between(end: bytes, names: bytes, line: bytes) -> bytes:
    """What stands between the end of one part and what follows the first line of the next."""
    ended = end.endswith((b"\n", b"\r", b"\n\0"))
    return (b"" if ended else b"\n") + (b"" if line == names else line)


def _first_line(stream: io.BufferedReader) -> tuple[bytes, bytes]:
    """The mark of an encoding that it begins with, if it does, and the rest of its first line."""
    line = stream.readline(MAX_HEADER_BYTES)
    mark = next((each for each in _MARKS if line.startswith(each)), b"")
    if mark == codecs.BOM_UTF16_LE:
        # Its end of line has a second byte.
        line += stream.read(1)
    return mark, line[len(mark) :]
