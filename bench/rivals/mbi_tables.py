"""Adaptive models of OpenDP (private-PGM) on the same tables, as JSON.

Runs in an environment of its own: `uv run bench/tables.py --with mbi`. The same columns and bins as
`bench/tables.py`, and the number of rows is not told. Each method chooses by itself which tables it
measures; AIM is told which are wanted.
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import opendp.prelude as dp
import polars as pl
from numpy.typing import NDArray
from opendp.extras.mbi import AIM, MST, Count

from bench.rivals.tasks import AGE_EDGES, PAIRED, categories, rows


def main() -> None:
    """Print the root mean squared errors over all counts of all tables, by method and ε."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--columns", type=int, default=6)
    parser.add_argument("--size", type=int, default=2, help="columns of a table")
    parser.add_argument("--epsilons", default="0.1,1,5")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    dp.enable_features("contrib")
    frame, keys = _people(options.columns)
    tables = list(combinations(keys, options.size))
    exact = {table: _counted(frame, table, keys) for table in tables}
    found: dict[str, dict[str, float]] = {}
    methods = {"MST": MST(), "AIM": AIM(queries=[Count(by=table) for table in tables])}
    for method, algorithm in methods.items():
        for epsilon in options.epsilons.split(","):
            began = time.perf_counter()
            error = _error(_model(frame, keys, algorithm, float(epsilon)), exact)
            found.setdefault(method, {})[epsilon] = error
            told = f"{method} at ε {epsilon}: {error} rows, {time.perf_counter() - began:.0f} s"
            print(told, file=sys.stderr, flush=True)
    print(json.dumps(found))


def _error(model: Any, exact: Mapping[tuple[str, ...], NDArray[np.float64]]) -> float:
    squares = 0.0
    for table, true in exact.items():
        told = np.asarray(model.project(table), dtype=float)
        squares += float(((told[tuple(map(slice, true.shape))] - true) ** 2).sum())
    return float((squares / sum(true.size for true in exact.values())) ** 0.5)


def _model(frame: pl.DataFrame, keys: dict[str, list[str]], algorithm: Any, epsilon: float) -> Any:
    context = dp.Context.compositor(
        data=frame.lazy(),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=epsilon),
        split_evenly_over=1,
    )
    query = context.query().select(list(keys))
    return query.contingency_table(keys=keys, algorithm=algorithm).release()


def _people(kept: int) -> tuple[pl.DataFrame, dict[str, list[str]]]:
    """Adult's first columns, age in bins, every declared category with one for everything else."""
    table = rows()
    keys = {name: [*categories(table, name), "other"] for name in PAIRED}
    columns = {
        name: [row[name] if row[name] in known else "other" for row in table]
        for name, known in keys.items()
    }
    bins = [str(int(np.searchsorted(AGE_EDGES, int(row["age"]), "right")) - 1) for row in table]
    columns["age"] = bins
    keys["age"] = [*(str(n) for n in range(len(AGE_EDGES))), "other"]
    keys = dict(list(keys.items())[:kept])
    return pl.DataFrame({name: columns[name] for name in keys}), keys


def _counted(
    frame: pl.DataFrame, table: tuple[str, ...], keys: dict[str, list[str]]
) -> NDArray[np.float64]:
    found = np.zeros([len(keys[name]) for name in table])
    for row in frame.select(table).iter_rows():
        found[tuple(keys[name].index(value) for name, value in zip(table, row, strict=True))] += 1
    return found


if __name__ == "__main__":
    main()
