"""A plan as an English sentence, for pages, history, downloads and the audit reader.

Works from the plan's one JSON form alone; never looks at a dataset, an answer or its data.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

_LONGEST_LIST = 4
_STATISTICS = {
    "count": "Count of rows",
    "count_distinct": "Count of distinct privacy units",
    "sum": "Sum of {column}",
    "mean": "Mean of {column}",
    "variance": "Variance of {column}",
    "standard_deviation": "Standard deviation of {column}",
    "median": "Median of {column}",
    "min": "Minimum of {column}",
    "max": "Maximum of {column}",
    "cdf": "Cumulative count of rows",
}
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
_JOINTS = ("and", "or", "not")


def in_words(plan: dict[str, Any]) -> str:
    """The question as one sentence without a full stop: "Mean of age, where sex is Female"."""
    first, *others = [statistic_in_words(s) for s in plan["statistics"]]
    parts = [joined([first, *(lower_first(text) for text in others)])]
    if conditions := plan.get("where"):
        inside = "and" if len(conditions) > 1 else ""
        parts.append("where " + joined([filter_in_words(c, inside=inside) for c in conditions]))
    if groupings := plan.get("group_by"):
        parts.append("for each " + joined([grouping_in_words(g) for g in groupings]))
    return ", ".join(parts)


def statistic_in_words(statistic: dict[str, Any]) -> str:
    """One statistic of a plan, or one column of an answer: "Sum of hours"."""
    column = statistic.get("column")
    if (orders := statistic.get("quantiles")) is not None:
        many = [percent(order) for order in orders]
        word = "Quantile" if len(many) == 1 else "Quantiles"
        return f"{word} of {column} at {joined(_shortened(many))}"
    if (order := statistic.get("quantile")) is not None:
        return f"Quantile of {column} at {percent(order)}"
    return _STATISTICS.get(statistic["statistic"], "{column}").format(column=column)


def filter_in_words(item: dict[str, Any], *, inside: str = "") -> str:
    """A filter, however deep: "age is at least 30", "(sex is Male or age is missing)".

    `inside` is the word that joins it to its neighbours; brackets say what belongs together.
    """
    joint = next((name for name in _JOINTS if name in item), None)
    if joint is None:
        text = condition_in_words(item)
        listed = item.get("op") == "in" and len(item["value"]) > 1
        return f"({text})" if inside == "or" and listed else text
    if joint == "not":
        return f"not ({filter_in_words(item['not'])})"
    members = item[joint]
    if len(members) == 1:
        return filter_in_words(members[0], inside=inside)
    text = joined([filter_in_words(member, inside=joint) for member in members], joint)
    return f"({text})" if inside and inside != joint else text


def condition_in_words(condition: dict[str, Any]) -> str:
    """One condition: "age is between 20 and 30"."""
    column, op = condition["column"], condition["op"]
    value: Any = condition.get("value")
    verb = f"{column} {_OPERATORS.get(op, op)}"
    if op in ("is_missing", "is_present"):
        return verb
    if op == "between":
        return f"{verb} {value[0]} and {value[1]}"
    return f"{verb} {joined(_shortened(value), 'or') if isinstance(value, list) else value}"


def grouping_in_words(grouping: dict[str, Any]) -> str:
    """One grouping: "age group (0 to 100 in 10 bins)" or "sex (Female, Male)"."""
    column, edges = grouping["column"], grouping.get("edges")
    if edges:
        bins = len(edges) - 1
        return f"{column} group ({edges[0]} to {edges[-1]} in {bins} {_plural('bin', bins)})"
    return f"{column} ({', '.join(_shortened(grouping.get('categories') or []))})"


def percent(order: int | float | str) -> str:
    """A quantile's place: 0.25 is "25 %"."""
    text = format(Decimal(str(order)) * 100, "f")
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def joined(items: Sequence[str], word: str = "and") -> str:
    """The items as a list in words: "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {word} {items[-1]}"


def lower_first(text: str) -> str:
    """The text as it stands inside a sentence."""
    return text[:1].lower() + text[1:]


def _shortened(values: Sequence[Any]) -> list[str]:
    """At most a handful of values; the rest is counted, because a sentence should be readable."""
    if len(values) <= _LONGEST_LIST:
        return [str(value) for value in values]
    shown = _LONGEST_LIST - 1
    return [*(str(value) for value in values[:shown]), f"{len(values) - shown} more"]


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"
