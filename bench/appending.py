"""Rows that are added to many, beside reading all of them anew.

`uv run bench/appending.py [--rows 10000000] [--added 100000] [--rounds 3]`: the table of
`bench/scans.py`, kept, and a file with more rows of it, which are added; where each row is a unit,
and where a column names people, who have five rows on average and come back in the second file.
Medians of wall time of one reader, in turns with a plain copy of the kept file.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.census import COLUMNS, census
from bench.scans import keep
from dpgov.engines.ingest.request import Before, UnitNames, other_of


def main() -> None:
    """Invent, read, add in turns, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--added", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print("| unit | rows | read once | added | rows added in | a copy of the file |")
    print("|---|---|---|---|---|---|")
    for unit in (None, UnitNames("id")):
        with tempfile.TemporaryDirectory() as folder:
            _add(Path(folder), unit, options.rows, options.added, options.rounds)


def _add(folder: Path, unit: UnitNames | None, rows: int, added: int, rounds: int) -> None:
    each = 1 if unit is None else 5
    first = census(folder / "first.parquet", rows, rows_each=each)
    more = census(folder / "more.parquet", added, rows_each=each)
    kept, target = folder / "kept.duckdb", folder / "added.duckdb"
    once = _seconds(lambda: keep(first, kept, unit))
    before = Before(str(kept), tuple(enumerate(map(other_of, COLUMNS))))
    turns = []
    for _ in range(rounds):
        target.unlink(missing_ok=True)
        turns.append(
            (
                _seconds(lambda: keep(more, target, unit, before)),
                _seconds(lambda: _copied(kept)),
            )
        )
    seconds, copying = (statistics.median(each) for each in zip(*turns, strict=True))
    print(
        f"| {'row' if unit is None else 'person'} | {rows:,} | {once:.2f} s | {added:,} "
        f"| {seconds:.2f} s | {copying:.2f} s |",
        flush=True,
    )


def _copied(kept: Path) -> None:
    shutil.copyfile(kept, kept.with_suffix(".copy"))


def _seconds(done: Callable[[], None]) -> float:
    begun = time.perf_counter()
    done()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
