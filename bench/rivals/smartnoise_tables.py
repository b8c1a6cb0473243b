"""SmartNoise's synthesizers on the same tables, as JSON.

Runs in an environment of its own: `uv run bench/tables.py --with smartnoise`. The same columns and
bins as `bench/tables.py`. As many synthetic rows as there are people are sampled, and the tables
are counted in them. MWEM is told the domain; none is told which tables are wanted. A fit that takes
longer than its bound is ended, and its error is null.
"""

import argparse
import json
import multiprocessing
import sys
import time
import warnings
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from snsynth import Synthesizer

from bench.rivals.tasks import AGE_EDGES, PAIRED, categories, rows

Sizes = dict[str, int]


def main() -> None:
    """Print the root mean squared errors over all counts of all tables, by method and ε."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--columns", type=int, default=6)
    parser.add_argument("--size", type=int, default=2, help="columns of a table")
    parser.add_argument("--epsilons", default="0.1,1,5")
    parser.add_argument("--seconds", type=float, default=600, help="the bound of a fit")
    parser.add_argument("--methods", default="mwem,mst,aim")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    frame, sizes = _people(options.columns)
    tables = list(combinations(frame.columns, options.size))
    found: dict[str, dict[str, float | None]] = {}
    for method in options.methods.split(","):
        for epsilon in options.epsilons.split(","):
            began = time.perf_counter()
            made = _within(options.seconds, frame, method, float(epsilon))
            error = None if made is None else _error(made, frame, tables, sizes)
            found.setdefault(method, {})[epsilon] = error
            told = f"{method} at ε {epsilon}: {error} rows, {time.perf_counter() - began:.0f} s"
            print(told, file=sys.stderr, flush=True)
    print(json.dumps(found))


def _within(seconds: float, frame: Any, method: str, epsilon: float) -> Any:
    """Sampled rows, by a process of their own; None where they took longer."""
    forked = multiprocessing.get_context("fork")
    here, there = forked.Pipe(duplex=False)
    child = forked.Process(target=_send, args=(there, frame, method, epsilon))
    child.start()
    made = here.recv() if here.poll(seconds) else None
    child.terminate()
    child.join()
    return made


def _send(there: Any, frame: Any, method: str, epsilon: float) -> None:
    synthesizer = Synthesizer.create(method, epsilon=epsilon)
    synthesizer.fit(frame, categorical_columns=list(frame.columns), preprocessor_eps=0.0)
    there.send(synthesizer.sample(len(frame)))


def _error(made: Any, frame: Any, tables: Sequence[tuple[str, ...]], sizes: Sizes) -> float:
    off, cells = 0.0, 0
    for table in tables:
        apart = _counted(made, table, sizes) - _counted(frame, table, sizes)
        off, cells = off + float((apart**2).sum()), cells + apart.size
    return float((off / cells) ** 0.5)


def _people(columns: int) -> tuple[Any, Sizes]:
    """Adult's first columns as places of categories, age in bins; each with one for the rest."""
    table = rows()
    known = {name: categories(table, name) for name in PAIRED}
    found = {
        name: [names.index(row[name]) if row[name] in names else len(names) for row in table]
        for name, names in known.items()
    }
    found["age"] = [int(np.searchsorted(AGE_EDGES, int(row["age"]), "right")) - 1 for row in table]
    sizes = {name: len(names) + 1 for name, names in known.items()} | {"age": len(AGE_EDGES) + 1}
    kept = list(found)[:columns]
    return pd.DataFrame({name: found[name] for name in kept}), {name: sizes[name] for name in kept}


def _counted(frame: Any, table: tuple[str, ...], sizes: Sizes) -> NDArray[np.float64]:
    shape = tuple(sizes[name] for name in table)
    columns = tuple(frame[name].to_numpy(dtype=int) for name in table)
    found: NDArray[np.float64] = np.bincount(
        np.ravel_multi_index(columns, shape), minlength=int(np.prod(shape))
    ).astype(float)
    return found


if __name__ == "__main__":
    main()
