"""A plan as an English sentence, for pages, history, downloads and the audit reader.

Works from the plan's one JSON form alone; never looks at a dataset, an answer or its data.
"""

from collections.abc import Sequence
from typing import Any

_LONGEST_LIST = 4
_STATISTICS = {"count": "Count of rows", "sum": "Sum of {column}", "mean": "Mean of {column}"}
_OPERATORS = {
    "=": "is",
    "!=": "is not",
    "<": "is less than",
    "<=": "is at most",
    ">": "is more than",
    ">=": "is at least",
    "between": "is between",
    "in": "is",
    "is_missing": "is missing",
    "is_present": "has a value",
}


def in_words(plan: dict[str, Any]) -> str:
    """The question as one sentence without a full stop: "Mean of age, where sex is Female"."""
    first, *others = [statistic_in_words(s) for s in plan["statistics"]]
    parts = [_join([first, *(_lower_first(text) for text in others)], "and")]
    if conditions := plan.get("where"):
        parts.append("where " + _join([condition_in_words(c) for c in conditions], "and"))
    if groupings := plan.get("group_by"):
        parts.append("for each " + _join([grouping_in_words(g) for g in groupings], "and"))
    return ", ".join(parts)


def statistic_in_words(statistic: dict[str, Any]) -> str:
    """One statistic: "Sum of hours"."""
    pattern = _STATISTICS.get(statistic["statistic"], "{column}")
    return pattern.format(column=statistic.get("column"))


def condition_in_words(condition: dict[str, Any]) -> str:
    """One filter: "age is between 20 and 30"."""
    column, op = condition["column"], condition["op"]
    value: Any = condition.get("value")
    verb = f"{column} {_OPERATORS.get(op, op)}"
    if op in ("is_missing", "is_present"):
        return verb
    if op == "between":
        return f"{verb} {value[0]} and {value[1]}"
    return f"{verb} {_join(_shortened(value), 'or') if isinstance(value, list) else value}"


def grouping_in_words(grouping: dict[str, Any]) -> str:
    """One grouping: "age group (0 to 100 in 10 bins)" or "sex (Female, Male)"."""
    column, edges = grouping["column"], grouping.get("edges")
    if edges:
        bins = len(edges) - 1
        return f"{column} group ({edges[0]} to {edges[-1]} in {bins} {_plural('bin', bins)})"
    return f"{column} ({', '.join(_shortened(grouping.get('categories') or []))})"


def _shortened(values: Sequence[Any]) -> list[str]:
    """At most a handful of values; the rest is counted, because a sentence should be readable."""
    if len(values) <= _LONGEST_LIST:
        return [str(value) for value in values]
    shown = _LONGEST_LIST - 1
    return [*(str(value) for value in values[:shown]), f"{len(values) - shown} more"]


def _join(items: Sequence[str], word: str) -> str:
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"
