"""A plan as a sentence in the reader's language.

For pages, history and whoever reads the log. Works from the plan's one JSON form and from quotes
and answers alone; never looks at a dataset, the database or data.
"""

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any

from django.utils.translation import get_language, gettext, gettext_lazy, ngettext

from dpgov.language.translation import english
from dpgov.privacy.accounting.decimals import read_decimal
from dpgov.privacy.plan.statistics import IN_ROWS, STATISTICS
from dpgov.queries.wording.dates import PARTS_IN_WORDS
from dpgov.queries.wording.numbers import in_percent, rows_in_words

_LONGEST_LIST = 4
_CONDITIONS = {
    "=": gettext_lazy("{column} is {value}"),
    "in": gettext_lazy("{column} is {value}"),
    "!=": gettext_lazy("{column} is not {value}"),
    "<": gettext_lazy("{column} is less than {value}"),
    "<=": gettext_lazy("{column} is at most {value}"),
    ">": gettext_lazy("{column} is more than {value}"),
    ">=": gettext_lazy("{column} is at least {value}"),
    "between": gettext_lazy("{column} is between {low} and {high}"),
    "is_missing": gettext_lazy("{column} is missing"),
    "is_present": gettext_lazy("{column} has a value"),
}
_LISTS = {
    "and": gettext_lazy("{items} and {last}"),
    "or": gettext_lazy("{items} or {last}"),
}
_JOINTS = ("and", "or", "not")
# Languages that write names with a capital letter wherever they stand.
_CAPITALS = ("de",)


def in_words(plan: dict[str, Any]) -> str:
    """The question as one sentence without a full stop: "Mean of age, where sex is Female"."""
    first, *others = [statistic_in_words(s) for s in plan["statistics"]]
    parts = [joined([first, *(lower_first(text) for text in others)])]
    if conditions := plan.get("where"):
        inside = "and" if len(conditions) > 1 else ""
        words = joined([filter_in_words(c, inside=inside) for c in conditions])
        parts.append(gettext("where {conditions}").format(conditions=words))
    groupings = plan.get("group_by", [])
    if chosen := plan.get("adaptive"):
        parts.append(_chosen_adaptively(chosen, joined([g["column"] for g in groupings])))
    elif groupings:
        words = joined([grouping_in_words(g) for g in groupings])
        parts.append(gettext("for each {groups}").format(groups=words))
    if words := of_each_unit(plan.get("per_unit") or {}, grouped=bool(groupings)):
        parts.append(words)
    return ", ".join(parts)


def in_english(plan: dict[str, Any]) -> str:
    """The same for files and whatever else is kept, whoever reads along."""
    with english():
        return in_words(plan)


def statistic_in_words(statistic: dict[str, Any]) -> str:
    """One statistic of a plan, or one column of an answer: "Sum of hours"."""
    column, sentence = statistic.get("column"), STATISTICS[statistic["statistic"]].sentence
    if (orders := statistic.get("quantiles")) is not None:
        many = [_at(order) for order in orders]
        if len(many) != 1:
            shares = joined(shortened(many))
            return gettext(sentence).format(column=column, shares=shares)
        return _quantile(column, many[0])
    if (predictors := statistic.get("predictors")) is not None:
        one, names = gettext(sentence), joined(shortened(predictors))
        if "term" in statistic:
            label = gettext(STATISTICS[statistic["statistic"]].label)
            one = gettext("{statistic} of {column}: {term}").replace("{statistic}", label)
        return one.format(column=column, predictors=names, term=term_in_words(statistic))
    if (order := statistic.get("quantile")) is not None:
        return _quantile(column, _at(order))
    return _clipped(gettext(sentence).format(column=column), statistic.get("clip"))


def term_in_words(head: Mapping[str, Any]) -> str:
    """What a coefficient belongs to: "age", "sex is Male", "intercept"."""
    if "category" in head:
        return gettext("{column} is {value}").format(column=head["term"], value=head["category"])
    return str(head.get("term") or gettext("intercept"))


def _clipped(words: str, clip: dict[str, Any] | None) -> str:
    if clip is None:
        return words
    pattern = gettext("{statistic}, clipped to {low} to {high}")
    return pattern.format(statistic=words, low=clip["from"], high=clip["to"])


def _at(order: object) -> str:
    """A quantile's place. A plan may be one that nobody has read: its numbers have any size."""
    return in_percent(read_decimal(order))


