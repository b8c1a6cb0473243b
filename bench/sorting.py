"""Would rows that are kept in the order of a column be found sooner?

`uv run bench/sorting.py [--rows 1000000 10000000] [--rounds 9]`: the table of `bench/scans.py` as
it is kept, in the order in which it came, and copied in the order of region and age. The same
questions of both, of which the integers are compared first, in turns; and what it takes to copy the
file once as it is and once in order, which a reader would do on top of what it does. Medians of
wall time, two threads, scans alone.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import duckdb

from bench.census import census
from bench.scans import stored
from dpgov.engines.files import DuckDBEngine
from dpgov.privacy.plan.bins import CodeGrouping, EvenRanges
from dpgov.privacy.plan.request import CodeFilter, ExactRequest, Measure, MeasureKind

_AGE, _INCOME, _, _REGION = range(4)
_IN_ORDER = f" ORDER BY c{_REGION}, c{_AGE}"
_ROWS, _INCOMES = Measure(MeasureKind.ROWS), Measure(MeasureKind.CODE_SUM, _INCOME)
QUESTIONS = {
    "all rows of a region": ExactRequest((CodeFilter(_REGION, ((3, 3),)),), (), (_ROWS,)),
    "a region from 40 on": ExactRequest(
        (CodeFilter(_REGION, ((3, 3),)), CodeFilter(_AGE, ((40, 120),))), (), (_ROWS,)
    ),
    "its income": ExactRequest((CodeFilter(_REGION, ((3, 3),)),), (), (_ROWS, _INCOMES)),
    "from 40 on": ExactRequest((CodeFilter(_AGE, ((40, 120),)),), (), (_ROWS,)),
    "some incomes": ExactRequest((CodeFilter(_INCOME, ((200, 205),)),), (), (_ROWS,)),
    "income, of all": ExactRequest((), (), (_ROWS, _INCOMES)),
    "histogram of income": ExactRequest(
        (), (CodeGrouping(_INCOME, EvenRanges(1_999, 125)),), (_ROWS,)
    ),
}


def main() -> None:
    """Invent, read, copy in order, ask in turns, print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    for rows in options.rows:
        with tempfile.TemporaryDirectory() as folder:
            file = census(Path(folder) / "census.parquet", rows)
            _compare(file, rows, options.rounds)


def _compare(file: Path, rows: int, rounds: int) -> None:
    begun = time.perf_counter()
    as_it_came = stored(file, by_person=False)
    read = time.perf_counter() - begun
    kept = file.with_suffix(".duckdb")
    seconds, sizes = [], []
    for name, order in (("plain", ""), ("in_order", _IN_ORDER)):
        copy = kept.with_stem(name)
        seconds.append(_copied(kept, copy, order))
        sizes.append(copy.stat().st_size / 1e6)
    print(
        f"\n{rows:,} rows: read in {read:.2f} s, copied in {seconds[0]:.2f}, in order in ", end=""
    )
    print(f"{seconds[1]:.2f} s; {sizes[0]:.0f} MB and {sizes[1]:.0f} MB\n")
    print("| question | as they came | in order | ratio |\n|---|---|---|---|")
    in_order = DuckDBEngine(kept.with_stem("in_order"), seconds=600, memory_bytes=4 * 10**9)
    for name, request in QUESTIONS.items():
        if _numbers(as_it_came, request) != _numbers(in_order, request):
            raise SystemExit(f"{name}: not the same integers")
        engines = (as_it_came, in_order)
        turns = [[_seconds(engine, request) for engine in engines] for _ in range(rounds)]
        came, ordered = (1_000 * statistics.median(each) for each in zip(*turns, strict=True))
        print(f"| {name} | {came:.1f} ms | {ordered:.1f} ms | {ordered / came:.2f} |", flush=True)


def _numbers(engine: DuckDBEngine, request: ExactRequest) -> list[list[int]]:
    return [list(map(int, cell)) for cell in engine.answer(request)]


def _copied(kept: Path, copy: Path, order: str) -> float:
    """Seconds of writing its rows into another file, to the end of it."""
    begun = time.perf_counter()
    with duckdb.connect(str(copy), config={"threads": 2}) as connection:
        connection.execute(f"ATTACH '{kept}' AS kept (READ_ONLY)")
        connection.execute(f"CREATE TABLE data AS SELECT * FROM kept.data{order}")
    return time.perf_counter() - begun


def _seconds(engine: DuckDBEngine, request: ExactRequest) -> float:
    begun = time.perf_counter()
    engine.answer(request)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
