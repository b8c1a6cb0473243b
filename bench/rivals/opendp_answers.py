"""OpenDP's own pipelines: clamp, aggregate, discrete Laplace; for a mean of an unknown number of
rows a sum and a count with half of ε each; for a variance its own transformation, which takes the
number of rows as public; for a median its quantile scores and report noisy max.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import opendp.prelude as dp

from bench.rivals.tasks import BOUNDS, CANDIDATE_STEP, TABLES, cells, column_of, measure, rows

dp.enable_features("contrib", "floating-point", "honest-but-curious")
TABLE = rows()
NUMBERS = {name: column_of(TABLE, name) for name in BOUNDS}
INTEGERS = {name: [int(n) for n in numbers] for name, numbers in NUMBERS.items()}
ROWS = len(TABLE)


def _space(kind: str, **domain: Any) -> Any:
    return dp.vector_domain(dp.atom_domain(T=kind, **domain)), dp.symmetric_distance()


def _of_integers(*steps: Any) -> Any:
    made = _space("i64")
    for step in steps:
        made = made >> step
    return made


def _sum(column: str, scale: float) -> Any:
    clamp = dp.t.then_clamp(BOUNDS[column])
    return _of_integers(clamp, dp.t.then_sum(), dp.m.then_laplace(scale))


def _count(scale: float) -> Any:
    return _of_integers(dp.t.then_count(TO="i64"), dp.m.then_laplace(scale))


def _median(scale: float) -> Any:
    low, high = BOUNDS["fnlwgt"]
    scores = dp.t.then_quantile_score_candidates(list(range(low, high + 1, CANDIDATE_STEP)), 0.5)
    return _of_integers(scores, dp.m.then_noisy_max(dp.max_divergence(), scale, negate=True))


def _variance(scale: float) -> Any:
    low, high = map(float, BOUNDS["age"])
    domain = dp.vector_domain(dp.atom_domain(bounds=(low, high)), size=ROWS)
    space = domain, dp.symmetric_distance()
    return space >> dp.t.then_variance(ddof=0) >> dp.m.then_laplace(scale)


def _table(task: str, scale: float) -> Any:
    names = ["|".join(cell) for cell in cells(TABLE, TABLES[task])]
    counts = dp.t.then_count_by_categories(names, null_category=True, TOA="i64")
    return _space("String") >> counts >> dp.m.then_laplace(scale)


_BUILDERS: dict[str, Callable[[float], Any]] = {
    "count": _count,
    "sum": partial(_sum, "hours_per_week"),
    "sum of age": partial(_sum, "age"),
    "variance": _variance,
    "median": _median,
    **{task: partial(_table, task) for task in TABLES},
}


@cache
def _measurement(task: str, epsilon: float) -> Any:
    """Built by OpenDP's own search for the scale that costs ε."""
    # A table of a public number of rows differs from its neighbour by two steps.
    distance = 2 if task == "variance" else 1
    return dp.binary_search_chain(_BUILDERS[task], d_in=distance, d_out=epsilon, T=float)


WORDS = {
    task: ["|".join(row[c] for c in columns) for row in TABLE] for task, columns in TABLES.items()
}


def answer(task: str, epsilon: float) -> float | Sequence[float]:
    """One answer."""
    if task == "count":
        return float(
            _measurement(task, epsilon)([n for n in INTEGERS["hours_per_week"] if n >= 40])
        )
    if task == "sum":
        return float(_measurement(task, epsilon)(INTEGERS["hours_per_week"]))
    if task == "mean":
        total = _measurement("sum of age", epsilon / 2)(INTEGERS["age"])
        return float(total / max(1, _measurement("count", epsilon / 2)(INTEGERS["age"])))
    if task == "variance":
        return float(_measurement(task, epsilon)([float(n) for n in INTEGERS["age"]]))
    if task == "median":
        place = _measurement(task, epsilon)(INTEGERS["fnlwgt"])
        return float(BOUNDS["fnlwgt"][0] + place * CANDIDATE_STEP)
    return [float(value) for value in _measurement(task, epsilon)(WORDS[task])[:-1]]


if __name__ == "__main__":
    measure(answer, runs=40)
