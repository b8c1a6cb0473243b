"""Cubes in a data file: written once, when its rows are, and read by whoever answers.

Every one is written whole, a machine word for each number, zeros too and not compressed: what it
takes is the same whatever was counted.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from dpgov.privacy.plan.cubes import Layout
from dpgov.privacy.plan.request import Counts

_WORD = np.dtype("<i8")
# Of the codes of all columns of a cube, each rounded up.
_BITS = 22
# Of all columns of a wide table together blocks would be held at once.
_SUMS_AT_ONCE = 16
_TABLE = (
    "CREATE TABLE cubes (columns INTEGER[], sizes INTEGER[], sums INTEGER[], rows_of_unit INTEGER, "
    "max_rows BIGINT, numbers BLOB)"
)


def keep_cubes(path: Path, layouts: Sequence[Layout], *, threads: int, memory_bytes: int) -> None:
    """Count the rows that are in this file, and write the cubes beside them."""
    memory = f"{max(memory_bytes // 4_000_000, 64)}MB"
    config: dict[str, Any] = {"threads": threads, "memory_limit": memory}
    with duckdb.connect(str(path), config=config) as connection:
        connection.execute("SET force_compression = 'uncompressed'")
        # Codes are small: rows are counted in place, without hashing, where they have few bits.
        connection.execute(f"SET perfect_ht_threshold = {_BITS}")
        connection.execute(_TABLE)
        for layout in layouts:
            kept = [list(part) for part in (layout.columns, layout.sizes, layout.sums)]
            numbers = _counted(connection, layout).tobytes()
            connection.execute(
                "INSERT INTO cubes VALUES (?, ?, ?, ?, ?, ?)",
                [*kept, layout.rows_of_unit, layout.max_rows, numbers],
            )


def _counted(connection: duckdb.DuckDBPyConnection, layout: Layout) -> Counts:
    numbers: Counts = np.zeros(layout.shape, _WORD)
    for begin in range(0, max(len(layout.sums), 1), _SUMS_AT_ONCE):
        sums = layout.sums[begin : begin + _SUMS_AT_ONCE]
        found = list(connection.execute(_sql(layout, sums)).fetchnumpy().values())
        _put(numbers, layout, begin, found)
    return numbers


def _put(numbers: Counts, layout: Layout, begin: int, found: list[npt.NDArray[Any]]) -> None:
    """What was counted, and the sums from the one with the number `begin` on, to their places."""
    width = len(layout.columns)
    places = tuple(
        # In wide numbers first: one more than the last code may not fit its own.
        np.where(np.ma.getmaskarray(codes), size, np.ma.getdata(codes).astype(np.int64))
        for codes, size in zip(found[:width], layout.sizes, strict=True)
    )
    for place, column in enumerate(found[width:]):
        number = place + 2 * begin if place else 0
        numbers[(np.full(len(column), number), *places)] = np.ma.filled(column, 0)


def _sql(layout: Layout, sums: Sequence[int]) -> str:
    names = [f"c{column:d}" for column in layout.columns]
    totals = ["count(*) AS t"]
    for column in sums:
        totals += [f"count(c{column:d}) AS p{column:d}", f"sum(c{column:d})::BIGINT AS s{column:d}"]
    sql = f"SELECT {', '.join([*names, *totals])} FROM data"  # noqa: S608 - integers only
    if layout.rows_of_unit is not None:
        sql += f" WHERE r < {layout.rows_of_unit:d}"
    return sql + (f" GROUP BY {', '.join(names)}" if names else "")


def layouts_in(connection: duckdb.DuckDBPyConnection) -> tuple[Layout, ...]:
    """The cubes of a file in their order; none where it was read before there were any."""
    cursor = connection.cursor()
    try:
        rows = cursor.execute(
            "SELECT columns, sizes, sums, rows_of_unit, max_rows FROM cubes ORDER BY rowid"
        )
    except duckdb.CatalogException:
        # Asked for outright: a list of all tables would cost every file's first answer 17 ms.
        return ()
    return tuple(
        Layout(tuple(columns), tuple(sizes), tuple(sums), rows_of_unit, max_rows)
        for columns, sizes, sums, rows_of_unit, max_rows in rows.fetchall()
    )


def numbers_in(connection: duckdb.DuckDBPyConnection, place: int, layout: Layout) -> Counts:
    """Those of the cube at this place."""
    cursor = connection.cursor()
    (found,) = cursor.execute(
        "SELECT numbers FROM cubes ORDER BY rowid LIMIT 1 OFFSET ?", [place]
    ).fetchall()
    return np.frombuffer(found[0], _WORD).reshape(layout.shape)
