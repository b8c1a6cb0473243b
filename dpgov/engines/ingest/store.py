"""Writes the codes of a table into a native DuckDB file, all of it or none.

The file has one table `data` with integer columns c0..cN, each as narrow as its declared domain
allows. It is written under another name, forced to disk and then renamed. Where a column names the
privacy unit there are four more columns, see `units`.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from dpgov.engines.fingerprint import TableFingerprint
from dpgov.engines.ingest.drafts import draft_of, remove_drafts
from dpgov.engines.ingest.fingerprint import Fingerprint
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.request import EVERYTHING_ELSE, UnitNames
from dpgov.engines.ingest.tables import Table
from dpgov.engines.ingest.units import MARKS, UnitColumn, UnitMarks, rank_rows
from dpgov.engines.ingest.values import cells_of, code_type, codes
from dpgov.privacy.said import said
from dpgov.privacy.schema import ColumnSpec, NumericDomain

_SQL_TYPES = {
    pa.uint8(): "UTINYINT",
    pa.uint16(): "USMALLINT",
    pa.uint32(): "UINTEGER",
    pa.uint64(): "UBIGINT",
}


@dataclass(frozen=True, slots=True)
class Stored:
    """What was stored; `units` where a column names them.

    All of it depends on the data and is for the owner's side alone.
    """

    rows: int
    fingerprint: TableFingerprint
    units: int | None = None


def store(
    table: Table,
    target: Path,
    *,
    columns: Sequence[ColumnSpec],
    max_rows: int,
    memory_bytes: int,
    key: bytes,
    unit: UnitNames | None = None,
) -> Stored:
    """Store the declared columns of the table in `target`; raises Refused, leaving nothing.

    `key` is the secret of the installation that fingerprints are made with.
    """
    places = _places(table, columns)
    owner = None if unit is None else _unit_column(table, columns, unit)
    draft = draft_of(target)
    try:
        ranked = draft_of(target, ".ranked")
        stored = _write(table, draft, ranked, places, columns, max_rows, memory_bytes, key, owner)
        if owner is not None:
            ranked.rename(draft)
        _force_to_disk(draft)
        draft.rename(target)
        _force_to_disk(target.parent)
    finally:
        remove_drafts(target)
    return stored


def _places(table: Table, columns: Sequence[ColumnSpec]) -> list[int]:
    places = []
    for spec in columns:
        if spec.name not in table.names:
            raise Refused(
                said("The file has no column “{column}”.", column=spec.name), column=spec.name
            )
        place = table.names.index(spec.name)
        if isinstance(spec.domain, NumericDomain) and pa.types.is_temporal(table.types[place]):
            raise Refused(
                said(
                    "This column holds dates or times. Convert them to numbers in the file, or "
                    "register the column as categories."
                ),
                column=spec.name,
            )
        places.append(place)
    return places


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
    places: Sequence[int],
    columns: Sequence[ColumnSpec],
    max_rows: int,
    memory_bytes: int,
    key: bytes,
    unit: UnitColumn | None,
) -> Stored:
    with duckdb.connect(str(draft), config=_config(memory_bytes)) as connection:
        draft.chmod(0o600)
        marks = None if unit is None else UnitMarks(unit, connection, key)
        connection.execute(f"CREATE TABLE data ({_columns_of(columns, marked=bool(marks))})")
        fingerprint = Fingerprint(len(table.names), connection, key)
        rows = 0
        for batch in table.batches:
            rows += batch.num_rows
            if rows > max_rows:
                raise _too_many_rows(max_rows)
            _append(batch, connection, fingerprint, marks, places, columns)
        units = None if unit is None else _ranked(connection, ranked, columns, unit)
        return Stored(rows, fingerprint.result(), units)


def _config(memory_bytes: int) -> dict[str, Any]:
    memory = f"{max(memory_bytes // 4_000_000, 64)}MB"
    return {"threads": 1, "memory_limit": memory, "preserve_insertion_order": True}


def _columns_of(columns: Sequence[ColumnSpec], *, marked: bool) -> str:
    types = [_SQL_TYPES[code_type(spec)] for spec in columns]
    names = [f"c{number} {kind}" for number, kind in enumerate(types)]
    return ", ".join([*names, MARKS] if marked else names)


def _ranked(
    connection: duckdb.DuckDBPyConnection,
    ranked: Path,
    columns: Sequence[ColumnSpec],
    unit: UnitColumn,
) -> int:
    """Write a second draft, with `u`, `r` and `n`; it will take the place of the first."""
    connection.execute(f"ATTACH '{ranked}' AS ranked")
    ranked.chmod(0o600)
    names = [f"c{number}" for number in range(len(columns))]
    units = rank_rows(connection, names, _part(columns, unit), unit.earlier)
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
    connection: duckdb.DuckDBPyConnection,
    fingerprint: Fingerprint,
    marks: UnitMarks | None,
    places: Sequence[int],
    columns: Sequence[ColumnSpec],
) -> None:
    declared = {place: number for number, place in enumerate(places)}
    stored: dict[int, pa.Array] = {}
    fingerprint.begin_rows(batch.num_rows)
    if marks is not None:
        marks.begin_rows(batch.num_rows)
    for place in range(batch.num_columns):
        cells = cells_of(batch.column(place))
        hashes = fingerprint.add(place, cells)
        if marks is not None:
            marks.add(place, cells)
        if place in declared:
            spec = columns[declared[place]]
            stored[declared[place]] = codes(cells, spec)
            if marks is not None:
                marks.mix(spec.name, cells, hashes)
    fingerprint.end_rows()
    ordered = {f"c{number}": stored[number] for number in sorted(stored)}
    connection.register("batch", pa.table(ordered) if marks is None else marks.table(ordered))
    connection.execute("INSERT INTO data SELECT * FROM batch")
    connection.unregister("batch")


def _too_many_rows(max_rows: int) -> Refused:
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
