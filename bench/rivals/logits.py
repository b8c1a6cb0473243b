"""The logistic regressions, the exact fits and how an error is measured: the same for every tool.

The error is the excess loss: by how much the mean logistic loss of a fit, over all rows, passes
that of the maximum likelihood. Beside it stands how often the likelier outcome is the true one.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.rivals.tasks import EPSILONS, rows, timed, wanted_runs

Numbers = NDArray[np.float64]
BOUNDS = {"age": (17, 90), "is_male": (0, 1), "education_num": (1, 16), "hours_per_week": (1, 99)}
OUTCOME = "income"
MODELS = {
    "by age": ("age",),
    "by age and sex": ("age", "is_male"),
    "by age, sex and years of school": ("age", "is_male", "education_num"),
}
Fit = Callable[[tuple[str, ...], float], Numbers]
"""An intercept and coefficients in units of the columns, at a total ε."""
Found = dict[str, dict[str, tuple[float, float]]]


def columns() -> dict[str, Numbers]:
    """What is used of the table, clipped to its bounds; the outcome is 1 above 50,000 dollars."""
    table = rows()
    found = {
        name: np.clip([float(row[name]) for row in table], *BOUNDS[name])
        for name in ("age", "education_num", "hours_per_week")
    }
    found["is_male"] = np.array([float(row["sex"] == "Male") for row in table])
    found[OUTCOME] = np.array([float(">50K" in row[OUTCOME]) for row in table])
    return found


def measure(fit: Fit, *, runs: int) -> None:
    """Print the mean excess loss and accuracy of each model at each ε, and its time, as JSON."""
    print(json.dumps(measured(fit, wanted_runs(runs))))


def measured(fit: Fit, times: int) -> dict[str, Any]:
    """`losses`: mean excess loss and accuracy by model and ε; `milliseconds` of a fit, median."""
    table, found, spent = columns(), Found(), dict[str, float]()
    for name, predictors in MODELS.items():
        design = np.column_stack([np.ones(len(table["age"])), *(table[p] for p in predictors)])
        outcome = table[OUTCOME]
        least = _loss(design, outcome, _likeliest(design, outcome))
        watched, watch = timed(fit)
        found[name] = {}
        for epsilon in EPSILONS:
            fits = [watched(predictors, epsilon) for _ in range(times)]
            excess = [_loss(design, outcome, theta) - least for theta in fits]
            right = [np.mean((design @ theta > 0) == (outcome > 0)) for theta in fits]
            found[name][str(epsilon)] = float(np.mean(excess)), float(np.mean(right))
        spent[name] = 1000 * float(np.median(watch))
    return {"losses": found, "milliseconds": spent}


def _loss(design: Numbers, outcome: Numbers, theta: Numbers) -> float:
    score = design @ theta
    return float(np.mean(np.logaddexp(0, score) - outcome * score))


def _likeliest(design: Numbers, outcome: Numbers) -> Numbers:
    """By Newton's method."""
    theta = np.zeros(design.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-design @ theta))
        bend = design.T @ (design * (chance * (1 - chance))[:, None])
        theta = theta - np.linalg.solve(bend, design.T @ (chance - outcome))
    return theta
