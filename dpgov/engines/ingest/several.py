"""The files of an archive as one table: their rows one after the other, by the order of names.

Every file is opened by the reader that opens one by itself, when it is its turn, and closed before
the next: memory and disk hold no more than of one. All together have the bounds of the archive.
What the first one says of its columns holds for all. Each names and types its columns as the first
one does, or is refused by its name: a column that means something else in another file would be
counted as if it did not. CSV files have theirs in the same order, Parquet files by their names. No
cell is named: where a file has no line of names, what stands in its place is a row.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa

from dpgov.engines.ingest.limits import MAX_NAME_LENGTH
from dpgov.engines.ingest.packed.packing import PackedFile
from dpgov.engines.ingest.reading import FileFormat
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.sniff import FileKind, csv_layout
from dpgov.engines.ingest.tables import (
    Table,
    Told,
    bounded,
    is_text,
    next_of,
    nobody,
    open_csv,
    open_parquet,
    plain,
    readable,
)
from dpgov.language.said import said

# Of Parquet files that are put down while their uploader waits; the first one always is.
_LOOKED_AT_UNPACKED_BYTES = 200_000_000
# As many rows are the same ones in two files by a mistake alone; fewer can be by chance.
_FEWEST_TWICE = 20

_Open = Callable[[PackedFile], AbstractContextManager[Table]]


def open_files(path: Path, kind: FileKind, reading: FileFormat, told: Told = nobody) -> Table:
    """The table; raises Refused for the first file, and for others while its rows are drawn."""
    rows = _Rows(kind.files, _opener(kind, reading))
    table = replace(rows.first, batches=rows.batches(), share=rows.share)
    return bounded(table, path.stat().st_size, told)


def look_at(kind: FileKind) -> Table:
    """The first Parquet file, held against others as far as its uploader can wait; no rows."""
    first, *others = kind.files
    table, left = _columns_of(first), _LOOKED_AT_UNPACKED_BYTES
    for file in others:
        left -= file.entry.file_size
        if left < 0:
            break
        other = _columns_of(file)
        with file.naming():
            _check_same(other, table, first)
    return table


def _columns_of(file: PackedFile) -> Table:
    """Without its rows, which would keep it on the disk as long as they could be drawn."""
    with file.naming(), _parquet(file) as table:
        return replace(table, batches=iter(()))


def check_first_line(
    file: PackedFile, reading: FileFormat, first: PackedFile, names: tuple[str, ...]
) -> None:
    """Raises Refused for a file whose columns are not those of the first one."""
    cells = tuple(cell.strip() for cell in csv_layout(file, reading).cells)
    if len(cells) != len(names):
        raise Refused(
            said(
                "It does not have as many columns as “{first}”: {number:,} in place of {width:,}.",
                first=first.name,
                number=len(cells),
                width=len(names),
            )
        )
    if reading.header and cells != names:
        raise _other_names(cells, first, names)


def _other_names(cells: tuple[str, ...], first: PackedFile, names: tuple[str, ...]) -> Refused:
    for name in names:
        if name not in cells:
            return Refused(
                said(
                    "Its first line does not name “{column}”, as that of “{first}” does. Each file "
                    "needs the same names in its first line.",
                    column=name,
                    first=first.name,
                )
            )
    moved = next(name for name, cell in zip(names, cells, strict=True) if name != cell)
    return Refused(
        said(
            "Its columns are in another order than those of “{first}”: “{column}” stands "
            "elsewhere.",
            first=first.name,
            column=moved,
        )
    )


class _Rows:
    """The rows of all files, drawn once, and how much of the archive they are."""

    def __init__(self, files: tuple[PackedFile, ...], opened: _Open) -> None:
        self._files, self._opened, self._kept = files, opened, ExitStack()
        with files[0].naming():
            self.first = self._kept.enter_context(opened(files[0]))
        self._now, self._rows, self._bytes = self.first, 0, 0
        self._with: dict[tuple[int, int], PackedFile] = {}

    def share(self, rows: int) -> int:
        """Bytes of the archive, of so many rows."""
        return self._bytes + self._now.share(rows - self._rows)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Raises Refused, naming the file."""
        for place, file in enumerate(self._files):
            rows = 0
            with file.naming(), self._open(place) as self._now:
                order = _check_same(self._now, self.first, self._files[0])
                while (batch := next_of(self._now.batches)) is not None:
                    rows += batch.num_rows
                    self._check_once(file, rows)
                    yield batch.select(order)
            self._rows += rows
            self._bytes += file.entry.compress_size

    def _check_once(self, file: PackedFile, rows: int) -> None:
        """A file that is there twice would count its people twice, who would be recognised as
        nobody; raises Refused. Files without a row may well be the same."""
        first = self._with.setdefault(file.content, file)
        if first is not file and rows >= _FEWEST_TWICE:
            raise Refused(
                said(
                    "It holds the same rows as “{first}”, and they would count twice. Leave one of "
                    "the two out. If both are meant, put all rows into one file.",
                    first=first.name,
                )
            )

    def _open(self, place: int) -> AbstractContextManager[Table]:
        if place:
            return self._opened(self._files[place])
        return self._kept_first()

    @contextmanager
    def _kept_first(self) -> Iterator[Table]:
        with self._kept:
            yield self.first


