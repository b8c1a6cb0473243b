"""Tumult Analytics on a local Spark: pure ε, one row a unit, every group declared."""

from collections.abc import Sequence

import pandas as pd
from pyspark.sql import SparkSession
from tmlt.analytics import (
    AddOneRow,
    KeySet,
    PureDPBudget,
    QueryBuilder,
    Session,
)

from bench.rivals.tasks import BOUNDS, TABLES, categories, cells, column_of, measure, rows

TABLE = rows()
SPARK = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .getOrCreate()
)
SPARK.sparkContext.setLogLevel("ERROR")
FRAME = SPARK.createDataFrame(
    pd.DataFrame(
        {name: column_of(TABLE, name).astype(int) for name in BOUNDS}
        | {name: [row[name] for row in TABLE] for columns in TABLES.values() for name in columns}
    )
).cache()


def answer(task: str, epsilon: float) -> float | Sequence[float]:
    """One answer."""
    budget = PureDPBudget(epsilon)
    session = Session.from_dataframe(
        privacy_budget=budget, source_id="people", dataframe=FRAME, protected_change=AddOneRow()
    )
    people = QueryBuilder("people")
    if task in TABLES:
        columns = TABLES[task]
        keys = KeySet.from_dict({name: categories(TABLE, name) for name in columns})
        rows_found = session.evaluate(people.groupby(keys).count(name="n"), budget).collect()
        found = {tuple(row[c] for c in columns): float(row["n"]) for row in rows_found}
        return [found.get(cell, 0.0) for cell in cells(TABLE, columns)]
    column = {"sum": "hours_per_week", "median": "fnlwgt"}.get(task, "age")
    low, high = BOUNDS[column]
    query = {
        "count": lambda: people.filter("hours_per_week >= 40").count(name="n"),
        "sum": lambda: people.sum(column, low, high, name="n"),
        "mean": lambda: people.average(column, low, high, name="n"),
        "variance": lambda: people.variance(column, low, high, name="n"),
        "median": lambda: people.median(column, low, high, name="n"),
    }[task]()
    return float(session.evaluate(query, budget).collect()[0]["n"])


if __name__ == "__main__":
    measure(answer, runs=12)
