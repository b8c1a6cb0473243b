"""SmartNoise SQL, which spends ε on each part of a statistic: what is asked is scaled until
the tool's own account of its cost is the total that every tool has. Small counts are not left out
(`censor_dims` off), and groups are those that are there.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import pandas as pd
from snsql import Privacy, from_df

from bench.rivals.tasks import BOUNDS, TABLES, cells, column_of, measure, rows

TABLE = rows()
FRAME = pd.DataFrame(
    {name: column_of(TABLE, name).astype(int) for name in BOUNDS}
    | {name: [row[name] for row in TABLE] for columns in TABLES.values() for name in columns}
)
META: dict[str, Any] = {
    "": {
        "adult": {
            "people": {
                "row_privacy": True,
                "rows": len(TABLE),
                "censor_dims": False,
                "clamp_counts": False,
                **{
                    name: {"type": "int", "lower": low, "upper": high}
                    for name, (low, high) in BOUNDS.items()
                },
                **{name: {"type": "string"} for columns in TABLES.values() for name in columns},
            }
        }
    }
}
SQL = {
    "count": "SELECT COUNT(*) FROM adult.people WHERE hours_per_week >= 40",
    "sum": "SELECT SUM(hours_per_week) FROM adult.people",
    "mean": "SELECT AVG(age) FROM adult.people",
    "variance": "SELECT VAR(age) FROM adult.people",
    **{
        task: "SELECT {0}, COUNT(*) FROM adult.people GROUP BY {0}".format(", ".join(columns))
        for task, columns in TABLES.items()
    },
}


@cache
def _reader(task: str, epsilon: float) -> Any:
    """A reader whose answer to this question costs ε by its own account."""
    asked = epsilon
    for _ in range(20):
        reader = from_df(FRAME, privacy=Privacy(epsilon=asked, delta=1e-9), metadata=META)
        cost = reader.get_privacy_cost(SQL[task])[0]
        if cost <= epsilon * 1.0001:
            return reader
        asked *= epsilon / cost
    return reader


def answer(task: str, epsilon: float) -> float | Sequence[float]:
    """One answer."""
    if task not in SQL:
        raise NotImplementedError
    result = _reader(task, epsilon).execute(SQL[task])
    if task not in TABLES:
        return float(result[1][0])
    found = {tuple(row[:-1]): float(row[-1]) for row in result[1:]}
    return [found.get(cell, 0.0) for cell in cells(TABLE, TABLES[task])]


if __name__ == "__main__":
    measure(answer, runs=4)
