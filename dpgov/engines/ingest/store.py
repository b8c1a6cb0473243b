"""Writes the codes of a table into a native DuckDB file, all of it or none.

The file has one table `data` with integer columns c0..cN, each as narrow as its declared domain
allows. It is written under another name, forced to disk and then renamed. Where a column names the
privacy unit there are four more columns, see `units`.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from dpgov.engines.cubes.keeping import keep_cubes
from dpgov.engines.fingerprint import TableFingerprint
from dpgov.engines.ingest.before import begin_after, put_before, remember
from dpgov.engines.ingest.computed import computed
from dpgov.engines.ingest.drafts import draft_of, force_to_disk, remove_drafts
from dpgov.engines.ingest.recognised.fingerprint import Fingerprint
from dpgov.engines.ingest.recognised.siphash import Words
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.request import EVERYTHING_ELSE, Before, UnitNames
from dpgov.engines.ingest.tables import Table
from dpgov.engines.ingest.units import MARKS, UnitColumn, UnitMarks, attached, rank_rows
from dpgov.engines.ingest.values import cells_of, codes, never_missing, sql_type
from dpgov.language.said import said
from dpgov.privacy.plan.cubes import cubes_of
from dpgov.privacy.plan.schema import ColumnSpec, DateDomain, NumericDomain

# Of the columns of a batch; each holds what it reads in memory. Beside them one batch is written.
_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Stored:
    """How many rows were read; `units` where a column names them.

    Where rows came first that were stored before, `fingerprint` is of all of them together, and
    `addition` of those that were read. All of it depends on the data and is for the owner's side
    alone.
    """

    rows: int
    fingerprint: TableFingerprint
    units: int | None = None
    addition: TableFingerprint | None = None


def store(
    table: Table,
    target: Path,
    *,
    columns: Sequence[ColumnSpec],
    max_rows: int,
    memory_bytes: int,
    key: bytes,
    unit: UnitNames | None = None,
    before: Before | None = None,
) -> Stored:
    """Store the declared columns of the table in `target`; raises Refused, leaving nothing.

    `key` is the secret of the installation that fingerprints are made with. The rows of `before`
    come first, and count among `max_rows`.
    """
    places = _places(table, columns)
    owner = None if unit is None else _unit_column(table, columns, unit)
    draft = draft_of(target)
    try:
        ranked = draft_of(target, ".ranked")
        stored = _write(
            table, draft, ranked, places, columns, max_rows, memory_bytes, key, owner, before
        )
        if owner is not None:
            ranked.rename(draft)
        rows = None if unit is None else unit.max_rows
        cubes = cubes_of(columns, max_rows=max_rows, rows_of_unit=rows)
        keep_cubes(draft, cubes, threads=_AT_ONCE, memory_bytes=memory_bytes)
        force_to_disk(draft)
        draft.rename(target)
        force_to_disk(target.parent)
    finally:
        remove_drafts(target)
    return stored


def _places(table: Table, columns: Sequence[ColumnSpec]) -> dict[int, int]:
    """Which stored column each declared one of the file becomes; computed ones are in no file."""
    places = {}
    for number, spec in enumerate(columns):
        if spec.formula is not None:
            continue
        if spec.name not in table.names:
            raise Refused(
                said("The file has no column “{column}”.", column=spec.name), column=spec.name
            )
        place = table.names.index(spec.name)
        _check_type(spec, table.types[place])
        places[place] = number
    return places


def _check_type(spec: ColumnSpec, kind: pa.DataType) -> None:
    """What the file says of a column fits what was declared, as far as it says anything."""
    dates = isinstance(spec.domain, DateDomain)
    if isinstance(spec.domain, NumericDomain) and not dates and pa.types.is_temporal(kind):
        raise Refused(
            said("This column holds dates or times. Register it as dates, or as categories."),
            column=spec.name,
        )
    if dates and (pa.types.is_time(kind) or pa.types.is_duration(kind)):
        raise Refused(
            said("This column holds times without a date. Register it as categories."),
            column=spec.name,
        )


def _unit_column(table: Table, columns: Sequence[ColumnSpec], unit: UnitNames) -> UnitColumn:
    if unit.private_id not in table.names:
        raise Refused(
            said("The file has no column “{column}”.", column=unit.private_id), field="private_id"
        )
    names = [spec.name for spec in columns]
    partition = names.index(unit.partition) if unit.partition in names else None
    return UnitColumn(table.names.index(unit.private_id), partition, unit.earlier)


def _write(
    table: Table,
    draft: Path,
    ranked: Path,
    places: Mapping[int, int],
    columns: Sequence[ColumnSpec],
    max_rows: int,
    memory_bytes: int,
    key: bytes,
    unit: UnitColumn | None,
    before: Before | None,
) -> Stored:
    with (
        duckdb.connect(str(draft), config=_config(memory_bytes)) as connection,
        ThreadPoolExecutor(_AT_ONCE + 1) as threads,
    ):
        draft.chmod(0o600)
        marks = None if unit is None else UnitMarks(unit, key)
        connection.execute(f"CREATE TABLE data ({_columns_of(columns, marked=bool(marks))})")
        fingerprint = Fingerprint(len(table.own_names), key)
        there = begin_after(connection, table.own_names, before, columns, marked=bool(marks))
        rows, writer = 0, _Writer(connection, threads)
        for batch in table.batches:
            rows += batch.num_rows
            if there.rows + rows > max_rows:
                raise _too_many_rows(max_rows, is_addition=before is not None)
            writer.append(_read(batch, table, fingerprint, marks, places, columns, threads))
        writer.finish()
        whole, addition = fingerprint.result(), None
        if before is not None:
            addition = whole
            fingerprint.join(there.seen)
            whole = fingerprint.result()
        remember(connection, table.own_names, fingerprint.state())
        units = None if unit is None else _ranked(connection, ranked, columns, unit, before)
        return Stored(rows, whole, units, addition)


def _config(memory_bytes: int) -> dict[str, Any]:
    memory = f"{max(memory_bytes // 4_000_000, 64)}MB"
    return {"threads": 1, "memory_limit": memory, "preserve_insertion_order": True}


def _columns_of(columns: Sequence[ColumnSpec], *, marked: bool) -> str:
    names = [f"c{number} {sql_type(spec)}" for number, spec in enumerate(columns)]
    return ", ".join([*names, MARKS] if marked else names)


def _ranked(
    connection: duckdb.DuckDBPyConnection,
    ranked: Path,
    columns: Sequence[ColumnSpec],
    unit: UnitColumn,
    before: Before | None,
) -> int:
    """Write a second draft, with `u`, `r` and `n`; it will take the place of the first."""
    # Until here a batch at a time was written, which is no work for two.
    connection.execute(f"SET threads = {_AT_ONCE}")
    connection.execute(f"ATTACH '{ranked}' AS ranked")
    ranked.chmod(0o600)
    names = [f"c{number}" for number in range(len(columns))]
    made = "TABLE ranked.data" if before is None else "TEMP TABLE added"
    units = rank_rows(connection, names, _part(columns, unit), unit.earlier, made)
    if before is not None:
        with attached(connection, before.path, "before"):
            put_before(connection, before, columns)
    connection.execute("CREATE TABLE ranked.seen AS SELECT * FROM seen")
    connection.execute("CHECKPOINT ranked")
    connection.execute("DETACH ranked")
    return units


def _part(columns: Sequence[ColumnSpec], unit: UnitColumn) -> str | None:
    """The part of a row in SQL: a missing value lies in the part of everything else."""
    if unit.partition is None:
        return None
    domain = columns[unit.partition].domain
    if isinstance(domain, NumericDomain):
        raise Refused(said("A partition column holds categories."), field="partition_column")
    column = f"c{unit.partition}"
    return f"CASE WHEN {column} < {domain.other} THEN {column}::INTEGER ELSE {EVERYTHING_ELSE} END"


class _Writer:
    """Writes one batch to `data` while the next is read."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, threads: Executor) -> None:
        self._connection, self._threads = connection, threads
        self._writing: Future[None] | None = None

    def append(self, rows: pa.Table) -> None:
        """Return once the batch before is written."""
        self.finish()
        self._writing = self._threads.submit(self._write, rows)

    def finish(self) -> None:
        """Return once everything is written; raises what went wrong."""
        if self._writing is not None:
            self._writing.result()

    def _write(self, rows: pa.Table) -> None:
        self._connection.register("batch", rows)
        self._connection.execute("INSERT INTO data SELECT * FROM batch")
        self._connection.unregister("batch")


