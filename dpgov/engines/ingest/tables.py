"""A CSV or Parquet file or a sheet as a stream of record batches, none but a sheet whole in memory.

What the file says about itself is not believed: rows and bytes are counted as they are decoded.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dpgov.engines.ingest.csv_rows import UNREADABLE, CsvRows
from dpgov.engines.ingest.limits import largest_unpacked
from dpgov.engines.ingest.packed.packing import Source
from dpgov.engines.ingest.packed.workbook import batches_of, rows_of, sheet_of
from dpgov.engines.ingest.reading import AS_IT_STANDS, POINT, FileFormat
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.row_groups import batches_of_groups, in_pieces
from dpgov.engines.ingest.sniff import check_names, csv_layout, names_of
from dpgov.language.said import said

# How many rows were read, and about how many bytes of the file.
Told = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Table:
    """The columns of a file, in its order, and its rows as a stream.

    `share` is how much of the file the first `n` rows are, in bytes, as far as that is known.
    `decimal` is the mark that numbers are written with. `left_out` are columns of the file that
    can not be used whatever is declared. The last `joined` columns are of a public table, which
    has a mark of its own.
    """

    names: tuple[str, ...]
    types: tuple[pa.DataType, ...]
    batches: Iterator[pa.RecordBatch]
    share: Callable[[int], int]
    decimal: str = POINT
    left_out: tuple[str, ...] = ()
    joined: int = 0
    joined_decimal: str = POINT

    @property
    def own_names(self) -> tuple[str, ...]:
        """The columns of the file itself: what its people are recognised by."""
        return self.names[: len(self.names) - self.joined]

    def decimal_at(self, place: int) -> str:
        """The mark that the numbers of this column are written with."""
        return self.decimal if place < len(self.own_names) else self.joined_decimal


def nobody(_rows: int, _bytes: int) -> None:
    """Nobody waits."""


def open_table(
    path: Path, *, format_name: str, reading: FileFormat = AS_IT_STANDS, told: Told = nobody
) -> Table:
    """Open the file; raises Refused for what cannot be read, also while its batches are drawn.

    `told` hears after each batch how far it is, and of the whole file once there are no more rows.
    """
    with readable():
        table = _OPEN[format_name](path, reading)
    return bounded(table, path.stat().st_size, told)


def bounded(table: Table, file_bytes: int, told: Told) -> Table:
    """The same, which holds no more than a file of this size may, and tells how far it is."""
    return replace(table, batches=_bounded(table, file_bytes, told))


def _bounded(table: Table, file_bytes: int, told: Told) -> Iterator[pa.RecordBatch]:
    allowed = largest_unpacked(file_bytes)
    decoded = rows = 0
    while (batch := next_of(table.batches)) is not None:
        decoded += batch.nbytes
        if decoded > allowed:
            raise Refused(
                said("The file unpacks to more than 100 times its size. Export it again.")
            )
        yield from in_pieces(batch)
        rows += batch.num_rows
        # What is estimated may run ahead; that nothing is left is known when no row comes.
        told(rows, min(table.share(rows), file_bytes - 1))
    told(rows, file_bytes)


def next_of(batches: Iterator[pa.RecordBatch]) -> pa.RecordBatch | None:
    """The next rows, None at their end; raises Refused."""
    with readable():
        return next(batches, None)


@contextmanager
def readable() -> Iterator[None]:
    """What the reader says within is said in our words; raises Refused."""
    try:
        yield
    except pa.ArrowMemoryError:
        raise
    except (pa.ArrowException, OSError) as problem:
        raise Refused(UNREADABLE) from problem


def _open_sheet(path: Path, reading: FileFormat) -> Table:
    sheet = sheet_of(path, reading.sheet)
    rows = rows_of(sheet, reading.decimal)
    first = next(rows)
    names = names_of(tuple(first), header=reading.header)
    batches = batches_of(rows if reading.header else chain([first], rows), names)
    size, height = path.stat().st_size, max(1, sheet.height)
    types = (pa.string(),) * len(names)
    return Table(names, types, batches, lambda n: size * n // height, reading.decimal)


def open_csv(source: Source, reading: FileFormat) -> Table:
    """Without a bound; raises Refused and what `readable` is for."""
    layout = csv_layout(source, reading)
    written = replace(reading, delimiter=layout.delimiter)
    names = names_of(layout.cells, header=reading.header)
    types = (pa.string(),) * len(names)
    rows = CsvRows(source, written, layout.cells if reading.header else names)
    return Table(names, types, rows.batches(), lambda _: rows.read_bytes(), reading.decimal)


def open_parquet(path: Path) -> Table:
    """The same."""
    schema = _parquet_file(path).schema_arrow
    usable = [field for field in schema if not _has_no_cells(field.type)]
    left_out = tuple(name for name in schema.names if name not in {one.name for one in usable})
    check_names(tuple(schema.names))
    if not usable:
        raise Refused(said("Every column holds lists, records or bytes. Flatten some of them."))
    texts = [field.name for field in usable if is_text(field.type)]
    # Texts stay dictionaries, so that a repeated long text is not copied for each row.
    file = _parquet_file(path, texts)
    found = [field.name for field in usable]
    types = [file.schema_arrow.field(name).type for name in found]
    size = path.stat().st_size
    _check_size(file.metadata, types, size)
    claimed = max(1, file.metadata.num_rows)
    return Table(
        check_names(tuple(found)),
        tuple(types),
        batches_of_groups(file, found),
        lambda rows: size * rows // claimed,
        left_out=left_out,
    )


def _has_no_cells(kind: pa.DataType) -> bool:
    """Lists, records, bytes, and what means more to whoever wrote it, such as ids and JSON."""
    is_other = isinstance(kind, pa.BaseExtensionType)
    return is_other or _is_binary(kind) or bool(pa.types.is_nested(kind))


def _parquet_file(path: Path, texts: list[str] | None = None) -> pq.ParquetFile:
    return pq.ParquetFile(
        path,
        read_dictionary=texts,
        thrift_string_size_limit=50_000_000,
        thrift_container_size_limit=1_000_000,
        memory_map=False,
        pre_buffer=False,
        buffer_size=1 << 16,
    )


def _check_size(metadata: pq.FileMetaData, types: list[pa.DataType], file_bytes: int) -> None:
    """What the file admits to by itself; what it hides is counted while decoding."""
    groups = (metadata.row_group(place).num_rows for place in range(metadata.num_row_groups))
    rows = max(metadata.num_rows, sum(groups))
    if rows * sum(_least_width(kind) for kind in types) > largest_unpacked(file_bytes):
        raise Refused(
            said("The file unpacks to far more than its size allows for. Export it again.")
        )


def _least_width(kind: pa.DataType) -> int:
    """How many bytes a decoded cell of this type takes at least; a text has an offset of four."""
    if pa.types.is_null(kind):
        return 1
    return 4 if is_text(kind) or pa.types.is_dictionary(kind) else (kind.bit_width + 7) // 8


def plain(kind: pa.DataType) -> pa.DataType:
    """What the cells are, whether a file numbers its texts or not."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def is_text(kind: pa.DataType) -> bool:
    """Whether its cells are texts, of any width."""
    is_short = pa.types.is_string(kind) or pa.types.is_string_view(kind)
    return bool(is_short or pa.types.is_large_string(kind))


def _is_binary(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
        or pa.types.is_binary_view(kind)
        or pa.types.is_fixed_size_binary(kind)
    )


def stated_kind(kind: pa.DataType) -> str:
    """ "number", "category", "truth" or "date" in the words of declarations; "" for the rest.

    A type is metadata. Values, dictionaries and statistics of a file are data, and are not looked
    at: two files of one schema say the same, whatever is in them.
    """
    kind = plain(kind)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "number"
    if pa.types.is_boolean(kind):
        return "truth"
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return "date"
    return "category" if is_text(kind) else ""


_OPEN: dict[str, Callable[[Path, FileFormat], Table]] = {
    "csv": open_csv,
    "parquet": lambda path, _: open_parquet(path),
    "xlsx": _open_sheet,
}
