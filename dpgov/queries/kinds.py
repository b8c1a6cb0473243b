"""What sort of question a stored plan is: its code, what the code names and says; and its groups.

A code is made of keys of the table of statistics, like `mean-overall` or `histogram.sum-by_group`,
in characters that an address carries as they are; a statistic's key alone is none. Rows, filters
and addresses hold codes; words are made when they are shown, in the reader's language.
"""

from math import prod
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext

from dpgov.privacy.plan.statistics import HISTOGRAM, STATISTICS, StatisticKind

LONGEST_KIND = 200
_OVERALL, _BY_GROUP = "overall", "by_group"
_AND, _ASKED = ".", "-"


def kind_of(plan: dict[str, Any]) -> str:
    """Its code: statistics in the plan's order, each once; a count by group is a histogram."""
    groups = bool(plan.get("group_by"))
    asked: list[str] = [StatisticKind(one["statistic"]) for one in plan["statistics"]]
    if groups:
        asked = [HISTOGRAM if key == StatisticKind.COUNT else key for key in asked]
    return f"{_AND.join(dict.fromkeys(asked))}{_ASKED}{_BY_GROUP if groups else _OVERALL}"


def least_groups(plan: dict[str, Any]) -> int:
    """How many groups it has at least: those of the calendar depend on the dataset."""
    named = (one.get("edges") or one.get("categories") or [1] for one in plan.get("group_by") or [])
    return prod(map(len, named))


def statistics_of(kind: str) -> list[str]:
    """The keys of the statistics that a code names, in its order; none for what is no code."""
    named, _asked, how = kind.rpartition(_ASKED)
    keys = named.split(_AND)
    known = STATISTICS.keys() >= set(keys) and len(set(keys)) == len(keys)
    return keys if known and how in (_OVERALL, _BY_GROUP) else []


def is_kind(text: str) -> bool:
    """Whether it is a code, whoever asked such a question."""
    return bool(statistics_of(text))


def kind_in_words(kind: str) -> str:
    """ "Histogram + sum by group", in the reader's language; what is no code as it is."""
    facts = [STATISTICS[key] for key in statistics_of(kind)]
    if not facts:
        return kind
    words = " + ".join(gettext(one.name) for one in facts)
    # Of what is only ever asked by group nobody has to say it.
    if kind.endswith(_BY_GROUP) and not all(one.ungrouped for one in facts):
        words = gettext("%(statistics)s by group") % {"statistics": words}
    return str(capfirst(words))
