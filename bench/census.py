"""A table like a census, invented and the same in every run: what large numbers of rows cost."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.schema import ColumnSpec, MissingRule

REGIONS = tuple(f"r{number}" for number in range(12))
SCHOOLS = tuple(f"e{number}" for number in range(16))
_NUMBERS = (("age", "120", "1"), ("income", "200000", "100"), ("hours", "99", "1"))
_LISTS = (("region", REGIONS), ("sex", ("f", "m")), ("education", SCHOOLS))
COLUMNS = (
    *(
        column_spec(name, numeric_domain("0", upper, step), MissingRule.DROP, "")
        for name, upper, step in _NUMBERS
    ),
    *(column_spec(name, category_domain(words), MissingRule.DROP, "") for name, words in _LISTS),
)
"""What is declared of it; `id` is not."""
_UPPERS = (1, 100, 30_000, 30_000_000_000)


def census(path: Path, rows: int, *, rows_each: int = 1) -> Path:
    """Write it as Parquet; each id has one row, or `rows_each` on average."""
    drawn = np.random.default_rng(1)
    once = rows_each == 1
    table = {
        "id": np.arange(rows) if once else drawn.integers(0, max(1, rows // rows_each), rows),
        "age": drawn.integers(0, 100, rows),
        "income": np.round(drawn.lognormal(10, 1, rows), 2),
        "region": np.array(REGIONS)[drawn.integers(0, len(REGIONS), rows)],
        "sex": np.array(["f", "m"])[drawn.integers(0, 2, rows)],
        "education": np.array(SCHOOLS)[drawn.integers(0, len(SCHOOLS), rows)],
        "hours": drawn.integers(1, 99, rows),
    }
    pq.write_table(pa.table(table), path)
    return path


def wide(path: Path, rows: int, columns: int) -> Path:
    """Write so many columns of numbers, small and large, and ids with three rows on average."""
    drawn = np.random.default_rng(1)
    table = {"id": drawn.integers(0, max(1, rows // 3), rows)}
    for at in range(columns):
        table[f"x{at}"] = drawn.integers(0, _UPPERS[at % len(_UPPERS)] + 1, rows)
    pq.write_table(pa.table(table), path, row_group_size=100_000)
    return path


def wide_columns(number: int) -> tuple[ColumnSpec, ...]:
    """What is declared of it; `id` is not."""
    uppers = (str(_UPPERS[at % len(_UPPERS)]) for at in range(number))
    return tuple(
        column_spec(f"x{at}", numeric_domain("0", upper, "1"), MissingRule.DROP, "")
        for at, upper in enumerate(uppers)
    )
