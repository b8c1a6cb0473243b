"""The rows of a table as codes, a batch at a time: how a file is read that will be stored."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.ingest.cells.distinct import NearNumbers, Room, cells_of
from dpgov.engines.ingest.recognised.fingerprint import Fingerprint
from dpgov.engines.ingest.recognised.hashes import NameHashes
from dpgov.engines.ingest.recognised.siphash import Words
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.tables import Table
from dpgov.engines.ingest.units.marks import UnitMarks
from dpgov.engines.ingest.values import code_type, codes, never_missing
from dpgov.engines.ingest.writing import Rows, Sink, Writer, ahead
from dpgov.language.said import said
from dpgov.privacy.plan.computed.computing import MISSING, Codes, computed_codes
from dpgov.privacy.plan.schema import ColumnSpec


@dataclass(frozen=True, slots=True)
class RowLimit:
    """How many rows there may be, with those that are there already."""

    rows: int
    there: int
    is_addition: bool

    def check(self, rows: int) -> None:
        """Raise Refused if these are too many."""
        if self.there + rows > self.rows:
            raise _too_many_rows(self.rows, is_addition=self.is_addition)


def read_all(
    table: Table,
    fingerprint: Fingerprint,
    places: Mapping[int, int],
    columns: Sequence[ColumnSpec],
    most: RowLimit,
    threads: Executor,
    sink: Sink,
    marks: UnitMarks | None = None,
) -> int:
    """Let the sink have all rows; returns their number."""
    rows, writer = 0, Writer(threads, sink)
    room = Room()
    known = [NearNumbers(room) for _ in table.names]
    for batch in ahead(table.batches, threads):
        rows += batch.num_rows
        most.check(rows)
        writer.append(_read(batch, table, known, fingerprint, marks, places, columns, threads))
    writer.finish()
    return rows


class _Column(NamedTuple):
    """One column of a batch: hashes of its rows if it is of the file's own people; names if it says
    whose the rows are; its codes if it is declared, and what it adds to the order of rows."""

    own: Words | None
    names: NameHashes | None
    number: int | None = None
    codes: pa.Array | None = None
    mixed: Words | None = None


def _read(
    batch: pa.RecordBatch,
    table: Table,
    known: Sequence[NearNumbers],
    fingerprint: Fingerprint,
    marks: UnitMarks | None,
    places: Mapping[int, int],
    columns: Sequence[ColumnSpec],
    threads: Executor,
) -> Rows:
    """Columns are read beside each other; what adds up over them is added when rows are made."""

    def read(place: int) -> _Column:
        cells = cells_of(batch.column(place), table.decimal_at(place), known[place])
        # Columns of a public table are nobody's: the same people are the same without them.
        is_own = place < len(table.own_names)
        hashed = fingerprint.add(place, cells) if is_own else None
        names = marks.names(place, cells) if marks else None
        column = _Column(hashed.rows if hashed else None, names)
        if place not in places:
            return column
        spec = columns[places[place]]
        found = never_missing(codes(cells, spec), spec)
        column = column._replace(number=places[place], codes=found)
        if marks is None:
            return column
        distinct = hashed.distinct if hashed else fingerprint.hashed(cells)
        return column._replace(mixed=marks.mixed(spec.name, cells, distinct))

    every = list(threads.map(read, range(batch.num_columns)))
    stored = {one.number: one.codes for one in every if one.number is not None}
    for number, spec in enumerate(columns):
        if spec.formula is not None:
            stored[number] = never_missing(_computed(number, columns, stored), spec)
    ordered = {f"c{number}": stored[number] for number in sorted(stored)}

    def rows() -> pa.Table:
        fingerprint.add_rows(batch.num_rows, [one.own for one in every if one.own is not None])
        if marks is None:
            return pa.table(ordered)
        (names,) = (one.names for one in every if one.names is not None)
        return marks.table(ordered, names, [one.mixed for one in every if one.mixed is not None])

    return rows


def _computed(
    number: int, columns: Sequence[ColumnSpec], stored: Mapping[int, pa.Array]
) -> pa.Array:
    """The codes of the computed column of this number; null where it is missing.

    They are made of the codes that are stored, not of the cells: clipped, rounded and imputed as
    declared. So a row that was stored before has the code that it would have if it came again.
    """
    spec = columns[number]
    places = {column.name: place for place, column in enumerate(columns)}
    operands = [places[name] for name in spec.formula.operands] if spec.formula else []
    codes = [_whole(stored[place]) for place in operands]
    found = computed_codes(spec, [columns[place] for place in operands], codes)
    missing = found == MISSING
    if spec.impute_code is not None:
        found, missing = np.where(missing, spec.impute_code, found), np.zeros_like(missing)
    filled = np.where(missing, 0, found).astype(np.uint64)
    return pa.array(filled, mask=missing).cast(code_type(spec))


def _whole(codes: pa.Array) -> Codes:
    """No code reaches 2**53, see `check_capacity`."""
    filled = pc.fill_null(codes.cast(pa.int64()), MISSING)
    found: Codes = filled.to_numpy(zero_copy_only=False)
    return found


def _too_many_rows(max_rows: int, *, is_addition: bool) -> Refused:
    if is_addition:
        words = said(
            "Together with the rows that are there these are more than {most:,}, the largest "
            "number that was declared.",
            most=max_rows,
        )
        return Refused(words, field="max_rows")
    return Refused(
        said(
            "The file has more than {most:,} rows. Raise the largest number of rows, or upload a "
            "smaller file.",
            most=max_rows,
        ),
        field="max_rows",
    )
