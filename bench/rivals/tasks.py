"""The questions, the exact answers and how an error is measured: the same for every tool.

Knows only Python's own library and NumPy, so that every tool's environment can import it.
"""

import argparse
import csv
import gzip
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np

ADULT = Path(__file__).resolve().parents[2] / "dpgov" / "demo" / "census" / "adult.csv.gz"
EPSILONS = (0.1, 0.5, 1.0, 2.0)
# Public metadata that every tool is told: bounds, and that all values are whole numbers. The
# candidates of a median are as far apart as ours, for tools that want to be given some.
BOUNDS = {"age": (17, 90), "hours_per_week": (1, 99), "fnlwgt": (10_000, 1_500_000)}
CANDIDATE_STEP = 23
TABLES = {
    "histogram": ("education",),
    "table of two columns": ("education", "occupation"),
    "table of three columns": ("race", "workclass", "education"),
}
# Of all pairs of columns, age among them: by the lower ends of its bins.
PAIRED = ("sex", "race", "relationship", "marital_status", "workclass")
AGE_EDGES = (17, 25, 35, 45, 55, 65)
QUICK = ("count", "sum", "mean", "variance")
TASKS = (*QUICK, "median", *TABLES)
MORE = 3

_Asked = ParamSpec("_Asked")
_Found = TypeVar("_Found")
Answer = Callable[[str, float], float | Sequence[float]]
"""One noisy answer of a tool to a task at a total ε."""


def rows() -> list[dict[str, str]]:
    """The table, texts as they stand."""
    with gzip.open(ADULT, "rt", encoding="utf-8") as file:
        return [{k: v.strip() for k, v in row.items()} for row in csv.DictReader(file)]


def categories(table: list[dict[str, str]], column: str) -> list[str]:
    """The declared categories: for this measurement those of the published questionnaire."""
    return sorted({row[column] for row in table if row[column] not in ("", "?")})


def cells(table: list[dict[str, str]], columns: Sequence[str]) -> list[tuple[str, ...]]:
    """Every cell of a table of counts, in one order."""
    return list(product(*(categories(table, column) for column in columns)))


def exact(table: list[dict[str, str]], task: str) -> float | list[float]:
    """The true answer."""
    if task in TABLES:
        columns = TABLES[task]
        found = Counter(tuple(row[c] for c in columns) for row in table)
        return [float(found.get(cell, 0)) for cell in cells(table, columns)]
    if task == "count":
        return float(sum(float(row["hours_per_week"]) >= 40 for row in table))
    column = {"sum": "hours_per_week", "median": "fnlwgt"}.get(task, "age")
    numbers = np.array([float(row[column]) for row in table])
    made: dict[str, Any] = {"sum": np.sum, "mean": np.mean, "variance": np.var, "median": np.median}
    return float(made[task](numbers))


def measure(answer: Answer, *, runs: int, tasks: Sequence[str] = TASKS) -> None:
    """Print, as JSON, the root mean squared error of each task at each ε; null if not offered.

    Single numbers are asked `MORE` times as often as tables and medians, which have many cells or
    take long. `--runs` and `--tasks` on the command line say another number and other
    tasks, by commas.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=runs)
    parser.add_argument("--tasks", default=",".join(tasks))
    options = parser.parse_args()
    table, runs = rows(), options.runs
    found: dict[str, dict[str, float | None]] = {}
    for task in options.tasks.split(","):
        truth, times = np.array(exact(table, task)), runs * (MORE if task in QUICK else 1)
        found[task] = {}
        for epsilon in EPSILONS:
            try:
                errors = [
                    np.mean((np.array(answer(task, epsilon)) - truth) ** 2) for _ in range(times)
                ]
                found[task][str(epsilon)] = math.sqrt(float(np.mean(errors)))
            except NotImplementedError:
                found[task][str(epsilon)] = None
            print(f"{task} at {epsilon}: {found[task][str(epsilon)]}", file=sys.stderr, flush=True)
    json.dump(found, sys.stdout)


def wanted_runs(runs: int) -> int:
    """How many fits are made of each, where nobody says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=runs)
    return int(parser.parse_args().runs)


def timed(call: Callable[_Asked, _Found]) -> tuple[Callable[_Asked, _Found], list[float]]:
    """The same call, and the list to which each puts the seconds that it took."""
    watch: list[float] = []

    def watched(*args: _Asked.args, **kwargs: _Asked.kwargs) -> _Found:
        began = time.perf_counter()
        found = call(*args, **kwargs)
        watch.append(time.perf_counter() - began)
        return found

    return watched, watch


def column_of(table: list[dict[str, str]], name: str) -> Any:
    """A numeric column."""
    return np.array([float(row[name]) for row in table])
