"""Writes the codes of a table into a native DuckDB file, all of it or none.

The file has one table `data` with integer columns c0..cN, each as narrow as its declared domain
allows. It is written under another name, forced to disk and then renamed.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from dpgov.engines.fingerprint import TableFingerprint
from dpgov.engines.ingest.fingerprint import Fingerprint
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.tables import Table
from dpgov.engines.ingest.values import cells_of, code_type, codes
from dpgov.privacy.schema import ColumnSpec, NumericDomain

_SQL_TYPES = {
    pa.uint8(): "UTINYINT",
    pa.uint16(): "USMALLINT",
    pa.uint32(): "UINTEGER",
    pa.uint64(): "UBIGINT",
}


@dataclass(frozen=True, slots=True)
class Stored:
    """What was stored. Both depend on the data and are for the owner's side alone."""

    rows: int
    fingerprint: TableFingerprint


def store(
    table: Table,
    target: Path,
    *,
    columns: Sequence[ColumnSpec],
    max_rows: int,
    memory_bytes: int,
    key: bytes,
) -> Stored:
    """Store the declared columns of the table in `target`; raises Refused, leaving nothing.

    `key` is the secret of the installation that fingerprints are made with.
    """
    places = _places(table, columns)
    draft = target.with_name(f"{target.name}.draft")
    try:
        stored = _write(table, draft, places, columns, max_rows, memory_bytes, key)
        _force_to_disk(draft)
        draft.rename(target)
        _force_to_disk(target.parent)
    finally:
        for leftover in (draft, draft.with_name(f"{draft.name}.wal")):
            leftover.unlink(missing_ok=True)
    return stored


def _places(table: Table, columns: Sequence[ColumnSpec]) -> list[int]:
    places = []
    for spec in columns:
        if spec.name not in table.names:
            raise Refused(f"The file has no column “{spec.name}”.", column=spec.name)
        place = table.names.index(spec.name)
        if isinstance(spec.domain, NumericDomain) and pa.types.is_temporal(table.types[place]):
            raise Refused(
                "This column holds dates or times. Convert them to numbers in the file, "
                "or register the column as categories.",
                column=spec.name,
            )
        places.append(place)
    return places


def _write(
    table: Table,
    draft: Path,
    places: Sequence[int],
    columns: Sequence[ColumnSpec],
    max_rows: int,
    memory_bytes: int,
    key: bytes,
) -> Stored:
    memory = f"{max(memory_bytes // 4_000_000, 64)}MB"
    config: dict[str, Any] = {
        "threads": 1,
        "memory_limit": memory,
        "preserve_insertion_order": True,
    }
    with duckdb.connect(str(draft), config=config) as connection:
        draft.chmod(0o600)
        types = [code_type(spec) for spec in columns]
        names = ", ".join(f"c{i} {_SQL_TYPES[kind]}" for i, kind in enumerate(types))
        connection.execute(f"CREATE TABLE data ({names})")
        fingerprint = Fingerprint(len(table.names), connection, key)
        rows = 0
        for batch in table.batches:
            rows += batch.num_rows
            if rows > max_rows:
                raise _too_many_rows(max_rows)
            _append(batch, connection, fingerprint, places, columns)
        return Stored(rows, fingerprint.result())


def _append(
    batch: pa.RecordBatch,
    connection: duckdb.DuckDBPyConnection,
    fingerprint: Fingerprint,
    places: Sequence[int],
    columns: Sequence[ColumnSpec],
) -> None:
    declared = {place: number for number, place in enumerate(places)}
    stored: dict[int, pa.Array] = {}
    fingerprint.begin_rows(batch.num_rows)
    for place in range(batch.num_columns):
        cells = cells_of(batch.column(place))
        fingerprint.add(place, cells)
        if place in declared:
            stored[declared[place]] = codes(cells, columns[declared[place]])
    fingerprint.end_rows()
    ordered = {f"c{number}": stored[number] for number in sorted(stored)}
    connection.register("batch", pa.table(ordered))
    connection.execute("INSERT INTO data SELECT * FROM batch")
    connection.unregister("batch")


def _too_many_rows(max_rows: int) -> Refused:
    return Refused(
        f"The file has more than {max_rows:,} rows. Raise the largest number of rows, "
        "or upload a smaller file.",
        field="max_rows",
    )


def _force_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