def _quantile(column: str | None, share: str) -> str:
    return gettext("Quantile of {column} at {share}").format(column=column, share=share)


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
        return gettext("not ({condition})").format(condition=filter_in_words(item["not"]))
    members = item[joint]
    if len(members) == 1:
        return filter_in_words(members[0], inside=inside)
    text = joined([filter_in_words(member, inside=joint) for member in members], joint)
    return f"({text})" if inside and inside != joint else text


def condition_in_words(condition: dict[str, Any]) -> str:
    """One condition: "age is between 20 and 30". Raises LookupError for an unknown operator."""
    column, op = condition["column"], condition["op"]
    value: Any = condition.get("value")
    pattern = str(_CONDITIONS[op])
    if op == "between":
        return pattern.format(column=column, low=value[0], high=value[1])
    words = joined(shortened(value), "or") if isinstance(value, list) else value
    return pattern.format(column=column, value=words)


def grouping_in_words(grouping: dict[str, Any]) -> str:
    """One grouping: "age group (0 to 100 in 10 bins)" or "sex (Female, Male)"."""
    column, edges = grouping["column"], grouping.get("edges")
    if edges:
        bins = len(edges) - 1
        pattern = ngettext(
            "{column} group ({low} to {high} in {bins} bin)",
            "{column} group ({low} to {high} in {bins} bins)",
            bins,
        )
        return pattern.format(column=column, low=edges[0], high=edges[-1], bins=bins)
    if by := grouping.get("by"):
        return gettext("{part} of {column}").format(column=column, part=PARTS_IN_WORDS[by]())
    return f"{column} ({', '.join(shortened(grouping.get('categories') or []))})"


def _chosen_adaptively(chosen: dict[str, Any], columns: str) -> str:
    """ "in 8 tables chosen adaptively among 15 of age, sex and region"."""
    # No plural is looked up for a number that nobody has read: 1E+999999 would be written out.
    rounds = index(chosen["rounds"])
    pattern = ngettext(
        "in {rounds} table chosen adaptively among {candidates} of {columns}",
        "in {rounds} tables chosen adaptively among {candidates} of {columns}",
        rounds,
    )
    if chosen.get("mwem"):
        pattern = ngettext(
            "in {rounds} table chosen by MWEM among {candidates} of {columns}",
            "in {rounds} tables chosen by MWEM among {candidates} of {columns}",
            rounds,
        )
    return pattern.format(rounds=rounds, candidates=len(chosen["tables"]), columns=columns)


def of_each_unit(limits: Mapping[str, int], *, grouped: bool) -> str:
    """ "Using at most 2 groups of each privacy unit and 1 row in each": nothing without a limit."""
    rows, groups = limits.get("rows_per_group"), limits.get("groups") if grouped else None
    of_group = "" if rows is None else rows_in_words(rows)
    pattern = ngettext("{groups} group", "{groups} groups", index(groups or 0))
    of_groups = pattern.format(groups=groups)
    if groups is not None and rows is not None:
        pattern = gettext("using at most {groups} of each privacy unit and {rows} in each")
        return pattern.format(groups=of_groups, rows=of_group)
    if groups is not None:
        return gettext("using at most {groups} of each privacy unit").format(groups=of_groups)
    if rows is None:
        return ""
    pattern = gettext("using at most {rows} of each privacy unit")
    if grouped:
        pattern = gettext("using at most {rows} of each privacy unit in a group")
    return pattern.format(rows=of_group)


def joined(items: Sequence[str], word: str = "and") -> str:
    """The items as a list in words, by "and" or "or": "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return str(_LISTS[word]).format(items=", ".join(items[:-1]), last=items[-1])


def counted_in_rows() -> str:
    """The statistics whose error is so many rows: "median, quantiles, minimum and maximum"."""
    return joined([gettext(kind.facts.name) for kind in IN_ROWS])


def lower_first(text: str) -> str:
    """The text as it stands inside a sentence."""
    if (get_language() or "").startswith(_CAPITALS):
        return text
    return text[:1].lower() + text[1:]


def shortened(values: Sequence[Any]) -> list[str]:
    """At most a handful of values; the rest is counted, because a sentence should be readable."""
    if len(values) <= _LONGEST_LIST:
        return [str(value) for value in values]
    shown = _LONGEST_LIST - 1
    left_out = gettext("{number} more").format(number=len(values) - shown)
    return [*(str(value) for value in values[:shown]), left_out]
