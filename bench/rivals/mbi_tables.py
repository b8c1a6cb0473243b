"""Adaptive models of OpenDP (private-PGM) on the same pairs of columns, as JSON.

Runs in an environment of its own: `uv run bench/tables.py --with mbi`. The same columns and bins as
`bench/tables.py`, and the number of rows is not told. Each method chooses by itself which tables it
measures; AIM is told that all pairs are wanted.
"""

import argparse
import json
import warnings
from itertools import combinations
from typing import Any

import numpy as np
import opendp.prelude as dp
import polars as pl
from numpy.typing import NDArray
from opendp.extras.mbi import AIM, MST, Count

from bench.rivals.tasks import AGE_EDGES, PAIRED, categories, rows

EPSILONS = ("0.1", "1", "5")


def main() -> None:
    """Print the root mean squared errors over all counts of all pairs, by method and ε."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    dp.enable_features("contrib")
    frame, keys = _people()
    names = list(keys)
    pairs = list(combinations(names, 2))
    exact = {pair: _counted(frame, pair, keys) for pair in pairs}
    found: dict[str, dict[str, float]] = {}
    methods = {"MST": MST(), "AIM": AIM(queries=[Count(by=pair) for pair in pairs])}
    for method, algorithm in methods.items():
        for epsilon in EPSILONS:
            squares = 0.0
            for _ in range(options.runs):
                table = _model(frame, keys, algorithm, float(epsilon))
                for pair, true in exact.items():
                    height, width = true.shape
                    told = np.asarray(table.project(pair), dtype=float)[:height, :width]
                    squares += float(((told - true) ** 2).sum())
            cells = options.runs * sum(true.size for true in exact.values())
            found.setdefault(method, {})[epsilon] = (squares / cells) ** 0.5
    print(json.dumps(found))


def _model(frame: pl.DataFrame, keys: dict[str, list[str]], algorithm: Any, epsilon: float) -> Any:
    context = dp.Context.compositor(
        data=frame.lazy(),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(epsilon=epsilon),
        split_evenly_over=1,
    )
    query = context.query().select(list(keys))
    return query.contingency_table(keys=keys, algorithm=algorithm).release()


def _people() -> tuple[pl.DataFrame, dict[str, list[str]]]:
    """Adult, with age in bins, and every declared category with one for everything else."""
    table = rows()
    keys = {name: [*categories(table, name), "other"] for name in PAIRED}
    columns = {
        name: [row[name] if row[name] in known else "other" for row in table]
        for name, known in keys.items()
    }
    bins = [str(int(np.searchsorted(AGE_EDGES, int(row["age"]), "right")) - 1) for row in table]
    columns["age"] = bins
    keys["age"] = [*(str(n) for n in range(len(AGE_EDGES))), "other"]
    return pl.DataFrame(columns), keys


def _counted(
    frame: pl.DataFrame, pair: tuple[str, str], keys: dict[str, list[str]]
) -> NDArray[np.float64]:
    found = np.zeros((len(keys[pair[0]]), len(keys[pair[1]])))
    for one, other in frame.select(pair).iter_rows():
        found[keys[pair[0]].index(one), keys[pair[1]].index(other)] += 1
    return found


if __name__ == "__main__":
    main()
