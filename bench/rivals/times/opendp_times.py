"""OpenDP's own pipelines over NumPy arrays of whole numbers; it has no groups and no people.

A filter is the analyst's own before it; categories are numbers already.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import opendp.prelude as dp
import pyarrow.parquet as pq

from bench.rivals.times.coded import code_of, codes
from bench.rivals.times.timed import (
    BINNED,
    CANDIDATES,
    EDGES,
    FILTERED,
    INCOMES,
    MEDIAN,
    REGIONS,
    SCHOOLS,
    SUMMED,
    TABLE,
    asked,
    tell_times,
)

dp.enable_features("contrib", "floating-point", "honest-but-curious")
_ROWS = dp.vector_domain(dp.atom_domain(T="i64")), dp.symmetric_distance()


def _made(*steps: Any) -> Any:
    pipeline: Any = _ROWS
    for step in steps:
        pipeline = pipeline >> step
    return pipeline


def main() -> None:
    """Every question that it has a pipeline for."""
    options = asked()
    read = pq.read_table(options.table)
    age = read["age"].to_numpy()
    income = read["income"].to_numpy().astype(np.int64)
    region, education = (
        codes(read[name], names).astype(np.int64)
        for name, names in (("region", REGIONS), ("education", SCHOOLS))
    )
    r3 = code_of("r3", REGIONS)
    counted = _made(dp.t.then_count(TO="i64"), dp.m.then_laplace(1.0))
    halves = [
        _made(dp.t.then_clamp(INCOMES), dp.t.then_sum(), dp.m.then_laplace(2.0 * INCOMES[1])),
        _made(dp.t.then_count(TO="i64"), dp.m.then_laplace(2.0)),
    ]
    bins = list(range(len(EDGES) - 1))
    binned = _made(
        dp.t.then_find_bin(EDGES[1:-1]),
        dp.t.then_count_by_categories(bins, null_category=False, TOA="i64"),
        dp.m.then_laplace(1.0),
    )
    scores = dp.t.then_quantile_score_candidates(CANDIDATES, 0.5)
    median = _made(scores, dp.m.then_noisy_max(dp.max_divergence(), 2.0, negate=True))
    cells = list(range(len(SCHOOLS) * len(REGIONS)))
    table = _made(
        dp.t.then_count_by_categories(cells, null_category=False, TOA="i64"),
        dp.m.then_laplace(1.0),
    )
    answers: dict[str, Callable[[], object]] = {
        FILTERED: lambda: counted(income[(age >= 40) & (region == r3)]),
        SUMMED: lambda: [half(income) for half in halves],
        BINNED: lambda: binned(income),
        MEDIAN: lambda: median(income),
        TABLE: lambda: table(education * len(REGIONS) + region),
    }
    tell_times(answers, options.rounds)


if __name__ == "__main__":
    main()
