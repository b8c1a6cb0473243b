"""Exact integers from Parquet files through Spark: by the engine, and by SQL that a person writes.

`uv run --group spark bench/spark.py [--rows 1000000] [--rounds 5]`: the table of `bench/census.py`
in eight files, the questions of `bench/postgres.py`, and a throw-away cluster: a Connect server and
two workers of one core, each a process. Needs Java. Both ways open a session for each question,
look at the files, and give the same integers, which is looked at first. What a person writes knows
that the table is clean. Medians of wall time in turns, and their ratio; beside them the embedded
engine, by a scan of the same rows in one process.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import pyarrow.parquet as pq

from bench.census import COLUMNS, census
from bench.postgres import WORK, Work
from dpgov.engines.files import DuckDBEngine
from dpgov.engines.ingest.request import UnitNames
from dpgov.engines.spark.engine import SparkEngine
from dpgov.engines.spark.rows import Source
from dpgov.engines.spark.server import Server
from dpgov.privacy.plan.schema import PrivacyUnit
from tests.servers.spark import Spark, throw_away_spark
from tests.unit.engines.tables import ingest_here

_FILES = 8
_STEPS = "CAST(rint(least(greatest(income, 0), 200000) / 100) AS BIGINT)"
_PLAIN = {
    "filtered count": "SELECT count(*) FROM census WHERE age >= 40 AND region = 'r3'",
    "clipped sum and mean": f"SELECT sum({_STEPS}), count(income) FROM census",
    "histogram of 16 bins": f"SELECT count(*) FROM census GROUP BY {_STEPS} div 125",
    "mean by 12 x 2 groups": "SELECT sum(hours), count(hours) FROM census GROUP BY region, sex",
    "median": f"SELECT count(*) FROM census GROUP BY {_STEPS}",
    "table of 16 x 12": "SELECT count(*) FROM census GROUP BY education, region",
    "count, at most 5 rows each": "SELECT sum(least(c, 5)) "
    "FROM (SELECT count(*) AS c FROM census GROUP BY id) AS counted",
    "sum by region, at most 5 rows each": "SELECT sum(hours) FROM (SELECT *, row_number() OVER "
    "(PARTITION BY id ORDER BY NULL) AS place FROM census) AS ranked WHERE place <= 5 "
    "GROUP BY region",
}
Cells = list[tuple[int, ...]]


def main() -> None:
    """Invent, ask in turns, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print("| question | rows | by hand | engine | ratio | embedded |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        with throw_away_spark(root) as spark:
            for rows in options.rows:
                _ask_all(spark, root, rows, options.rounds)


def _ask_all(spark: Spark, root: Path, rows: int, rounds: int) -> None:
    files = root / f"census{rows}"
    files.mkdir()
    own = {by: root / f"{rows}{by}.parquet" for by in (True, False)}
    for by_person, path in own.items():
        census(path, rows, rows_each=5)
        unit = UnitNames("id", max_rows=1_000) if by_person else None
        ingest_here(path, COLUMNS, max_rows=rows, unit=unit)
    whole, part = pq.read_table(own[True]), -(-rows // _FILES)
    for at in range(_FILES):
        pq.write_table(whole.slice(at * part, part), files / f"{at}.parquet")
    for work in WORK:
        there = _there(spark, files, by_person=work.by_person)
        stored = own[work.by_person].with_suffix(".duckdb")
        here = DuckDBEngine(stored, seconds=600, cubes=False)
        _print(work, rows, _turns(spark, files, work, (there, here), rounds))


def _there(spark: Spark, files: Path, *, by_person: bool) -> SparkEngine:
    server = Server("127.0.0.1", spark.port, spark.token, is_encrypted=False)
    unit = PrivacyUnit("id", 5) if by_person else PrivacyUnit()
    source = Source(f"file://{files}", COLUMNS, unit)
    allowed = {server.address: [f"file://{files.parent}/"]}
    return SparkEngine(server, source, allowed=allowed, key=bytes(32), seconds=600)


def _turns(
    spark: Spark, files: Path, work: Work, engines: tuple[Any, Any], rounds: int
) -> list[list[float]]:
    def by_hand() -> Cells:
        return _by_hand(spark, files, _PLAIN[work.name])

    def by(engine: Any) -> Callable[[], Cells]:
        return lambda: [c for row in engine.answer(work.request) if any(c := tuple(map(int, row)))]

    ways = [by_hand, *map(by, engines)]
    found = [sorted(way()) for way in ways]
    # Which five rows of a person are added is decided by another rule in each.
    if "row_number" not in _PLAIN[work.name] and found.count(found[0]) != len(ways):
        raise SystemExit(f"{work.name}: different integers")
    return [[_seconds(way) for way in ways] for _ in range(rounds)]


def _by_hand(spark: Spark, files: Path, plain: str) -> Cells:
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession(f"sc://localhost:{spark.port}/;token={spark.token}")
    try:
        session.read.parquet(f"file://{files}").createOrReplaceTempView("census")
        return [tuple(map(int, row)) for row in session.sql(plain).collect()]
    finally:
        session.stop()


def _seconds(asked: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    asked()
    return time.perf_counter() - begun


def _print(work: Work, rows: int, turns: list[list[float]]) -> None:
    plain, ours, here = (statistics.median(each) for each in zip(*turns, strict=True))
    print(
        f"| {work.name} | {rows:,} | {1000 * plain:,.0f} ms | {1000 * ours:,.0f} ms"
        f" | {ours / plain:.2f} | {1000 * here:,.0f} ms |",
        flush=True,
    )


if __name__ == "__main__":
    main()
