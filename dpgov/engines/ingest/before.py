"""Rows that are stored already come first, as they are, and those of a new file after them.

Every stored file says what was in the file that it was made of, in the table `seen`: keyed hashes,
as they are kept to recognise data again, so that the rows of both are recognised together.

Where its columns are the same and as wide, the new file begins as a copy of the one before, whose
rows are then not written again: only the code of everything else moves, where categories came
between. Which files those are follows from declarations alone. What becomes of the rows of a person
who comes back, see `units.joined`.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np

from dpgov.engines.ingest.recognised.fingerprint import StoredMultiset
from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.request import Before, other_of
from dpgov.engines.ingest.units.joined import change_rows
from dpgov.engines.ingest.units.parts import attached
from dpgov.engines.ingest.values import sql_type
from dpgov.language.said import said
from dpgov.privacy.plan.schema import ColumnSpec


def remember(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], seen: Sequence[StoredMultiset]
) -> None:
    """Make the table `seen`, for whoever adds rows later; the rows have no name."""
    connection.execute(
        "CREATE TABLE seen (name VARCHAR, span BIGINT, total BIGINT, weight VARCHAR, "
        "hashes BLOB, counts BLOB)"
    )
    for name, each in zip(["", *names], seen, strict=True):
        sketch = [each.hashes.astype("<u8").tobytes(), each.counts.astype("<i8").tobytes()]
        connection.execute(
            "INSERT INTO seen VALUES (?, ?, ?, ?, ?, ?)",
            [name, each.span, each.total, str(each.weight), *sketch],
        )


def _recall(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> list[StoredMultiset]:
    """What the file of before remembers, its columns in this order; raises Refused."""
    rows = connection.execute("SELECT * FROM before.seen").fetchall()
    found = {name: _seen(*kept) for name, *kept in rows}
    if set(found) != {"", *names}:
        columns = ", ".join(sorted(name for name in found if name))
        raise Refused(
            said(
                "New rows need the same columns as those that are there: {columns}.",
                columns=columns,
            )
        )
    return [found[name] for name in ["", *names]]


def _seen(span: int, total: int, weight: str, hashes: bytes, counts: bytes) -> StoredMultiset:
    values = np.frombuffer(hashes, "<u8").astype(np.uint64)
    return StoredMultiset(
        span, total, int(weight), values, np.frombuffer(counts, "<i8").astype(np.int64)
    )


def _rows_before(connection: duckdb.DuckDBPyConnection) -> int:
    """How many there are: the true number, for whoever brought them."""
    return int(connection.execute("SELECT count(*) FROM before.data").fetchall()[0][0])


def begin_as(
    before: Before,
    draft: Path,
    columns: Sequence[ColumnSpec],
    made_of: str,
    config: dict[str, Any],
) -> bool:
    """Begin the new file as a copy of that of before, with its rows alone; whether it was.

    `made_of` is what a row of the new file is made of, in the words of the database, and `config`
    what that may use. It is begun where every column of before is, at its place and as wide.
    """
    places = [place for place, _ in before.columns]
    if places != list(range(len(columns))) or not _is_made_of(before.path, made_of, config):
        return False
    draft.touch(0o600)
    shutil.copyfile(before.path, draft)
    with duckdb.connect(str(draft), config=config) as connection:
        for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            if name != "data":
                connection.execute(f"DROP TABLE {name}")
        for number, (old, new) in _moved(before, columns).items():
            change_rows(connection, f"c{number} = {new:d}", f"c{number} = {old:d}")
    return True


def _is_made_of(path: str, columns: str, config: dict[str, Any]) -> bool:
    """As this code stores them, which another version of it may not have done."""
    with duckdb.connect(config=config) as connection:
        connection.execute(f"CREATE TABLE data ({columns})")
        with attached(connection, path, "before"):
            own = connection.execute("DESCRIBE data").fetchall()
            return connection.execute("DESCRIBE before.data").fetchall() == own


class There(NamedTuple):
    """How many rows come first, and what is known of them."""

    rows: int = 0
    seen: Sequence[StoredMultiset] = ()


def begin_after(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], before: Before | None
) -> There:
    """What is known of the rows of before; raises Refused for other columns."""
    if before is None:
        return There()
    with attached(connection, before.path, "before"):
        return There(_rows_before(connection), _recall(connection, names))


def write_rows(
    connection: duckdb.DuckDBPyConnection,
    before: Before,
    columns: Sequence[ColumnSpec],
    marks: Sequence[str],
) -> None:
    """Put them into `data`, with what says whose they are under `marks`, if anything does."""
    every = ", ".join([*_codes(before, columns), *marks])
    with attached(connection, before.path, "before"):
        connection.execute(f"INSERT INTO data SELECT {every} FROM before.data")  # noqa: S608


def _moved(before: Before, columns: Sequence[ColumnSpec]) -> dict[int, tuple[int, int]]:
    """By column, what the code of everything else was and is: what was undeclared stays so."""
    codes = {
        number: (old, other_of(spec))
        for number, (spec, (_, old)) in enumerate(zip(columns, before.columns, strict=True))
    }
    return {
        number: (old, new)
        for number, (old, new) in codes.items()
        if old is not None and new is not None and old != new
    }


def _codes(before: Before, columns: Sequence[ColumnSpec]) -> list[str]:
    """The codes of before in the words of the new file."""
    found, moved = [], _moved(before, columns)
    for number, (spec, (place, _)) in enumerate(zip(columns, before.columns, strict=True)):
        code = f"c{place:d}"
        if number in moved:
            old, new = moved[number]
            code = f"CASE WHEN {code} = {old:d} THEN {new:d} ELSE {code} END"
        found.append(f"({code})::{sql_type(spec)} AS c{number}")
    return found
