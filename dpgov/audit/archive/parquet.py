"""An archive file: entries of one log as Parquet, each by its number and its canonical JSON.

`line` is the very text that was hashed, so that whoever has a file can compute every leaf again;
nothing of it stands in a column of its own, which could say something else. Pure, like the
verifier that reads these files: no framework, no settings.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from dpgov.audit.entry import leaf_hash
from dpgov.language.said import said

_GROUP = 20_000
_TENANT = re.compile(rb'"tenant_id":"([0-9a-f-]{36})"\}$')


class BrokenArchive(ValueError):
    """The file does not hold what it has to; `args[0]` is a sentence that says what."""


class ArchiveAway(LookupError):
    """The file is not there, or cannot be read; `args[0]` is a sentence with its entries."""


def write(file: BinaryIO, lines: Iterable[tuple[int, bytes]]) -> None:
    """Write the entries, by number and canonical JSON, to a file that is open for it."""
    # A quarter of a second to load: neither pages nor workers need it before an archive is read.
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([("sequence", pyarrow.int64()), ("line", pyarrow.string())])
    rest = iter(lines)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := list(islice(rest, _GROUP)):
            numbers = [number for number, _ in group]
            texts = [line.decode("ascii") for _, line in group]
            writer.write_table(pyarrow.table([numbers, texts], schema=schema))


def lines_of(
    path: Path, *, tenant: str, first: int, last: int, after: int = 0
) -> Iterator[tuple[int, bytes]]:
    """(number, canonical JSON) of the entries first to last, which the file has to hold, no others.

    What stands long before the entry behind `after` is passed over. Raises BrokenArchive, and
    OSError where there is no such file or the system cannot read it.
    """
    skipped = max(0, after + 1 - first) // _GROUP
    expected, ending = first + skipped * _GROUP, f'"tenant_id":"{tenant}"}}'.encode()
    for number, line in _rows(path, skipped):
        if number != expected or b'"sequence":%d,' % number not in line:
            raise BrokenArchive(_misplaced(path, expected))
        if not line.endswith(ending):
            raise BrokenArchive(
                said("{file}: entry {number} is of another log.", file=path.name, number=number)
            )
        yield number, line
        expected += 1
    if expected != last + 1:
        raise BrokenArchive(_misplaced(path, expected))


def span_of(path: Path) -> tuple[str, int, int]:
    """Whose entries a file says it holds, the number of the first and of the last.

    Raises BrokenArchive, OSError.
    """
    number, line = next(_rows(path), (0, b""))
    found = _TENANT.search(line)
    if not found:
        raise BrokenArchive(said("{file} is not an archive of a log.", file=path.name))
    return found[1].decode(), number, number + _length(path) - 1


def leaves_of(path: Path, *, tenant: str, first: int, last: int) -> bytes:
    """The leaf hashes of the entries, one after the other, as `lines_of` reads them."""
    lines = lines_of(path, tenant=tenant, first=first, last=last)
    return b"".join(leaf_hash(line) for _, line in lines)


def sha256_of(path: Path) -> str:
    """The hash of the whole file, in hexadecimal; raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _rows(path: Path, skipped: int = 0) -> Iterator[tuple[int, bytes]]:
    """All rows, or those behind the first few groups of the file."""
    file = _opened(path)
    groups = range(skipped, file.num_row_groups)
    with _damage_told(path):
        for batch in file.iter_batches(_GROUP, row_groups=groups, columns=["sequence", "line"]):
            yield from _pairs(batch)


def _pairs(batch: Any) -> Iterator[tuple[int, bytes]]:
    """The rows of a batch; raises ValueError for columns that no file of ours has."""
    import pyarrow

    numbers, texts = batch.column("sequence"), batch.column("line").cast(pyarrow.binary())
    if not pyarrow.types.is_integer(numbers.type) or numbers.null_count or texts.null_count:
        raise ValueError("A number or a line is missing.")
    yield from zip(numbers.to_pylist(), texts.to_pylist(), strict=True)


def _length(path: Path) -> int:
    length: int = _opened(path).metadata.num_rows
    return length


def _opened(path: Path) -> Any:
    from pyarrow import parquet

    path.open("rb").close()
    with _damage_told(path):
        return parquet.ParquetFile(path)


@contextmanager
def _damage_told(path: Path) -> Iterator[None]:
    """Raises BrokenArchive for whatever pyarrow says of a damaged file."""
    import pyarrow

    try:
        yield
    except (pyarrow.ArrowException, OSError, ValueError, LookupError, TypeError) as error:
        # A damaged page is an OSError as well. Only one of the system, which says that the file
        # cannot be read at all, has a number.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise BrokenArchive(_unreadable(path)) from error


def _unreadable(path: Path) -> str:
    return said("{file} cannot be read as an archive: it is damaged.", file=path.name)


def _misplaced(path: Path, number: int) -> str:
    return said("{file} does not hold entry {number} in its place.", file=path.name, number=number)
