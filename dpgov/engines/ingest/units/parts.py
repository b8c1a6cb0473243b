"""In which part of a budget a unit is.

A unit belongs to one part of a budget, not of a file, so the first file of the budget that a unit
was in decides. Every stored file says it: it holds the keyed hash of each unit that has rows in it,
and their part. A unit all of whose rows are left out there is in a file before that one.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from dpgov.engines.ingest.recognised.siphash import Words
from dpgov.engines.ingest.request import EVERYTHING_ELSE, EarlierFile

Numbers = npt.NDArray[np.int64]


@contextmanager
def attached(connection: duckdb.DuckDBPyConnection, path: str, name: str) -> Iterator[None]:
    """Within, the stored file of this path is there to read under a name of ours."""
    quoted = path.replace("'", "''")
    connection.execute(f"ATTACH '{quoted}' AS {name} (READ_ONLY)")
    try:
        yield
    finally:
        connection.execute(f"DETACH {name}")


class CategoryParts:
    """The parts that a column of categories makes: a code each, and all `others` together."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        column: str,
        others: int,
        earlier: Sequence[EarlierFile],
    ) -> None:
        self._connection = connection
        self._column, self._others = column, others
        # How many units no earlier file knows.
        self.newcomers = 0
        _place_units(connection, earlier)

    def of_rows(self, rows: pa.Table) -> Numbers:
        """Where each row lies by itself: a missing value is in the part of everything else."""
        codes = pc.fill_null(rows[self._column].cast(pa.int64()), self._others)
        found = codes.to_numpy()
        return np.where(found < self._others, found, EVERYTHING_ELSE)

    def of_units(self, keys: Words, first: Numbers) -> Numbers:
        """Where units are, by their ascending hashes: in an earlier file, or where the `first` row
        of each lies."""
        if not len(keys):
            return first
        self.newcomers += len(keys)
        found = self._connection.execute(
            "SELECT k, part FROM known WHERE k BETWEEN ? AND ? ORDER BY k",
            [int(keys[0]), int(keys[-1])],
        ).fetchnumpy()
        here = np.isin(keys, found["k"])
        self.newcomers -= int(np.count_nonzero(here))
        parts = first.copy()
        parts[here] = found["part"][np.searchsorted(found["k"], keys[here])]
        return parts


def _place_units(connection: duckdb.DuckDBPyConnection, files: Sequence[EarlierFile]) -> None:
    """Make the table `known`: by its hash, the part of every earlier unit."""
    connection.execute("CREATE TEMP TABLE known (k UBIGINT, part INTEGER)")
    for file in files:
        with attached(connection, file.path, "earlier"):
            # One row for each hash, whatever the file holds: it is in one part.
            connection.execute(
                f"INSERT INTO known SELECT k, min({_part(file)}) FROM earlier.data "  # noqa: S608
                "WHERE k NOT IN (SELECT k FROM known) GROUP BY k"
            )


def _part(file: EarlierFile) -> str:
    """The part of a row there in the words of the new file."""
    column = f"c{file.column:d}"
    arms = "".join(f" WHEN {code:d} THEN {now:d}" for code, now in enumerate(file.codes))
    return f"CASE {column}{arms} ELSE {EVERYTHING_ELSE:d} END"
