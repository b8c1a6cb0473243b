"""Small tables for the engine: written by the product's own ingest, read back as codes."""

import csv
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from dpgov.engines.ingest.joining import joined
from dpgov.engines.ingest.request import Before, Join, UnitNames
from dpgov.engines.ingest.store import StoredRows, store
from dpgov.engines.ingest.tables import open_table
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, MissingRule, NumericDomain
from tests.reference import Owned

MEMORY = 500_000_000
KEY = bytes(32)


def number(
    name: str, lower: str, upper: str, step: str = "1", *, impute_code: int | None = None
) -> ColumnSpec:
    """A number column; missing values are dropped unless a code is to stand in for them."""
    domain = NumericDomain(Decimal(lower), Decimal(upper), Decimal(step))
    return ColumnSpec(name, domain, _rule(impute_code), impute_code)


def category(name: str, *categories: str, impute_code: int | None = None) -> ColumnSpec:
    """A category column."""
    return ColumnSpec(name, CategoryDomain(categories), _rule(impute_code), impute_code)


def _rule(impute_code: int | None) -> MissingRule:
    return MissingRule.DROP if impute_code is None else MissingRule.IMPUTE


def write_csv(path: Path, names: Sequence[str], rows: Sequence[Sequence[object]]) -> Path:
    """A CSV file with these cells; None is an empty cell, and every text is quoted."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(names)
        writer.writerows(rows)
    return path


def write_parquet(path: Path, columns: dict[str, pa.Array]) -> Path:
    """A Parquet file with these columns."""
    pq.write_table(pa.table(columns), path)
    return path


def ingest_here(
    source: Path,
    columns: Sequence[ColumnSpec],
    *,
    max_rows: int = 10_000,
    key: bytes = KEY,
    unit: UnitNames | None = None,
    before: Before | None = None,
    join: Join | None = None,
) -> StoredRows:
    """Store the file's codes beside it, in this process."""
    kind = "parquet" if source.read_bytes()[:4] == b"PAR1" else "csv"
    target = source.with_suffix(".duckdb")
    table = open_table(source, format_name=kind)
    return store(
        table if join is None else joined(table, join),
        target,
        columns=columns,
        max_rows=max_rows,
        memory_bytes=MEMORY,
        key=key,
        unit=unit,
        before=before,
    )


def stored_codes(source: Path) -> list[tuple[int | None, ...]]:
    """The codes that `ingest_here` stored, row by row."""
    with duckdb.connect(str(source.with_suffix(".duckdb")), read_only=True) as connection:
        return connection.execute("SELECT * FROM data").fetchall()


def write_codes(path: Path, types: Sequence[str], rows: Sequence[Sequence[int | None]]) -> Path:
    """A file as the engine expects it, with these codes."""
    names = ", ".join(f"c{place} {kind}" for place, kind in enumerate(types))
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE data ({names})")
        marks = ", ".join("?" for _ in types)
        if rows:
            connection.executemany(f"INSERT INTO data VALUES ({marks})", rows)
    return path


def write_owned(path: Path, types: Sequence[str], rows: Sequence[Owned]) -> Path:
    """The same where a column names the unit of each row."""
    marks = ("u UINTEGER", "k UBIGINT", "r UINTEGER", "n USMALLINT")
    names = ", ".join([*(f"c{place} {kind}" for place, kind in enumerate(types)), *marks])
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE data ({names})")
        places = ", ".join("?" for _ in (*types, *marks))
        stored = [(*row.codes, row.unit, row.key, row.rank, row.size) for row in rows]
        if stored:
            connection.executemany(f"INSERT INTO data VALUES ({places})", stored)
    return path
