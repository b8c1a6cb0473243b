"""A join that is bounded by hand: DuckDB joins and keeps rows of each person, OpenDP releases.

OpenDP's map proves what is drawn of so many rows of a person; that no person has more, and that
whose rows are kept depends on nobody else, is the writer's own word.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import duckdb
import numpy as np
import opendp.prelude as dp

from bench.rivals.joined import EPSILONS, KEPT, PAID_MOST, QUESTIONS, USED, truths

dp.enable_features("contrib")
_BOUNDED = """
WITH v AS (SELECT id, days, row_number() OVER (PARTITION BY id ORDER BY hash(days)) AS r
           FROM '{0}/visits.parquet' QUALIFY r <= {1}),
     c AS (SELECT id, paid, row_number() OVER (PARTITION BY id ORDER BY hash(paid)) AS r
           FROM '{0}/costs.parquet' QUALIFY r <= {1})
SELECT days, paid FROM v JOIN c USING (id)
QUALIFY row_number() OVER (PARTITION BY id ORDER BY greatest(v.r, c.r), v.r, c.r) <= {2}
"""


def _space(kind: str) -> Any:
    return dp.vector_domain(dp.atom_domain(T=kind)), dp.symmetric_distance()


def _count(scale: float) -> Any:
    return _space("i64") >> dp.t.then_count(TO="i64") >> dp.m.then_laplace(scale)


def _sum(scale: float) -> Any:
    clamped = _space("i64") >> dp.t.then_clamp((0, PAID_MOST))
    return clamped >> dp.t.then_sum() >> dp.m.then_laplace(scale)


def _by_days(scale: float) -> Any:
    counts = dp.t.then_count_by_categories(list(range(10)), null_category=True, TOA="i64")
    return _space("i64") >> counts >> dp.m.then_laplace(scale)


@cache
def _measurement(build: Callable[[float], Any], epsilon: float) -> Any:
    return dp.binary_search_chain(build, d_in=KEPT, d_out=epsilon, T=float)


def _answer(question: str, epsilon: float, days: list[int], paid: list[int]) -> list[float]:
    if question == "count":
        return [float(_measurement(_count, epsilon)(days))]
    if question == "sum of paid":
        return [float(_measurement(_sum, epsilon)(paid))]
    if question == "mean of paid":
        total = _measurement(_sum, epsilon / 2)(paid)
        return [float(total / max(1, _measurement(_count, epsilon / 2)(paid)))]
    return [float(value) for value in _measurement(_by_days, epsilon)(days)[:-1]]


def main() -> None:
    """Print, as JSON, error and time of each question at each ε, and the time of joining."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--runs", type=int, default=200)
    options = parser.parse_args()
    begun = time.perf_counter()
    with duckdb.connect() as connection:
        rows = connection.execute(_BOUNDED.format(options.folder, USED, KEPT)).fetchnumpy()
    found: dict[str, Any] = {"joining": time.perf_counter() - begun, "rows": len(rows["days"])}
    true = truths(rows["days"], rows["paid"])
    days, paid = rows["days"].tolist(), rows["paid"].tolist()
    for question in QUESTIONS:
        found[question] = {}
        for epsilon in EPSILONS:
            squares, took = [], []
            for _ in range(options.runs):
                begun = time.perf_counter()
                got = _answer(question, epsilon, days, paid)
                took.append(time.perf_counter() - begun)
                squares.append(np.mean((np.array(got) - np.array(true[question])) ** 2))
            error = float(np.sqrt(np.mean(squares)))
            found[question][str(epsilon)] = error, statistics.median(took)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
