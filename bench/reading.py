"""How long a file takes to become a stored version, beside DuckDB's own copy of the same file.

`uv run bench/reading.py [--rows 10000000] [--rounds 3]`: an invented table like a census (seven
columns, seeded) as Parquet and as CSV, read as the reader's child process reads it: fingerprints,
codes and, where a column names people, their ranks. Each in turns with `CREATE TABLE … AS` of the
same file, two threads, within one run; medians of wall time. Each reading in a process of its own,
whose largest memory is shown.
"""

import argparse
import resource
import statistics
import sys
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import duckdb

from bench.census import COLUMNS, census
from dpgov.engines.ingest.request import UnitNames
from dpgov.engines.ingest.store import store
from dpgov.engines.ingest.tables import open_table

_MEMORY = 4 * 10**9


def main() -> None:
    """Invent, read in turns, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print("| file | size | DuckDB's copy | rows | ratio | people | ratio | memory |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        parquet = census(Path(name) / "census.parquet", options.rows)
        for file in (parquet, _as_csv(parquet)):
            print(_line(file, [_turn(file) for _ in range(options.rounds)]))


def _turn(file: Path) -> tuple[float, ...]:
    """Seconds of the copy and of both readings, and the largest memory of these in bytes."""
    copied = _copied(file, file.with_name("copy.duckdb"))
    (rows, one), (people, two) = (_apart(file, names) for names in (None, "id"))
    return copied, rows, people, max(one, two)


def _line(file: Path, turns: list[tuple[float, ...]]) -> str:
    copied, rows, people, memory = (statistics.median(each) for each in zip(*turns, strict=True))
    cells = (
        f"{file.suffix[1:]}",
        f"{file.stat().st_size / 1e6:,.0f} MB",
        *(f"{copied:.1f} s", f"{rows:.1f} s", f"{rows / copied:.1f}"),
        *(f"{people:.1f} s", f"{people / copied:.1f}", f"{memory / 1e6:,.0f} MB"),
    )
    return f"| {' | '.join(cells)} |"


def _apart(file: Path, names: str | None) -> tuple[float, float]:
    with get_context("spawn").Pool(1) as process:
        return process.apply(_read, (file, file.with_name("read.duckdb"), names))


def _as_csv(parquet: Path) -> Path:
    target = parquet.with_suffix(".csv")
    duckdb.read_parquet(str(parquet)).write_csv(str(target), header=True)
    return target


def _copied(file: Path, target: Path) -> float:
    target.unlink(missing_ok=True)
    begun = time.perf_counter()
    with duckdb.connect(str(target), config={"threads": 2}) as connection:
        # Not a parameter: the types of a CSV file are found before parameters are there.
        source = f"read_{file.suffix[1:]}('{file}')"
        connection.execute(f"CREATE TABLE data AS SELECT * FROM {source}")
        connection.execute("CHECKPOINT")
    return time.perf_counter() - begun


def _read(file: Path, target: Path, names: str | None) -> tuple[float, float]:
    target.unlink(missing_ok=True)
    begun = time.perf_counter()
    store(
        open_table(file, format_name=file.suffix[1:]),
        target,
        columns=COLUMNS,
        max_rows=10**10,
        memory_bytes=_MEMORY,
        key=b"k" * 32,
        unit=UnitNames(names) if names else None,
    )
    seconds = time.perf_counter() - begun
    return seconds, 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
