"""SmartNoise's synthesizers on the same pairs of columns, as JSON.

Runs in an environment of its own: `uv run bench/tables.py --with smartnoise`. The same columns and
bins as `bench/tables.py`. As many synthetic rows as there are people are sampled, and pairs are
counted in them. MWEM is told the domain; none is told which tables are wanted.
"""

import argparse
import json
import sys
import time
import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from snsynth import Synthesizer

from bench.rivals.tasks import AGE_EDGES, PAIRED, categories, rows

EPSILONS = ("0.1", "1", "5")


def main() -> None:
    """Print the root mean squared errors over all counts of all pairs, by method and ε."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--methods", default="mwem,mst,aim")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    frame, sizes = _people()
    pairs = list(combinations(frame.columns, 2))
    cells = options.runs * sum(sizes[one] * sizes[other] for one, other in pairs)
    found: dict[str, dict[str, float]] = {}
    for method in options.methods.split(","):
        for epsilon in EPSILONS:
            began, squares = time.perf_counter(), 0.0
            for _ in range(options.runs):
                made = _sampled(frame, method, float(epsilon))
                for one, other in pairs:
                    shape = (sizes[one], sizes[other])
                    apart = _counted(made, one, other, shape) - _counted(frame, one, other, shape)
                    squares += float((apart**2).sum())
            error, seconds = (squares / cells) ** 0.5, time.perf_counter() - began
            found.setdefault(method, {})[epsilon] = error
            told = f"{method} at ε {epsilon}: {error:.4g} rows, {seconds:.0f} s"
            print(told, file=sys.stderr, flush=True)
    print(json.dumps(found))


def _sampled(frame: Any, method: str, epsilon: float) -> Any:
    synthesizer = Synthesizer.create(method, epsilon=epsilon)
    synthesizer.fit(frame, categorical_columns=list(frame.columns), preprocessor_eps=0.0)
    return synthesizer.sample(len(frame))


def _people() -> tuple[Any, dict[str, int]]:
    """Adult as places of categories, age in bins; each column with one for everything else."""
    table = rows()
    known = {name: categories(table, name) for name in PAIRED}
    columns = {
        name: [names.index(row[name]) if row[name] in names else len(names) for row in table]
        for name, names in known.items()
    }
    columns["age"] = [
        int(np.searchsorted(AGE_EDGES, int(row["age"]), "right")) - 1 for row in table
    ]
    sizes = {name: len(names) + 1 for name, names in known.items()}
    return pd.DataFrame(columns), sizes | {"age": len(AGE_EDGES) + 1}


def _counted(frame: Any, one: str, other: str, shape: tuple[int, int]) -> NDArray[np.float64]:
    places = np.ravel_multi_index(
        (frame[one].to_numpy(dtype=int), frame[other].to_numpy(dtype=int)), shape
    )
    return np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape).astype(float)


if __name__ == "__main__":
    main()
