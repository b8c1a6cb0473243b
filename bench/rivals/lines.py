"""The regressions, the exact lines and how an error is measured: the same for every tool.

The error is the mean squared distance of the fitted outcomes from those of least squares, over all
rows: what a line misses beyond what any line misses.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.rivals.tasks import BOUNDS, EPSILONS, rows, timed, wanted_runs

Numbers = NDArray[np.float64]
MORE_BOUNDS = {**BOUNDS, "education_num": (1, 16), "is_male": (0, 1)}
OUTCOME = "hours_per_week"
LINES = {
    "on age": ("age",),
    "on age and sex": ("age", "is_male"),
    "on age, sex and years of school": ("age", "is_male", "education_num"),
}
Fit = Callable[[tuple[str, ...], float], Numbers]
"""An intercept and slopes, at a total ε."""


def columns() -> dict[str, Numbers]:
    """What is used of the table, clipped to its bounds."""
    table = rows()
    found = {
        name: np.array([float(row[name]) for row in table])
        for name in (OUTCOME, "age", "education_num")
    }
    found["is_male"] = np.array([float(row["sex"] == "Male") for row in table])
    return {name: np.clip(values, *MORE_BOUNDS[name]) for name, values in found.items()}


def measure(fit: Fit, *, runs: int) -> None:
    """Print the mean excess error of each line at each ε, and a fit's median time, as JSON."""
    print(json.dumps(measured(fit, wanted_runs(runs))))


def measured(fit: Fit, times: int) -> dict[str, Any]:
    """`errors` of each line at each ε, and `milliseconds` of each line's fits."""
    table = columns()
    errors: dict[str, dict[str, float]] = {}
    spent: dict[str, float] = {}
    for name, predictors in LINES.items():
        design = np.column_stack([np.ones(len(table["age"])), *(table[p] for p in predictors)])
        best = np.linalg.lstsq(design, table[OUTCOME])[0]
        watched, watch = timed(fit)
        errors[name] = {
            str(epsilon): float(
                np.mean(
                    [
                        np.mean((design @ (watched(predictors, epsilon) - best)) ** 2)
                        for _ in range(times)
                    ]
                )
            )
            for epsilon in EPSILONS
        }
        spent[name] = 1000 * float(np.median(watch))
    return {"errors": errors, "milliseconds": spent}
