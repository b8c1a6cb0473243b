"""IBM's diffprivlib over NumPy arrays; it bounds no rows of people. Groups are asked one by one."""

from typing import Any

import numpy as np
import pyarrow.parquet as pq
from diffprivlib import tools

from bench.rivals.times.coded import code_of, codes
from bench.rivals.times.timed import (
    BINNED,
    BY_GROUPS,
    EDGES,
    EPSILON,
    FILTERED,
    HOURS,
    INCOMES,
    MEDIAN,
    REGIONS,
    SCHOOLS,
    SEXES,
    SUMMED,
    TABLE,
    asked,
    tell_times,
)


def _grid(sizes: tuple[int, int]) -> dict[str, Any]:
    edges = [np.arange(size + 1) - 0.5 for size in sizes]
    return {"bins": edges, "range": [(-0.5, size - 0.5) for size in sizes]}


def main() -> None:
    """All but the question by person."""
    options = asked()
    read = pq.read_table(options.table)
    age, income, hours = (read[name].to_numpy() for name in ("age", "income", "hours"))
    region, sex = codes(read["region"], REGIONS), codes(read["sex"], SEXES)
    education, r3 = codes(read["education"], SCHOOLS), code_of("r3", REGIONS)

    def summed() -> Any:
        half = EPSILON / 2
        total = tools.sum(income, epsilon=half, bounds=INCOMES)
        return total, tools.mean(income, epsilon=half, bounds=INCOMES)

    def by_groups() -> Any:
        return [
            tools.mean(hours[(region == one) & (sex == other)], epsilon=EPSILON, bounds=HOURS)
            for one in range(len(REGIONS))
            for other in range(len(SEXES))
        ]

    def table() -> Any:
        places = np.stack([education, region], axis=1)
        sizes = len(SCHOOLS), len(REGIONS)
        return tools.histogramdd(places, epsilon=EPSILON, **_grid(sizes))[0]

    bins = len(EDGES) - 1
    answers = {
        FILTERED: lambda: tools.count_nonzero((age >= 40) & (region == r3), epsilon=EPSILON),
        SUMMED: summed,
        # By their number: NumPy sorts what is asked by edges.
        BINNED: lambda: tools.histogram(income, epsilon=EPSILON, bins=bins, range=INCOMES)[0],
        BY_GROUPS: by_groups,
        MEDIAN: lambda: tools.median(income, epsilon=EPSILON, bounds=INCOMES),
        TABLE: table,
    }
    tell_times(answers, options.rounds)


if __name__ == "__main__":
    main()
