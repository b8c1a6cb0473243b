"""What sort of question a stored plan is, in a word or two, for sums and filters; and its groups.

A sort is made of the names of statistics and stored in English; it is said in the reader's language
when shown. A history is searched for these names, so that none may be part of another.
"""

from math import prod
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext

from dpgov.privacy.plan.statistics import HISTOGRAM, STATISTICS, Facts, StatisticKind

LONGEST_KIND = 200
_BY_GROUP = " by group"
_OF_GROUPS = {facts.name for facts in STATISTICS.values() if facts.ungrouped}


def kind_of(plan: dict[str, Any]) -> str:
    """ "Count", "Histogram", "Mean", "Histogram + sum by group": statistics in the plan's order."""
    groups = bool(plan.get("group_by"))
    asked = [one["statistic"] for one in plan["statistics"]]
    if groups:
        asked = [HISTOGRAM if kind == StatisticKind.COUNT else kind for kind in asked]
    names = list(dict.fromkeys(STATISTICS[kind].name for kind in asked))
    alone = not groups or set(names) <= _OF_GROUPS
    return " + ".join(names).capitalize() + ("" if alone else _BY_GROUP)


def least_groups(plan: dict[str, Any]) -> int:
    """How many groups it has at least: those of the calendar depend on the dataset."""
    named = (one.get("edges") or one.get("categories") or [1] for one in plan.get("group_by") or [])
    return prod(map(len, named))


def statistics_of(kind: str) -> list[Facts]:
    """What a kind was made of, in its order; names that are not known are left out."""
    known = {facts.name: facts for facts in STATISTICS.values()}
    return [known[name] for name in _names(kind) if name in known]


def is_kind(text: str) -> bool:
    """Whether a plan can be of this kind, whoever asked one: a statistic's bare name is none."""
    known = {facts.name for facts in STATISTICS.values()}
    return text[:1].isupper() and set(_names(text)) <= known


def kind_in_words(kind: str) -> str:
    """ "Histogram + sum by group" as the reader says it; a name that is not known as it is."""
    known = {facts.name for facts in statistics_of(kind)}
    words = " + ".join(gettext(name) if name in known else name for name in _names(kind))
    if kind.endswith(_BY_GROUP):
        words = gettext("%(statistics)s by group") % {"statistics": words}
    return str(capfirst(words))


def _names(kind: str) -> list[str]:
    return kind.removesuffix(_BY_GROUP).lower().split(" + ")