def _opener(kind: FileKind, reading: FileFormat) -> _Open:
    if kind.format == "parquet":
        return _parquet
    return partial(_csv, reading=reading, like=_Like(kind.files[0], reading))


class _Like:
    """What the first CSV file says for all of them: its separator and its names."""

    def __init__(self, first: PackedFile, reading: FileFormat) -> None:
        with first.naming():
            layout = csv_layout(first, reading)
        self.first = first
        self.delimiter = layout.delimiter
        self.names = tuple(cell.strip() for cell in layout.cells)


def _csv(file: PackedFile, *, reading: FileFormat, like: _Like) -> AbstractContextManager[Table]:
    written = replace(reading, delimiter=like.delimiter)
    check_first_line(file, written, like.first, like.names)
    with readable():
        return nullcontext(open_csv(file, written))


@contextmanager
def _parquet(file: PackedFile) -> Iterator[Table]:
    with file.on_disk() as path:
        with readable():
            table = open_parquet(path)
        unpacked, packed = max(1, file.entry.file_size), file.entry.compress_size
        # Not of the table, whose rows would keep the file on the disk.
        share = table.share
        yield replace(table, share=lambda rows: share(rows) * packed // unpacked)


def _check_same(table: Table, first: Table, first_file: PackedFile) -> list[int]:
    """Where the columns of the first one stand in this one; raises Refused."""
    for name in first.names:
        if name not in table.names:
            words = said(
                "It has no column “{column}”, which “{first}” has.",
                column=name,
                first=first_file.name,
            )
            raise Refused(words, column=name)
    for name in table.names:
        if name not in first.names:
            raise Refused(
                said(
                    "It has a column “{column}”, which “{first}” does not have.",
                    column=name,
                    first=first_file.name,
                )
            )
    order = [table.names.index(name) for name in first.names]
    for name, place, kind in zip(first.names, order, first.types, strict=True):
        if not _same_type(table.types[place], kind):
            words = said(
                "“{column}” has the type {kind}, and {other} in “{first}”. Write all files "
                "with one schema.",
                column=name,
                kind=_called(table.types[place]),
                other=_called(kind),
                first=first_file.name,
            )
            raise Refused(words, column=name)
    return order


def _same_type(one: pa.DataType, other: pa.DataType) -> bool:
    """Texts are the same however a file keeps them."""
    one, other = plain(one), plain(other)
    return bool(one == other or (is_text(one) and is_text(other)))


def _called(kind: pa.DataType) -> str:
    """A type in the words of its format; a file may say of a time zone whatever it likes."""
    words = str(plain(kind))[:MAX_NAME_LENGTH]
    return "".join(mark if mark.isprintable() else "?" for mark in words)
