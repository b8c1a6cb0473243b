"""In which part of a partition each unit lies already: read from the files it was in before.

A unit belongs to one part of a budget, not of a file, so the first file of the budget that a unit
was in decides. Every stored file says it: it holds the keyed hash of each unit that has rows in it,
and their part. A unit all of whose rows are left out there is in a file before that one.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import duckdb

from dpgov.engines.ingest.request import EVERYTHING_ELSE, EarlierFile


@contextmanager
def attached(connection: duckdb.DuckDBPyConnection, path: str, name: str) -> Iterator[None]:
    """Within, the stored file of this path is there to read under a name of ours."""
    quoted = path.replace("'", "''")
    connection.execute(f"ATTACH '{quoted}' AS {name} (READ_ONLY)")
    try:
        yield
    finally:
        connection.execute(f"DETACH {name}")


def place_units(connection: duckdb.DuckDBPyConnection, files: Sequence[EarlierFile]) -> None:
    """Make the table `known`: by its hash, the part of every earlier unit."""
    connection.execute("CREATE TEMP TABLE known (k UBIGINT, part INTEGER)")
    for file in files:
        with attached(connection, file.path, "earlier"):
            # One row for each hash, whatever the file holds: a join must not multiply rows.
            connection.execute(
                f"INSERT INTO known SELECT k, min({_part(file)}) FROM earlier.data "  # noqa: S608
                "WHERE k NOT IN (SELECT k FROM known) GROUP BY k"
            )


def _part(file: EarlierFile) -> str:
    """The part of a row there in the words of the new file."""
    column = f"c{file.column:d}"
    arms = "".join(f" WHEN {code:d} THEN {now:d}" for code, now in enumerate(file.codes))
    return f"CASE {column}{arms} ELSE {EVERYTHING_ELSE:d} END"
