"""Rows of units that are there already, and those that a new file has of them.

A unit is known by the keyed hash of its id. Its rows of before keep their places among its rows,
and the new ones follow, so that no more of them count than of a file that held all of them. Where
its partition puts it was decided before, see `units`.

Beside each row of a unit stands how many it has. That is changed where it stands, some rows at a
time: what a change of all of them takes in memory grows with them.
"""

from collections.abc import Iterator, Sequence

import duckdb

from dpgov.privacy.plan.grouping import LARGEST_SIZE

# Ten groups of rows, as the database keeps them together.
_AT_A_TIME = 1_228_800


def join_units(connection: duckdb.DuckDBPyConnection, columns: Sequence[str]) -> None:
    """Put the rows of the table `added` into `data`, after those of their unit that are there.

    Both have these columns and those of RANKED; `u` and `k` of `added` are of its own rows alone.
    """
    connection.execute(
        "CREATE TEMP TABLE lain AS SELECT k, min(u) AS u, count(*) AS rows FROM data "
        "WHERE k IN (SELECT k FROM added) GROUP BY k"
    )
    connection.execute(
        # A unit that comes for the first time gets a number after all others.
        "CREATE TEMP TABLE coming AS SELECT added.*, coalesce(lain.rows, 0) AS rows, "
        "coalesce(lain.u, (SELECT coalesce(max(u), 0) FROM data) + 1 + added.u) AS whose "
        "FROM added LEFT JOIN lain ON lain.k = added.k"
    )
    connection.execute(
        "CREATE TEMP TABLE further AS SELECT whose, count(*) AS rows FROM coming GROUP BY whose"
    )
    more = f"n = least(n + further.rows, {LARGEST_SIZE})::USMALLINT FROM further"
    change_rows(connection, more, f"further.whose = data.u AND n < {LARGEST_SIZE}")
    connection.execute(
        f"INSERT INTO data SELECT {', '.join(columns)}, whose::UINTEGER, k, "  # noqa: S608
        "(rows + row_number() OVER (PARTITION BY whose ORDER BY r, u) - 1)::UINTEGER, "
        f"least(rows + count(*) OVER (PARTITION BY whose), {LARGEST_SIZE})::USMALLINT FROM coming"
    )


def change_rows(connection: duckdb.DuckDBPyConnection, change: str, which: str) -> None:
    """Carry out this change of `data` in all rows that fit, each piece written before the next."""
    for piece in _pieces(connection):
        connection.execute(f"UPDATE data SET {change} WHERE {which} AND {piece}")  # noqa: S608
        connection.execute("CHECKPOINT")


def _pieces(connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Conditions that divide `data` by where its rows lie."""
    ((last,),) = connection.execute("SELECT coalesce(max(rowid), -1) FROM data").fetchall()
    for begin in range(0, last + 1, _AT_A_TIME):
        yield f"data.rowid BETWEEN {begin:d} AND {begin + _AT_A_TIME - 1:d}"
