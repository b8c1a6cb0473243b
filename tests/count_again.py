"""A data file that a test has changed: its cubes are counted anew, as if it had been read so."""

from pathlib import Path

import duckdb

from dpgov.engines.cubes.keeping import keep_cubes, layouts_in


def count_again(path: Path) -> None:
    """Of the rows that are in this file now."""
    with duckdb.connect(str(path)) as connection:
        layouts = layouts_in(connection)
        connection.execute("DROP TABLE cubes")
    keep_cubes(path, layouts, threads=1, memory_bytes=500_000_000)
