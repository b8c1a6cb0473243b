"""Private answers beside the plain query of the same question: what privacy costs in time.

`uv run bench/scans.py [--rows 1000000 10000000] [--rounds 5]`: an invented table like a census.
Ours: from the plan to the released body, noise included, by an engine that has its file open, as a
warm worker has; no ledger and no queue. Plain: DuckDB over the Parquet file, without privacy, in
the same process, two threads each, in turns. Medians of wall time, and their ratio. In the last
question a person has five rows on average, and at most five of each count. Ours scans here, cubes
or not; `bench/cubes.py` shows what these make of it.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import duckdb

from bench.census import COLUMNS, census
from dpgov.engines.files import DuckDBEngine
from dpgov.engines.ingest.request import Before, UnitNames
from dpgov.engines.ingest.store import store
from dpgov.engines.ingest.tables import open_table
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.answer.release import draw
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit

_MEMORY = 4 * 10**9
_SIXTEEN = {"column": "income", "edges": [*range(0, 200_001, 12_500)]}
_COUNT = {"statistic": "count"}


@dataclass(frozen=True, slots=True)
class Work:
    """A question as a plan, and as anybody would ask it of DuckDB; `file` stands for the table."""

    name: str
    aim: float
    plain: str
    statistics: list[dict[str, Any]]
    group_by: tuple[dict[str, Any], ...] = ()
    where: tuple[dict[str, Any], ...] = ()
    by_person: bool = False


def _of(column: str, *kinds: str) -> list[dict[str, Any]]:
    return [{"statistic": kind, "column": column} for kind in kinds]


_CLIPPED = "least(greatest(income, 0), 200000)"
WORK = (
    Work(
        "filtered count",
        0.6,
        "SELECT count(*) FROM file WHERE age >= 40 AND region = 'r3'",
        [_COUNT],
        where=(
            {"column": "age", "op": ">=", "value": 40},
            {"column": "region", "op": "in", "value": ["r3"]},
        ),
    ),
    Work(
        "clipped sum and mean",
        0.1,
        f"SELECT sum({_CLIPPED}), avg({_CLIPPED}) FROM file",
        _of("income", "sum", "mean"),
    ),
    Work(
        "histogram of 16 bins",
        0.6,
        "SELECT least(floor(income / 12500)::INTEGER, 15), count(*) FROM file GROUP BY 1",
        [_COUNT],
        (_SIXTEEN,),
    ),
    Work(
        "mean by 12 x 2 groups",
        0.6,
        "SELECT region, sex, avg(hours) FROM file GROUP BY 1, 2",
        _of("hours", "mean"),
        ({"column": "region"}, {"column": "sex"}),
    ),
    Work("median", 0.35, "SELECT median(income) FROM file", _of("income", "median")),
    Work(
        "table of 16 x 12",
        0.6,
        "SELECT education, region, count(*) FROM file GROUP BY 1, 2",
        [_COUNT],
        ({"column": "education"}, {"column": "region"}),
    ),
    Work(
        "count, at most 5 rows each",
        0.02,
        "SELECT sum(least(c, 5)) FROM (SELECT id, count(*) AS c FROM file GROUP BY id)",
        [_COUNT],
        by_person=True,
    ),
)


def main() -> None:
    """Invent, read, ask in turns, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print("| question | rows | plain DuckDB | private answer | ratio | aim |")
    print("|---|---|---|---|---|---|")
    for rows in options.rows:
        with tempfile.TemporaryDirectory() as folder:
            _ask_all(Path(folder), rows, options.rounds)


def _ask_all(folder: Path, rows: int, rounds: int) -> None:
    tables = {by_person: _table(folder, rows, by_person=by_person) for by_person in (False, True)}
    with duckdb.connect(config={"threads": 2}) as plain:
        for work in WORK:
            file, engine = tables[work.by_person]
            plain.execute(f"CREATE OR REPLACE VIEW file AS SELECT * FROM read_parquet('{file}')")
            _print(work, rows, _turns(work, rows, rounds, plain, engine))


def _turns(
    work: Work, rows: int, rounds: int, plain: duckdb.DuckDBPyConnection, engine: DuckDBEngine
) -> list[tuple[float, float]]:
    def ask() -> Any:
        return plain.execute(work.plain).fetchall()

    def answer() -> Any:
        return private(work, rows, engine)

    # Once for nothing: both then have their file open and in memory.
    ask(), answer()
    return [(_seconds(ask), _seconds(answer)) for _ in range(rounds)]


def private(work: Work, rows: int, engine: DuckDBEngine) -> dict[str, Any]:
    """The released body of a question, from its plan."""
    schema = DatasetSchema(
        COLUMNS,
        PrivacyUnit("id", 5) if work.by_person else PrivacyUnit(),
        Neighbouring.ADD_REMOVE,
        1,
        rows,
    )
    plan = {
        "statistics": work.statistics,
        "group_by": list(work.group_by),
        "where": list(work.where),
        "epsilon": 1,
    }
    blueprint = prepare(parse_plan(plan, schema, dataset="census"), schema)
    return draw(blueprint, [engine.answer(request) for request in blueprint.requests])


def _table(folder: Path, rows: int, *, by_person: bool) -> tuple[Path, DuckDBEngine]:
    each = 5 if by_person else 1
    file = census(folder / f"{each}.parquet", rows, rows_each=each)
    return file, stored(file, by_person=by_person)


def stored(file: Path, *, by_person: bool, cubes: bool = False) -> DuckDBEngine:
    """An engine over the file's rows, which are read first; `id` names a person or nobody."""
    target = file.with_suffix(".duckdb")
    keep(file, target, UnitNames("id", max_rows=5) if by_person else None)
    return DuckDBEngine(target, seconds=600, memory_bytes=_MEMORY, cubes=cubes)


def keep(
    file: Path, target: Path, unit: UnitNames | None = None, before: Before | None = None
) -> None:
    """Read a file of the census, after the rows of another one."""
    store(
        open_table(file, format_name="parquet"),
        target,
        columns=COLUMNS,
        max_rows=10**10,
        memory_bytes=_MEMORY,
        key=bytes(32),
        unit=unit,
        before=before,
    )


def _seconds(asked: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    asked()
    return time.perf_counter() - begun


def _print(work: Work, rows: int, turns: list[tuple[float, float]]) -> None:
    plain, private = (statistics.median(each) for each in zip(*turns, strict=True))
    print(
        f"| {work.name} | {rows:,} | {1000 * plain:,.0f} ms | {1000 * private:,.0f} ms"
        f" | {private / plain:.2f} | {work.aim} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