class _Column(NamedTuple):
    """One column of a batch: hashes of its rows if it is of the file's own people, its codes if it
    is declared, and then what it adds to the order of a unit's rows."""

    own: Words | None
    number: int | None
    codes: pa.Array
    mixed: Words | None


def _read(
    batch: pa.RecordBatch,
    table: Table,
    fingerprint: Fingerprint,
    marks: UnitMarks | None,
    places: Mapping[int, int],
    columns: Sequence[ColumnSpec],
    threads: Executor,
) -> pa.Table:
    """Columns are read beside each other; what adds up over them is added in their order."""

    def read(place: int) -> _Column:
        cells = cells_of(batch.column(place), table.decimal_at(place))
        # Columns of a public table are nobody's: the same people are the same without them.
        is_own = place < len(table.own_names)
        hashed = fingerprint.add(place, cells) if is_own else None
        if marks is not None:
            marks.add(place, cells)
        rows = hashed.rows if hashed else None
        if place not in places:
            return _Column(rows, None, None, None)
        spec = columns[places[place]]
        found = never_missing(codes(cells, spec), spec)
        if marks is None:
            return _Column(rows, places[place], found, None)
        distinct = hashed.distinct if hashed else fingerprint.hashed(cells)
        return _Column(rows, places[place], found, marks.mixed(spec.name, cells, distinct))

    every = list(threads.map(read, range(batch.num_columns)))
    fingerprint.add_rows(batch.num_rows, [one.own for one in every if one.own is not None])
    stored = {one.number: one.codes for one in every if one.number is not None}
    for number, spec in enumerate(columns):
        if spec.formula is not None:
            stored[number] = never_missing(computed(number, columns, stored), spec)
    ordered = {f"c{number}": stored[number] for number in sorted(stored)}
    mixed = [one.mixed for one in every if one.mixed is not None]
    return marks.table(ordered, mixed) if marks else pa.table(ordered)


def _too_many_rows(max_rows: int, *, is_addition: bool) -> Refused:
    if is_addition:
        words = said(
            "Together with the rows that are there these are more than {most}, the largest number "
            "that was declared.",
            most=f"{max_rows:,}",
        )
        return Refused(words, field="max_rows")
    return Refused(
        said(
            "The file has more than {most} rows. Raise the largest number of rows, or upload a "
            "smaller file.",
            most=f"{max_rows:,}",
        ),
        field="max_rows",
    )
