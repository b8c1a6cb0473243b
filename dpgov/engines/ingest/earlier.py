"""In which part of a partition each unit lies already: read from the files it was in before.

A unit belongs to one part of a budget, not of a file, so the first file of the budget that a unit
was in decides. Every stored file says it: it holds the keyed hash of each unit that has rows in it,
and their part. A unit all of whose rows are left out there is in a file before that one.

Files from before there was a table `form` hash ids by the database's own function, which may differ
in another release of it; then such files cannot be compared with and the new one is refused.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import duckdb

from dpgov.engines.ingest.refusal import Refused
from dpgov.engines.ingest.request import EVERYTHING_ELSE, EarlierFile
from dpgov.language.said import said

_PROBE, _PROBE_OF_OLD = "SELECT hash('dpgov')", 4027631722125622740
_OTHER_RELEASE = said(
    "The people of the earlier file cannot be recognised any more, because it was stored by an "
    "older release of the database. Register this file as a dataset of its own."
)


def has_files_of_old(connection: duckdb.DuckDBPyConnection, files: Sequence[EarlierFile]) -> bool:
    """Whether units have to be known by the old hash, too; raises Refused where none is left."""
    found = False
    for file in files:
        with _attached(connection, file):
            found = found or _is_of_old(connection)
    if found and connection.execute(_PROBE).fetchall() != [(_PROBE_OF_OLD,)]:
        raise Refused(_OTHER_RELEASE)
    return found


def place_units(connection: duckdb.DuckDBPyConnection, files: Sequence[EarlierFile]) -> None:
    """Make the tables `known` and `known_of_old`: by its hash, the part of every earlier unit."""
    for table in ("known", "known_of_old"):
        connection.execute(f"CREATE TEMP TABLE {table} (k UBIGINT, part INTEGER)")
    for file in files:
        with _attached(connection, file):
            table = "known_of_old" if _is_of_old(connection) else "known"
            # One row for each hash, whatever the file holds: a join must not multiply rows.
            connection.execute(
                f"INSERT INTO {table} SELECT k, min({_part(file)}) FROM earlier.data "  # noqa: S608
                f"WHERE k NOT IN (SELECT k FROM {table}) GROUP BY k"
            )


def _part(file: EarlierFile) -> str:
    """The part of a row there in the words of the new file."""
    column = f"c{file.column:d}"
    arms = "".join(f" WHEN {code:d} THEN {now:d}" for code, now in enumerate(file.codes))
    return f"CASE {column}{arms} ELSE {EVERYTHING_ELSE:d} END"


def _is_of_old(connection: duckdb.DuckDBPyConnection) -> bool:
    found = connection.execute(
        "SELECT count(*) FROM duckdb_tables() "
        "WHERE database_name = 'earlier' AND table_name = 'form'"
    )
    return found.fetchall() == [(0,)]


@contextmanager
def _attached(connection: duckdb.DuckDBPyConnection, file: EarlierFile) -> Iterator[None]:
    path = file.path.replace("'", "''")
    connection.execute(f"ATTACH '{path}' AS earlier (READ_ONLY)")
    try:
        yield
    finally:
        connection.execute("DETACH earlier")
