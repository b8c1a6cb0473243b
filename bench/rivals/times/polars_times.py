"""OpenDP over frames of Polars in memory, whose numbers of rows and groups are public."""

from collections.abc import Callable
from typing import Any

import polars as pl
from opendp import prelude

from bench.rivals.times.timed import (
    BINNED,
    BY_GROUPS,
    BY_PERSON,
    CANDIDATES,
    EDGES,
    EPSILON,
    FILTERED,
    HOURS,
    INCOMES,
    MEDIAN,
    MOST_ROWS,
    SUMMED,
    TABLE,
    asked,
    tell_times,
)

# Its types do not know what frames add to it.
dp: Any = prelude
dp.enable_features("contrib", "honest-but-curious")
BINS = [str(number) for number in range(len(EDGES) - 1)]


def _context(frame: Any, rows: int, unit: Any) -> Any:
    """One question's worth of a session."""
    grouped = (["region", "sex"], ["education", "region"])
    margins = [dp.polars.Margin(by=by, invariant="keys", max_length=rows) for by in grouped]
    return dp.Context.compositor(
        data=frame,
        privacy_unit=unit,
        privacy_loss=dp.loss_of(epsilon=EPSILON),
        split_evenly_over=1,
        margins=[dp.polars.Margin(max_length=rows), *margins],
    )


def main() -> None:
    """All questions."""
    options = asked()
    table = pl.read_parquet(options.table).with_columns(pl.col("income").cast(pl.Int64)).lazy()
    persons = pl.read_parquet(options.persons).lazy()

    def of_rows() -> Any:
        return _context(table, options.rows, dp.unit_of(contributions=1)).query()

    def of_people() -> Any:
        unit = dp.unit_of(contributions=1, identifier="id")
        return _context(persons, options.rows, unit).query().truncate_per_group(MOST_ROWS)

    income, hours = pl.col("income").fill_null(0), pl.col("hours").fill_null(0)
    past_forty = (pl.col("age") >= 40) & (pl.col("region") == "r3")
    binned = pl.col("income").cut(EDGES[1:-1], labels=BINS).alias("bin")
    keys = pl.LazyFrame({"bin": BINS}, schema={"bin": pl.Categorical})
    mean = [hours.dp.sum(HOURS), dp.len()]
    queries: dict[str, Callable[[], Any]] = {
        FILTERED: lambda: of_rows().filter(past_forty).select(dp.len()),
        SUMMED: lambda: of_rows().select(income.dp.sum(INCOMES), dp.len()),
        BINNED: lambda: (
            of_rows().with_columns(binned).group_by("bin").agg(dp.len()).with_keys(keys)
        ),
        BY_GROUPS: lambda: of_rows().group_by("region", "sex").agg(mean),
        MEDIAN: lambda: of_rows().select(income.dp.median(CANDIDATES)),
        TABLE: lambda: of_rows().group_by("education", "region").agg(dp.len()),
        BY_PERSON: lambda: of_people().select(dp.len()),
    }

    def released(query: Callable[[], Any]) -> Callable[[], object]:
        return lambda: query().release().collect()

    tell_times({name: released(query) for name, query in queries.items()}, options.rounds)


if __name__ == "__main__":
    main()
