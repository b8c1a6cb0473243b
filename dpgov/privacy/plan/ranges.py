"""What the true number of a statistic can be at all, from public bounds alone.

Intervals are cut to it, and an error as wide as all of it says nothing and is said to.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain, repeat
from typing import Any

from dpgov.privacy.plan.calendar import DateStep, number_of, period_text, span_of
from dpgov.privacy.plan.canonical import values_of
from dpgov.privacy.plan.levels import USUAL_STATED
from dpgov.privacy.plan.plan import Clip
from dpgov.privacy.plan.schema import CategoryDomain, DatasetSchema, DateDomain
from dpgov.privacy.plan.statistics import Quantity, StatisticKind

# In the JSON of quotes and releases: the error is as wide as all that can be true.
SAYS_NOTHING = "error_as_wide_as_range"
# What ± means is said for groups of so many rows: examples, never the sizes of the groups asked.
_GROUP_SIZES = (10, 100, 1_000, 10_000)


def group_sizes(most: int) -> tuple[int, ...]:
    """The sizes that an error is said for; above the most rows that there can be only the first."""
    return _GROUP_SIZES[:1] + tuple(rows for rows in _GROUP_SIZES[1:] if rows <= most)


def range_of(
    kind: StatisticKind, column: str | None, schema: DatasetSchema, clip: Clip | None = None
) -> tuple[float, float] | None:
    """The least and the largest that it can truly be; None where the column is not known."""
    quantity = kind.facts.quantity
    if quantity is Quantity.NUMBER and not kind.facts.takes_any_column:
        return 0.0, float(schema.max_rows)
    index = schema.index_of(column or "")
    if index is None or quantity is Quantity.SLOPE:
        return None
    if quantity is Quantity.NUMBER:
        return 0.0, float(min(schema.max_rows, values_of(schema.columns[index])))
    domain = schema.columns[index].domain
    if isinstance(domain, CategoryDomain):
        return None
    low, high = (domain.lower, domain.upper) if clip is None else map(Decimal, clip)
    if quantity is Quantity.VALUE:
        return float(low), float(high)
    if quantity is Quantity.TOTAL:
        return float(schema.max_rows * min(low, Decimal(0))), float(
            schema.max_rows * max(high, Decimal(0))
        )
    half = (high - low) / 2
    return 0.0, float(half if quantity is Quantity.DISTANCE else half * half)


def said_of(
    kind: StatisticKind, column: str | None, schema: DatasetSchema, clip: Clip | None = None
) -> dict[str, Any]:
    """The range in the JSON form of quotes and releases: {"range": [0, 110]}.

    Of dates it is of numbers of periods, and `dates` says since when: {"from": "2024-01-31",
    "step": "day"}.
    """
    found = range_of(kind, column, schema, clip)
    if found is None:
        return {}
    head: dict[str, Any] = {"range": [_short(bound) for bound in found]}
    index = schema.index_of(column or "")
    domain = None if index is None else schema.columns[index].domain
    if isinstance(domain, DateDomain) and kind.facts.quantity is Quantity.VALUE:
        head["dates"] = {"from": domain.text(0), "step": domain.unit.value}
    return head


def dated(cells: Sequence[dict[str, Any]], head: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The cells, with the period that each number of a statistic of dates is nearest to."""
    dates = head.get("dates")
    if dates is None:
        return list(cells)
    step = DateStep(dates["step"])
    first = number_of(step, span_of(dates["from"]).start)
    return [
        cell
        if cell["value"] is None
        else {**cell, "date": period_text(step, first + round(cell["value"]))}
        for cell in cells
    ]


def clipped(value: float, error: float, head: Mapping[str, Any]) -> tuple[float, float]:
    """The interval around a released value, cut to what can be true; never empty."""
    low, high = value - error, value + error
    if head.get("range"):
        least, most = head["range"]
        low, high = (min(max(end, least), most) for end in (low, high))
    return low, high


def says_nothing(error: float | None, head: Mapping[str, Any], value: float | None = None) -> bool:
    """Whether an error is as wide as everything that can be true: around a released value, whether
    its interval leaves nothing out.
    """
    if error is None or not head.get("range"):
        return False
    least, most = head["range"]
    if value is not None:
        return bool(value - error <= least and value + error >= most)
    return bool(error >= most - least)


def of_group(rows: int, accuracy: list[dict[str, Any]], head: Mapping[str, Any]) -> dict[str, Any]:
    """The usual error of one number about a group of so many rows, and whether it says nothing.

    An error in rows that reaches from the middle to the end says nothing.
    """
    for statement in accuracy:
        if statement["confidence_level"] == USUAL_STATED:
            value, ranks = statement["value"], statement.get("rank_error")
            empty = says_nothing(value, head) if ranks is None else 2 * ranks >= rows
            known = {} if ranks is None else {"rank_error": ranks}
            empty = empty or (value is None and ranks is None)
            return {"rows": rows, "value": value, **known, "says_nothing": empty}
    return {"rows": rows, "value": None, "says_nothing": True}


def is_empty(
    accuracies: Iterable[Sequence[Mapping[str, Any]]],
    head: Mapping[str, Any],
    values: Iterable[float | None] = (),
) -> bool:
    """Whether the usual error of some cell is as wide as the range; `values` where released."""
    return any(
        says_nothing(statement["value"], head, value)
        for accuracy, value in zip(accuracies, chain(values, repeat(None)), strict=False)
        for statement in accuracy
        if statement["confidence_level"] == USUAL_STATED
    )


def warning_of(
    accuracies: Iterable[Sequence[Mapping[str, Any]]],
    head: Mapping[str, Any],
    values: Iterable[float | None] = (),
) -> dict[str, str | None]:
    """{"warning_code": SAYS_NOTHING} where a number does, else None: one shape for all.

    A code: the sentence is made when it is shown (`queries.wording.words`).
    """
    return {"warning_code": SAYS_NOTHING if is_empty(accuracies, head, values) else None}


def _short(number: float) -> int | float:
    return int(number) if number.is_integer() else number
