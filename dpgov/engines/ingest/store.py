"""Writes the codes of a table into a native DuckDB file, all of it or none.

The file has one table `data` with integer columns c0..cN, each as narrow as its declared domain
allows, and unpacked where that costs little. It is written under another name, forced to disk and
then renamed. Where a column names the privacy unit there are four more columns, see `units`.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from dpgov.engines.cubes.keeping import keep_cubes
from dpgov.engines.fingerprint import TableFingerprint
from dpgov.engines.ingest.before import (
    begin_after,
    begin_as,
    remember,
    write_rows,
)
from dpgov.engines.ingest.coded import RowLimit, read_all
from dpgov.engines.ingest.drafts import draft_of, force_to_disk, remove_drafts
from dpgov.engines.ingest.recognised.fingerprint import Fingerprint
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.request import Before, UnitNames
from dpgov.engines.ingest.tables import Table
from dpgov.engines.ingest.units.aside import Aside
from dpgov.engines.ingest.units.joined import join_units
from dpgov.engines.ingest.units.marks import UnitColumn, UnitMarks
from dpgov.engines.ingest.units.parts import CategoryParts
from dpgov.engines.ingest.units.ranks import MARKS, RANKED, rank_rows
from dpgov.engines.ingest.values import stored_as
from dpgov.engines.ingest.writing import into, threads_for
from dpgov.language.said import said
from dpgov.privacy.plan.cubes import cubes_of
from dpgov.privacy.plan.schema import ColumnSpec, DateDomain, NumericDomain

# Of the columns of a batch; each holds what it reads in memory. Beside them one batch is written.
_AT_ONCE = 2
# Bytes that the database may keep for what it can also write down.
_MOST_KEPT = 400_000_000


@dataclass(frozen=True, slots=True)
class StoredRows:
    """How many rows were read; `units` where a column names them.

    `newcomers` are those of them that no earlier file of the budget knows, where it is divided.
    Where rows came first that were stored before, `fingerprint` is of all of them together, and
    `addition` of those that were read. All of it depends on the data and is for the owner's side
    alone.
    """

    rows: int
    fingerprint: TableFingerprint
    units: int | None = None
    addition: TableFingerprint | None = None
    newcomers: int | None = None

    def of_file(self, file: str) -> "StoredRows":
        """The same, with the keyed hash of the file that its rows were read from."""
        if self.addition is None:
            return replace(self, fingerprint=replace(self.fingerprint, file=file))
        return replace(self, addition=replace(self.addition, file=file))


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
) -> StoredRows:
    """Store the declared columns of the table in `target`; raises Refused, leaving nothing.

    `key` is the secret of the installation that fingerprints are made with. The rows of `before`
    come first, and count among `max_rows`.
    """
    places = _places(table, columns)
    owner = None if unit is None else _unit_column(table, columns, unit)
    draft = draft_of(target)
    try:
        stored = _write(table, draft, places, columns, max_rows, memory_bytes, key, owner, before)
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
    places: Mapping[int, int],
    columns: Sequence[ColumnSpec],
    max_rows: int,
    memory_bytes: int,
    key: bytes,
    unit: UnitColumn | None,
    before: Before | None,
) -> StoredRows:
    with (
        _begun(draft, columns, memory_bytes, before, ranked=unit is not None) as connection,
        ThreadPoolExecutor(_AT_ONCE + 1) as threads,
    ):
        fingerprint = Fingerprint(len(table.own_names), key)
        there = begin_after(connection, table.own_names, before)
        most = RowLimit(max_rows, there.rows, is_addition=before is not None)
        read = partial(read_all, table, fingerprint, places, columns, most, threads)
        if unit is None:
            with into(connection, "data") as sink:
                rows, units, newcomers = read(sink), None, None
        else:
            marks = UnitMarks(unit, key)
            aside = Aside(draft.with_name(f"{draft.name}.aside"), _names(columns), marks.order)
            rows = read(aside.add, marks)
            aside.close()
            # What batches were read into: sorting and the database want other memory beside it.
            pa.default_memory_pool().release_unused()
            units, newcomers = _ranked(connection, aside, columns, unit, before)
        whole, addition = fingerprint.result(), None
        if before is not None:
            addition = whole
            fingerprint.join(there.seen)
            whole = fingerprint.result()
        remember(connection, table.own_names, fingerprint.state())
        # Before cubes are written, which are not compressed.
        connection.execute("CHECKPOINT")
        return StoredRows(rows, whole, units, addition, newcomers)


@contextmanager
def _begun(
    draft: Path,
    columns: Sequence[ColumnSpec],
    memory_bytes: int,
    before: Before | None,
    *,
    ranked: bool,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """The new file with `data`, in which rows of before are already."""
    made_of, config = _columns_of(columns, ranked=ranked), _config(memory_bytes, columns)
    copied = before is not None and begin_as(before, draft, columns, made_of, config)
    with duckdb.connect(str(draft), config=config) as connection:
        draft.chmod(0o600)
        if not copied:
            connection.execute(f"CREATE TABLE data ({made_of})")
            if before is not None:
                write_rows(connection, before, columns, MARKS if ranked else ())
        yield connection


def _config(memory_bytes: int, columns: Sequence[ColumnSpec]) -> dict[str, Any]:
    memory = f"{max(min(memory_bytes // 4, _MOST_KEPT) // 1_000_000, 64)}MB"
    threads = threads_for(len(columns))
    return {"threads": threads, "memory_limit": memory, "preserve_insertion_order": True}


def _names(columns: Sequence[ColumnSpec]) -> list[str]:
    return [f"c{number}" for number in range(len(columns))]


def _columns_of(columns: Sequence[ColumnSpec], *, ranked: bool) -> str:
    pairs = zip(_names(columns), columns, strict=True)
    names = [f"{name} {stored_as(spec)}" for name, spec in pairs]
    return ", ".join([*names, RANKED] if ranked else names)


def _ranked(
    connection: duckdb.DuckDBPyConnection,
    aside: Aside,
    columns: Sequence[ColumnSpec],
    unit: UnitColumn,
    before: Before | None,
) -> tuple[int, int | None]:
    """Fill `data` with the rows that were put aside: the number of their units, and newcomers."""
    made = "data"
    if before is not None:
        made = "added"
        connection.execute(f"CREATE TEMP TABLE added ({_columns_of(columns, ranked=True)})")
    with (
        connection.cursor() as sorting,
        connection.cursor() as knowing,
        # Before these are closed nobody may be at them, whatever went wrong.
        ThreadPoolExecutor(_AT_ONCE) as threads,
        into(connection, made) as sink,
    ):
        rows, parts = aside.in_order(sorting), _parts(knowing, columns, unit)
        units = rank_rows(rows, _names(columns), parts, threads, sink)
    if before is not None:
        join_units(connection, _names(columns))
    return units, None if parts is None else parts.newcomers


def _parts(
    connection: duckdb.DuckDBPyConnection, columns: Sequence[ColumnSpec], unit: UnitColumn
) -> CategoryParts | None:
    if unit.partition is None:
        return None
    domain = columns[unit.partition].domain
    if isinstance(domain, NumericDomain):
        raise Refused(said("A partition column holds categories."), field="partition_column")
    return CategoryParts(connection, f"c{unit.partition}", domain.other, unit.earlier)
