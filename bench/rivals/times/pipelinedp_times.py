"""PipelineDP over tuples in memory by its local backend; a filter is the analyst's own before it.

It is asked all questions, but not of more than a million rows, which it takes one by one.
"""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import pipeline_dp
import pyarrow.parquet as pq
from pipeline_dp import Metrics

from bench.rivals.times.timed import (
    BINNED,
    BY_GROUPS,
    BY_PERSON,
    EDGES,
    EPSILON,
    FILTERED,
    HOURS,
    INCOMES,
    MEDIAN,
    MOST_ROWS,
    REGIONS,
    SCHOOLS,
    SEXES,
    SUMMED,
    TABLE,
    asked,
    tell_times,
)

_LARGEST = 1_000_000
_NAMES = ["id", "age", "income", "region", "sex", "education", "hours"]
_ID, _AGE, _INCOME, _REGION, _SEX, _EDUCATION, _HOURS = range(len(_NAMES))
_LAST_BIN = len(EDGES) - 2
Row = tuple[Any, ...]
Grouped = tuple[list[Any], Callable[[Row], Any]]
_TOGETHER: Grouped = [0], lambda _: 0
_BINS: Grouped = (
    [*range(_LAST_BIN + 1)],
    lambda row: min(int(row[_INCOME] // EDGES[1]), _LAST_BIN),
)
_REGIONS_AND_SEXES: Grouped = (
    [*product(REGIONS, SEXES)],
    lambda row: (row[_REGION], row[_SEX]),
)
_SCHOOLS_AND_REGIONS: Grouped = (
    [*product(SCHOOLS, REGIONS)],
    lambda row: (row[_EDUCATION], row[_REGION]),
)


def _rows(file: str) -> list[Row]:
    read = pq.read_table(file, columns=_NAMES)
    return list(zip(*(read[name].to_pylist() for name in _NAMES), strict=True))


def _released(
    rows: Iterable[Row],
    metrics: list[Any],
    grouped: Grouped = _TOGETHER,
    of: tuple[int, tuple[int, int]] | None = None,
    *,
    by_person: bool = False,
) -> object:
    """The metrics of each group, and of the values in a column between their bounds."""
    groups, group = grouped
    column, (low, high) = of or (_ID, (None, None))
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=0)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    found = engine.aggregate(
        rows,
        pipeline_dp.AggregateParams(
            metrics=metrics,
            max_partitions_contributed=1,
            max_contributions_per_partition=MOST_ROWS if by_person else 1,
            contribution_bounds_already_enforced=not by_person,
            min_value=low,
            max_value=high,
        ),
        pipeline_dp.DataExtractors(
            privacy_id_extractor=(lambda row: row[_ID]) if by_person else None,
            partition_extractor=group,
            value_extractor=lambda row: row[column],
        ),
        public_partitions=groups,
    )
    accountant.compute_budgets()
    return list(found)


def main() -> None:
    """All questions, or none."""
    options = asked()
    if options.rows > _LARGEST:
        tell_times({}, options.rounds)
        return
    table, persons = _rows(options.table), _rows(options.persons)
    count, incomes, hours = [Metrics.COUNT], (_INCOME, INCOMES), (_HOURS, HOURS)

    def past_forty() -> list[Row]:
        return [row for row in table if row[_AGE] >= 40 and row[_REGION] == "r3"]

    answers: dict[str, Callable[[], object]] = {
        FILTERED: lambda: _released(past_forty(), count),
        SUMMED: lambda: _released(table, [Metrics.SUM, Metrics.MEAN], of=incomes),
        BINNED: lambda: _released(table, count, _BINS),
        BY_GROUPS: lambda: _released(table, [Metrics.MEAN], _REGIONS_AND_SEXES, hours),
        MEDIAN: lambda: _released(table, [Metrics.PERCENTILE(50)], of=incomes),
        TABLE: lambda: _released(table, count, _SCHOOLS_AND_REGIONS),
        BY_PERSON: lambda: _released(persons, count, by_person=True),
    }
    tell_times(answers, options.rounds)


if __name__ == "__main__":
    main()
