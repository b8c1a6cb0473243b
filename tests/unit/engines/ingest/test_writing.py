"""L13: what is on its way into a file takes as much memory, however many rows there are."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import duckdb
import pyarrow as pa
import pytest

from dpgov.engines.ingest.writing import Writer, ahead, into

ROWS = 100_000


def _rows() -> pa.Table:
    """Of eight bytes each, in memory that is counted."""
    return pa.table({"c0": pa.array(range(ROWS), pa.int64())})


def test_rows_that_are_written_are_not_kept() -> None:
    """L13: although the transaction goes on; two groups of rows are on their way at most."""
    before, most = pa.total_allocated_bytes(), 0
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE data (c0 BIGINT)")
        with into(connection, "data") as sink:
            for _ in range(30):
                sink(_rows())
                most = max(most, pa.total_allocated_bytes() - before)
        counted = connection.execute("SELECT count(*), sum(c0) FROM data").fetchall()
    assert counted == [(30 * ROWS, 30 * ROWS * (ROWS - 1) // 2)]
    assert most < 10 * 8 * ROWS


def test_rows_are_written_in_the_order_in_which_they_come() -> None:
    with ThreadPoolExecutor(2) as threads:
        written: list[int] = []
        writer = Writer(threads, lambda rows: written.extend(rows["c0"].to_pylist()))
        for number in ahead(iter(range(50)), threads):
            writer.append(partial(pa.table, {"c0": [number]}))
        writer.finish()
    assert written == [*range(50)]


def test_what_goes_wrong_in_a_thread_is_raised_to_whoever_waits() -> None:
    def rows() -> Iterator[int]:
        yield 1
        raise MemoryError

    with ThreadPoolExecutor(2) as threads, pytest.raises(MemoryError):
        list(ahead(rows(), threads))
    with ThreadPoolExecutor(2) as threads:
        writer = Writer(threads, lambda rows: rows["c0"].cast(pa.int8()))
        writer.append(lambda: pa.table({"c0": [1000]}))
        with pytest.raises(pa.ArrowInvalid):
            writer.finish()
