"""Ours: the file that ingest stores, the engine that reads it, the mechanisms that answer."""

import atexit
import gzip
import shutil
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from bench.rivals.tasks import ADULT, BOUNDS, TABLES, categories, measure, rows
from dpgov.engines.files import DuckDBEngine
from dpgov.engines.ingest.store import store
from dpgov.engines.ingest.tables import open_table
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.release import draw
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.schema import DatasetSchema, Neighbouring, PrivacyUnit

TABLE = rows()
NAMES = sorted({name for columns in TABLES.values() for name in columns})
COLUMNS = (
    *(
        # No value is missing in these columns of the published table.
        column_spec(name, numeric_domain(str(low), str(high), "1"), "impute", str(low))
        for name, (low, high) in BOUNDS.items()
    ),
    *(column_spec(name, category_domain(categories(TABLE, name)), "drop", "") for name in NAMES),
)
SCHEMA = DatasetSchema(COLUMNS, PrivacyUnit(), Neighbouring.ADD_REMOVE, 1, 100_000)
QUESTIONS: dict[str, dict[str, Any]] = {
    "count": {
        "statistics": [{"statistic": "count"}],
        "where": [{"column": "hours_per_week", "op": ">=", "value": 40}],
    },
    "sum": {"statistics": [{"statistic": "sum", "column": "hours_per_week"}]},
    "mean": {"statistics": [{"statistic": "mean", "column": "age"}]},
    "variance": {"statistics": [{"statistic": "variance", "column": "age"}]},
    "median": {"statistics": [{"statistic": "median", "column": "fnlwgt"}]},
    **{
        task: {
            "statistics": [{"statistic": "count"}],
            "group_by": [{"column": name} for name in columns],
        }
        for task, columns in TABLES.items()
    },
}


@cache
def _engine() -> DuckDBEngine:
    folder = Path(tempfile.mkdtemp(prefix="dpgov-accuracy-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    source = folder / "adult.csv"
    source.write_bytes(gzip.decompress(ADULT.read_bytes()))
    target = folder / "adult.duckdb"
    table = open_table(source, format_name="csv")
    store(table, target, columns=COLUMNS, max_rows=100_000, memory_bytes=500_000_000, key=bytes(32))
    return DuckDBEngine(target, seconds=60)


@cache
def _prepared(task: str, epsilon: float) -> tuple[Blueprint, list[Any]]:
    raw = QUESTIONS[task] | {"epsilon": epsilon}
    blueprint = prepare(parse_plan(raw, SCHEMA, dataset="adult"), SCHEMA)
    return blueprint, [_engine().answer(request) for request in blueprint.requests]


def answer(task: str, epsilon: float) -> float | Sequence[float]:
    """One answer: of a table the adjusted one, without the bins for everything else."""
    body = draw(*_prepared(task, epsilon))
    (statistic,) = body["statistics"]
    if task not in TABLES:
        return float(statistic["cells"][0]["value"])
    sizes = [len(group["bins"]) for group in body["groups"]]
    kept = []
    for place, value in enumerate(statistic["adjusted"]["values"]):
        inside, rest = True, place
        for size in reversed(sizes):
            rest, bin_number = divmod(rest, size)
            inside = inside and bin_number < size - 1
        if inside:
            kept.append(float(value))
    return kept


if __name__ == "__main__":
    measure(answer, runs=100)
