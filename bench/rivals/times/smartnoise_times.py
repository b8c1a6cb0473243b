"""SmartNoise SQL over PostgreSQL, which has the table `census`; it has no median.

It spends ε on each sum and each count, so that a mean has half of it for both; groups are those
that are there.
"""

from collections.abc import Callable
from typing import Any

import psycopg2
from snsql import Privacy, from_connection

from bench.rivals.times.timed import (
    BINNED,
    BY_GROUPS,
    BY_PERSON,
    EDGES,
    EPSILON,
    FILTERED,
    HOURS,
    INCOMES,
    MOST_ROWS,
    SUMMED,
    TABLE,
    asked,
    tell_times,
)

_LAST = f"income >= {EDGES[-2]}"
_BIN = f"CASE WHEN {_LAST} THEN {len(EDGES) - 2} ELSE FLOOR(income / {EDGES[1]}) END"
_QUESTIONS = {
    FILTERED: "SELECT COUNT(*) FROM public.census WHERE age >= 40 AND region = 'r3'",
    SUMMED: "SELECT SUM(income), AVG(income) FROM public.census",
    BINNED: f"SELECT {_BIN} AS bin, COUNT(*) FROM public.census GROUP BY {_BIN}",
    BY_GROUPS: "SELECT region, sex, AVG(hours) FROM public.census GROUP BY region, sex",
    TABLE: "SELECT education, region, COUNT(*) FROM public.census GROUP BY education, region",
    BY_PERSON: "SELECT COUNT(*) FROM public.census",
}
_BY_ROW: dict[str, Any] = {"row_privacy": True}
_BY_ID: dict[str, Any] = {
    "max_ids": MOST_ROWS,
    "sample_max_ids": True,
    "person": {"type": "int", "private_id": True},
}


def _described(rows: int, unit: dict[str, Any]) -> dict[str, Any]:
    numbers = {"age": ("int", (0, 120)), "income": ("float", INCOMES), "hours": ("int", HOURS)}
    return {
        "rows": rows,
        "censor_dims": False,
        **{
            name: {"type": kind, "lower": low, "upper": high}
            for name, (kind, (low, high)) in numbers.items()
        },
        **{name: {"type": "string"} for name in ("region", "sex", "education")},
        **unit,
    }


def _asking(url: str, rows: int, name: str) -> Callable[[], object]:
    """A reader that has its connection, whose answer costs ε in total by its own account."""
    described = _described(rows, _BY_ID if name == BY_PERSON else _BY_ROW)
    parts = 2 if "AVG" in _QUESTIONS[name] else 1
    reader = from_connection(
        psycopg2.connect(url),
        privacy=Privacy(epsilon=EPSILON / parts, delta=1e-9),
        metadata={"": {"public": {"census": described}}},
        engine="postgres",
    )
    return lambda: reader.execute(_QUESTIONS[name])


def main() -> None:
    """All but the median."""
    options = asked()
    urls = {name: options.persons if name == BY_PERSON else options.table for name in _QUESTIONS}
    answers = {name: _asking(url, options.rows, name) for name, url in urls.items()}
    tell_times(answers, options.rounds)


if __name__ == "__main__":
    main()
