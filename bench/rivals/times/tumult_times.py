"""Tumult Analytics over tables cached by a local Spark; all questions, every group declared.

A mean is asked as a sum and a count, which is faster than its own average.
"""

import tempfile
from collections.abc import Callable
from typing import Any

from pyspark.sql import SparkSession
from tmlt.analytics import (
    AddOneRow,
    AddRowsWithID,
    KeySet,
    MaxRowsPerID,
    PureDPBudget,
    QueryBuilder,
    Session,
)

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

_ENOUGH = PureDPBudget(1_000_000)


def _spark(folder: str) -> Any:
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "6g")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", folder)
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def _session(spark: Any, file: str, change: Any) -> Any:
    frame = spark.read.parquet(file).cache()
    # Only what is counted is cached.
    frame.count()
    return Session.from_dataframe(
        privacy_budget=_ENOUGH, source_id="rows", dataframe=frame, protected_change=change
    )


def _ask(spark: Any, table: str, persons: str, rounds: int) -> None:
    of_rows = _session(spark, table, AddOneRow())
    of_people = _session(spark, persons, AddRowsWithID("id"))
    rows = QueryBuilder("rows")
    by_places = rows.groupby(KeySet.from_dict({"region": REGIONS, "sex": SEXES}))
    cells = KeySet.from_dict({"education": SCHOOLS, "region": REGIONS})
    edges = [float(edge) for edge in EDGES]

    def asking(session: Any, *queries: Any) -> Callable[[], object]:
        budget = PureDPBudget(EPSILON / len(queries))
        return lambda: [session.evaluate(query, budget).collect() for query in queries]

    answers = {
        FILTERED: asking(of_rows, rows.filter("age >= 40 AND region = 'r3'").count()),
        SUMMED: asking(of_rows, rows.sum("income", *INCOMES), rows.count()),
        BINNED: asking(of_rows, rows.histogram("income", edges)),
        BY_GROUPS: asking(of_rows, by_places.sum("hours", *HOURS), by_places.count()),
        MEDIAN: asking(of_rows, rows.median("income", *INCOMES)),
        TABLE: asking(of_rows, rows.groupby(cells).count()),
        BY_PERSON: asking(of_people, rows.enforce(MaxRowsPerID(MOST_ROWS)).count()),
    }
    tell_times(answers, rounds)


def main() -> None:
    """All questions; what Tumult writes on its way is removed."""
    options = asked()
    with tempfile.TemporaryDirectory() as folder:
        spark = _spark(folder)
        _ask(spark, options.table, options.persons, options.rounds)
        spark.stop()


if __name__ == "__main__":
    main()
