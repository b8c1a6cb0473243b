"""Writes the codes of a table into a native DuckDB file, all of it or none.

The file has one table `data` with integer columns c0..cN, each as narrow as its declared domain
allows. It is written under another name, forced to disk and then renamed. Where a column names the
privacy unit there are four more columns, see `units`.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from dpgov.engines.fingerprint import TableFingerprint
from dpgov.engines.ingest.before import (
    copy_rows,
    put_before,
    recall,
    remember,
    rows_before,
)
from dpgov.engines.ingest.computed import computed
from dpgov.engines.ingest.drafts import draft_of, remove_drafts
from dpgov.engines.ingest.fingerprint import Fingerprint, Seen
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.request import EVERYTHING_ELSE, Before, UnitNames
from dpgov.engines.ingest.tables import Table
from dpgov.engines.ingest.units import MARKS, UnitColumn, UnitMarks, attached, rank_rows
from dpgov.engines.ingest.values import cells_of, codes, never_missing, sql_type
from dpgov.language.said import said
from dpgov.privacy.plan.schema import ColumnSpec, DateDomain, NumericDomain


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
        _force_to_disk(draft)
        draft.rename(target)
        _force_to_disk(target.parent)
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
    with duckdb.connect(str(draft), config=_config(memory_bytes)) as connection:
        draft.chmod(0o600)
        marks = None if unit is None else UnitMarks(unit, connection, key)
        connection.execute(f"CREATE TABLE data ({_columns_of(columns, marked=bool(marks))})")
        fingerprint = Fingerprint(len(table.own_names), connection, key)
        there = _begun(connection, table, before, columns, marked=bool(marks))
        rows = 0
        for batch in table.batches:
            rows += batch.num_rows
            if there.rows + rows > max_rows:
                raise _too_many_rows(max_rows, is_addition=before is not None)
            _append(batch, table, connection, fingerprint, marks, places, columns)
        whole, addition = fingerprint.result(), None
        if before is not None:
            addition = whole
            fingerprint.join(there.seen)
            whole = fingerprint.result()
        remember(connection, table.own_names, fingerprint.state())
        units = None if unit is None else _ranked(connection, ranked, columns, unit, before)
        return Stored(rows, whole, units, addition)


class _There(NamedTuple):
    """How many rows come first, and what is known of them."""

    rows: int = 0
    seen: Sequence[Seen] = ()


def _begun(
    connection: duckdb.DuckDBPyConnection,
    table: Table,
    before: Before | None,
    columns: Sequence[ColumnSpec],
    *,
    marked: bool,
) -> _There:
    """The rows of before are in `data`, where each is a unit; raises Refused for other columns."""
    if before is None:
        return _There()
    with attached(connection, before.path, "before"):
        seen = recall(connection, table.own_names)
        if not marked:
            copy_rows(connection, before, columns)
        return _There(rows_before(connection), seen)


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


def _append(
    batch: pa.RecordBatch,
    table: Table,
    connection: duckdb.DuckDBPyConnection,
    fingerprint: Fingerprint,
    marks: UnitMarks | None,
    places: Mapping[int, int],
    columns: Sequence[ColumnSpec],
) -> None:
    stored: dict[int, pa.Array] = {}
    fingerprint.begin_rows(batch.num_rows)
    if marks is not None:
        marks.begin_rows(batch.num_rows)
    for place in range(batch.num_columns):
        cells = cells_of(batch.column(place), table.decimal_at(place))
        is_own = place < len(table.own_names)
        # Columns of a public table are nobody's: the same people are the same without them.
        hashes = fingerprint.add(place, cells) if is_own else fingerprint.hashed(cells)
        if marks is not None:
            marks.add(place, cells)
        if place in places:
            spec = columns[places[place]]
            stored[places[place]] = never_missing(codes(cells, spec), spec)
            if marks is not None:
                marks.mix(spec.name, cells, hashes)
    fingerprint.end_rows()
    for number, spec in enumerate(columns):
        if spec.formula is not None:
            stored[number] = never_missing(computed(number, columns, stored), spec)
    ordered = {f"c{number}": stored[number] for number in sorted(stored)}
    connection.register("batch", pa.table(ordered) if marks is None else marks.table(ordered))
    connection.execute("INSERT INTO data SELECT * FROM batch")
    connection.unregister("batch")


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


def _force_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
