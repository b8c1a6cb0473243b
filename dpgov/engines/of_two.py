"""Columns of two others in SQL: the same text, and the same integers, for every engine.

Made of column numbers and integers alone. A null in either of the two makes the whole null.
"""

from collections.abc import Sequence
from operator import index

from dpgov.engines.dialect import DUCKDB, Dialect
from dpgov.engines.grouping import column_name
from dpgov.privacy.plan.request import Bilinear, CodeOfTwo


def with_columns_of_two(
    source: str, columns: Sequence[CodeOfTwo], dialect: Dialect = DUCKDB
) -> str:
    """The rows of `source` with these columns besides its own."""
    if not columns:
        return source
    made = [
        f"{bilinear_sql(each.form, column_name(each.one), column_name(each.other))}"
        f" AS {column_name(each.column)}"
        for each in columns
    ]
    return dialect.within(f"SELECT *, {', '.join(made)} FROM {source}")  # noqa: S608 - integers


def bilinear_sql(form: Bilinear, one: str, other: str) -> str:
    """It, of two codes, in 64 bits."""
    one, other = f"{one}::BIGINT", f"{other}::BIGINT"
    parts = [
        f"({index(form.plus)})::BIGINT",
        f"({index(form.first)}) * {one}",
        f"({index(form.second)}) * {other}",
    ]
    # Both stand there even by a factor of 0, so that a null of either makes a null.
    parts += [f"({index(form.both)}) * {one} * {other}"] if form.both else []
    return f"({' + '.join(parts)})"
