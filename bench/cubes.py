"""The engine's time by a scan and by a cube, and what making the cubes adds to reading the file.

`uv run bench/cubes.py [--rows 1000000 10000000] [--rounds 7]`: the invented census of
`bench/scans.py` and its questions; the last one needs the rows of each person. One process, two
threads, a file that is open and in memory; both in turns, medians of wall time. For each question
it is checked that both gave the same integers.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from bench.census import COLUMNS, census
from bench.scans import WORK, Work
from dpgov.engines.cubes.keeping import keep_cubes
from dpgov.engines.files import DuckDBEngine
from dpgov.engines.ingest.request import UnitNames
from dpgov.engines.ingest.store import store
from dpgov.engines.ingest.tables import open_table
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit

_MEMORY, _MOST = 4 * 10**9, 10**8


def main() -> None:
    """Invent, read, ask in turns, print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    read = ["| file | rows | reading | of which cubes | part |", "|---|---|---|---|---|"]
    print("| question | rows | by scan | by cube | scan / cube |")
    print("|---|---|---|---|---|")
    for rows in options.rows:
        for by_person in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                read.append(_file(Path(folder), rows, by_person=by_person))
                for work in WORK:
                    if work.by_person == by_person:
                        _ask(work, rows, Path(folder), options.rounds)
    print("\n" + "\n".join(read))


def _file(folder: Path, rows: int, *, by_person: bool) -> str:
    """Read it, and keep a copy that is scanned: one process opens a file in one way only."""
    file = census(folder / "t.parquet", rows, rows_each=5 if by_person else 1)
    taken = [0.0]

    def timed(*given: Any, **named: Any) -> None:
        taken[0] += _seconds(lambda: keep_cubes(*given, **named))

    with patch("dpgov.engines.ingest.store.keep_cubes", timed):
        reading = _seconds(
            lambda: store(
                open_table(file, format_name="parquet"),
                folder / "by_cube",
                columns=COLUMNS,
                max_rows=_MOST,
                memory_bytes=_MEMORY,
                key=bytes(32),
                unit=UnitNames("id", max_rows=5) if by_person else None,
            )
        )
    shutil.copy(folder / "by_cube", folder / "by_scan")
    name = "five rows a person" if by_person else "a row a person"
    return f"| {name} | {rows:,} | {reading:.1f} s | {taken[0]:.2f} s | {taken[0] / reading:.3f} |"


def _ask(work: Work, rows: int, folder: Path, rounds: int) -> None:
    blueprint = _prepared(work)
    by_scan, by_cube = (
        DuckDBEngine(folder / name, seconds=600, memory_bytes=_MEMORY, cubes=name == "by_cube")
        for name in ("by_scan", "by_cube")
    )
    told, found = _answer(by_scan, blueprint), _answer(by_cube, blueprint)
    if not all(np.array_equal(one, other) for one, other in zip(told, found, strict=True)):
        raise SystemExit(f"{work.name}: the integers differ")
    turns = [
        (
            _seconds(lambda: _answer(by_scan, blueprint)),
            _seconds(lambda: _answer(by_cube, blueprint)),
        )
        for _ in range(rounds)
    ]
    scan, cube = (statistics.median(each) for each in zip(*turns, strict=True))
    print(
        f"| {work.name} | {rows:,} | {1000 * scan:.1f} ms | {1000 * cube:.2f} ms"
        f" | {scan / cube:.0f} |",
        flush=True,
    )


def _prepared(work: Work) -> Blueprint:
    unit = PrivacyUnit("id", 5) if work.by_person else PrivacyUnit()
    schema = DatasetSchema(COLUMNS, unit, Neighbouring.ADD_REMOVE, 1, _MOST)
    plan = {
        "statistics": work.statistics,
        "group_by": list(work.group_by),
        "where": list(work.where),
        "epsilon": 1,
    }
    return prepare(parse_plan(plan, schema, dataset="census"), schema)


def _answer(engine: DuckDBEngine, blueprint: Blueprint) -> list[Any]:
    return [engine.answer(request) for request in blueprint.requests]


def _seconds(asked: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    asked()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
