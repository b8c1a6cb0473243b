"""How far a file is read follows the rows that were handed out, and not what was fetched ahead.

What could go wrong: a reader fetches far ahead of its rows, a full bar stands before somebody for
most of the time, and no time that is left is ever told.
"""

import gzip
import random
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpgov.engines import child
from dpgov.engines.child import Limits, Progress
from dpgov.engines.ingest import csv_rows
from dpgov.engines.ingest.joining import opened
from dpgov.engines.ingest.reading import FileFormat
from tests.unit.engines.hostile_files import parquet_of, zipped
from tests.unit.engines.tables import KEY, number
from tests.unit.engines.workbooks import workbook

ROWS = 100_000
_DRAWN = random.Random(7)
NUMBERS = [_DRAWN.randrange(10**14, 10**15) for _ in range(ROWS)]
TEXT = "\n".join(["n", *map(str, NUMBERS)]) + "\n"


def _parquet(path: Path) -> None:
    pq.write_table(pa.table({"n": NUMBERS}), path, row_group_size=10_000)


def _sheet(path: Path) -> None:
    path.write_bytes(workbook({"one": [["n"], *([number] for number in NUMBERS)]}))


def _parts(path: Path) -> None:
    """The rows as CSV files of an archive, which lie there in another order than they are read."""
    quarters = [NUMBERS[start : start + ROWS // 4] for start in range(0, ROWS, ROWS // 4)]
    named = {
        f"{at}.csv": "\n".join(["n", *map(str, rows)]).encode() for at, rows in enumerate(quarters)
    }
    path.write_bytes(zipped(dict(sorted(named.items(), reverse=True))))


def _parquet_parts(path: Path) -> None:
    halves = (NUMBERS[: ROWS // 2], NUMBERS[ROWS // 2 :])
    parts = [parquet_of(pa.table({"n": half}), row_group_size=10_000) for half in halves]
    path.write_bytes(zipped({f"{at}.parquet": part for at, part in enumerate(parts)}))


FILES = {
    "csv": lambda path: path.write_text(TEXT),
    "gzip": lambda path: path.write_bytes(gzip.compress(TEXT.encode(), 1)),
    "utf-16": lambda path: path.write_text(TEXT, encoding="utf-16"),
    "parquet": _parquet,
    "sheet": _sheet,
    "zip of several CSV files": _parts,
    "zip of several Parquet files": _parquet_parts,
}


@pytest.fixture
def few_rows_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_rows, "BLOCK_BYTES", 80_000)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.usefixtures("few_rows_a_block")
def test_what_is_told_of_the_bytes_goes_with_the_rows_and_is_whole_at_their_end(
    tmp_path: Path, kind: str
) -> None:
    source = tmp_path / "file"
    FILES[kind](source)
    told: list[tuple[int, int]] = []
    reading = FileFormat(encoding="utf-16" if kind == "utf-16" else "utf-8", sheet="one")
    table = opened(source, reading.as_json(), told=lambda rows, read: told.append((rows, read)))
    assert sum(batch.num_rows for batch in table.batches) == ROWS
    size = source.stat().st_size
    *before, (rows, read) = told
    assert (rows, read) == (ROWS, size)
    assert len(before) > 5
    assert all(earlier[1] <= later[1] for earlier, later in pairwise(told))
    assert all(read < size for _, read in before)
    assert all(abs(read / size - rows / ROWS) < 0.15 for rows, read in before)


def test_a_watcher_hears_that_all_is_read_however_short_it_took(tmp_path: Path) -> None:
    source = tmp_path / "file"
    source.write_bytes(b"n\n1\n2\n3\n")
    heard: list[Progress] = []
    child.ingest(
        source,
        tmp_path / "target",
        columns=(number("n", "0", "9"),),
        max_rows=10,
        limits=Limits(memory_bytes=200_000_000, seconds=60),
        key=KEY,
        watch=heard.append,
    )
    assert heard[-1] == Progress(3, source.stat().st_size)
