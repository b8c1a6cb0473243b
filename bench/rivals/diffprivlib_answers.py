"""IBM's diffprivlib. Its mean and variance take the number of rows as public."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from diffprivlib import tools

from bench.rivals.tasks import BOUNDS, TABLES, categories, column_of, measure, rows

TABLE = rows()
AGE, HOURS, WEIGHT = (column_of(TABLE, name) for name in ("age", "hours_per_week", "fnlwgt"))


def _codes(name: str) -> Any:
    places = {category: place for place, category in enumerate(categories(TABLE, name))}
    return np.array([places.get(row[name], -1) for row in TABLE])


CODES = {name: _codes(name) for columns in TABLES.values() for name in columns}


def answer(task: str, epsilon: float) -> float | Sequence[float]:
    """One answer."""
    if task == "count":
        return float(tools.count_nonzero(HOURS >= 40, epsilon=epsilon))
    if task == "sum":
        return float(tools.sum(HOURS, epsilon=epsilon, bounds=BOUNDS["hours_per_week"]))
    if task == "mean":
        return float(tools.mean(AGE, epsilon=epsilon, bounds=BOUNDS["age"]))
    if task == "variance":
        return float(tools.var(AGE, epsilon=epsilon, bounds=BOUNDS["age"]))
    if task == "median":
        return float(tools.median(WEIGHT, epsilon=epsilon, bounds=BOUNDS["fnlwgt"]))
    columns = TABLES[task]
    sizes = [len(categories(TABLE, name)) for name in columns]
    counted = tools.histogramdd(
        np.stack([CODES[name] for name in columns], axis=1),
        epsilon=epsilon,
        bins=[np.arange(size + 1) - 0.5 for size in sizes],
        range=[(-0.5, size - 0.5) for size in sizes],
    )[0]
    return [float(value) for value in counted.ravel()]


if __name__ == "__main__":
    measure(answer, runs=100)
