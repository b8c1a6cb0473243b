"""The rows of a CSV file, block by block, and how much of the file the last of them lay in.

The reader fetches many blocks ahead of the rows that it hands out, so where it stands in the file
says nothing. Each batch of rows is made of one block, so the batches say it.
"""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from dpgov.engines.ingest.limits import MAX_ROW_BYTES
from dpgov.engines.ingest.packed.packing import PackedFile, Source
from dpgov.engines.ingest.reading import UTF8, FileFormat
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.texts import CleanText, TextStream, open_text
from dpgov.language.said import said

# No row may be longer than one.
BLOCK_BYTES = MAX_ROW_BYTES
UNREADABLE = said("The file is damaged or not complete. Export it again and upload that.")


class CsvRows:
    """The rows of one file as batches, drawn once."""

    def __init__(self, source: Source, reading: FileFormat, names: tuple[str, ...]) -> None:
        self._reading, self._names = reading, names
        self._blocks = _blocks_of(source, reading)
        self._delivered = 0

    def read_bytes(self) -> int:
        """Of the file as it was sent, up to the end of the block that the last batch is made of."""
        return self._blocks.end_of(self._delivered)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The reader looks at the first rows when it is opened, so it is opened at the first batch.

        Raises Refused.
        """
        ragged = _Ragged(len(self._names))
        try:
            for batch in self._opened(ragged):
                self._delivered += 1
                yield batch
        except pa.ArrowInvalid as problem:
            raise (ragged.refusal() or _refusal(problem)) from problem

    def _opened(self, ragged: "_Ragged") -> pa.csv.CSVStreamingReader:
        reader = _reader(self._blocks.file(), self._reading, self._names, ragged)
        if tuple(reader.schema.names) != self._names or set(reader.schema.types) != {pa.string()}:
            raise Refused(said("The header line cannot be read in one way only. Use simple names."))
        return reader


class _Plain:
    """The blocks of a file that Arrow reads itself."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def file(self) -> pa.NativeFile:
        """To be read from its beginning."""
        return pa.OSFile(str(self._path))

    def end_of(self, number: int) -> int:
        """Where the block of this number ends, or would if the file were not at its end."""
        return number * BLOCK_BYTES


class _Unpacked:
    """The blocks of a text that is unpacked or recoded, and where in the file each one ended."""

    def __init__(self, text: TextStream, clean: CleanText | None) -> None:
        self._text, self._clean = text, clean
        self._ends = [0]

    def file(self) -> pa.NativeFile:
        """To be read from where the text stands."""
        return pa.PythonFile(self, mode="r")

    def end_of(self, number: int) -> int:
        """Where in the file it was read from the block of this number ends."""
        return self._ends[min(number, len(self._ends) - 1)]

    @property
    def closed(self) -> bool:
        """As of a file."""
        return self._text.stream.closed

    def close(self) -> None:
        """With what it reads from."""
        self._text.stream.close()

    def read(self, size: int) -> bytes:
        """A block: the reader asks for whole ones, and gets them up to the last."""
        block = self._text.stream.read(size)
        self._ends.append(self._text.position())
        if self._clean is not None:
            self._clean.add(block)
            if len(block) < size:
                self._clean.end()
        return block


def _blocks_of(source: Source, reading: FileFormat) -> _Plain | _Unpacked:
    if isinstance(source, PackedFile):
        # Looked at as it comes: unpacking it once more would take longer.
        return _Unpacked(open_text(source, reading), CleanText())
    if reading.packed or reading.encoding != UTF8:
        return _Unpacked(open_text(source, reading), None)
    return _Plain(source)


def _refusal(problem: pa.ArrowInvalid) -> Refused:
    if "straddling" in str(problem):
        return Refused(said("A row is longer than {most:,} bytes.", most=MAX_ROW_BYTES))
    return Refused(UNREADABLE)


def _reader(
    file: pa.NativeFile, reading: FileFormat, names: tuple[str, ...], ragged: "_Ragged"
) -> pa.csv.CSVStreamingReader:
    return pa.csv.open_csv(
        file,
        read_options=pa.csv.ReadOptions(
            use_threads=False,
            block_size=BLOCK_BYTES,
            column_names=None if reading.header else list(names),
        ),
        parse_options=pa.csv.ParseOptions(
            delimiter=reading.delimiter,
            newlines_in_values=True,
            invalid_row_handler=ragged,
        ),
        convert_options=pa.csv.ConvertOptions(
            column_types={name: pa.string() for name in names},
            strings_can_be_null=False,
        ),
    )


class _Ragged:
    """Remembers the first row with too few or too many cells, so that the owner can find it."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._first: tuple[int | None, int] | None = None

    def __call__(self, row: pa.csv.InvalidRow) -> str:
        self._first = self._first or (row.number, row.actual_columns)
        return "error"

    def refusal(self) -> Refused | None:
        """What to tell the owner about that row, if there was one."""
        if self._first is None:
            return None
        number, cells = self._first
        if number is None:
            return Refused(
                said(
                    "A row does not have as many cells as the header: {cells:,} in place of "
                    "{width:,}.",
                    cells=cells,
                    width=self._width,
                )
            )
        return Refused(
            said(
                "Row {row:,} does not have as many cells as the header: {cells:,} in place of "
                "{width:,}.",
                row=number,
                cells=cells,
                width=self._width,
            )
        )
