"""What a grouped answer says in one sentence, with how sure it is.

Of all pairs of groups the clearest is picked after looking, so that the bounds have to hold for all
groups at once (`privacy.answer.simultaneous`). Works from a release body alone. It speaks of the
rows asked about; how many rows there happened to be is no part of it.
"""

import math
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _

from dpgov.language.translation import percent
from dpgov.privacy.answer.simultaneous import bounds_for_all
from dpgov.privacy.plan.statistics import STATISTICS, Recipe
from dpgov.queries.wording.bins import shown_bins
from dpgov.queries.wording.words import readable, statistic_in_words

_SAID = (Recipe.MEAN, Recipe.ROWS, Recipe.UNITS)
_MOST_GROUPS = 200
_LEVEL = 95


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence, and what it holds for."""

    sentence: str
    scope: str


def findings(body: dict[str, Any]) -> list[Finding]:
    """One for each mean and count of an answer with one grouping; the group for the rest is out."""
    if len(body["groups"]) != 1 or not 3 <= len(body["groups"][0]["bins"]) <= _MOST_GROUPS:
        return []
    names = shown_bins(body)[0]
    found = (
        _finding(body, place, names)
        for place, statistic in enumerate(body["statistics"])
        if STATISTICS[statistic["statistic"]].recipe in _SAID and not statistic.get("dates")
    )
    return [one for one in found if one is not None]


def _finding(body: dict[str, Any], place: int, names: list[str]) -> Finding | None:
    bounds = bounds_for_all(body, place)
    if bounds is None:
        return None
    statistic = body["statistics"][place]
    values = [cell["value"] for cell in statistic["cells"]]
    groups = _alike(body, statistic, len(names) - 1)
    high = max(groups, key=lambda at: values[at] - bounds[at])
    low = min(groups, key=lambda at: values[at] + bounds[at])
    apart, within = values[high] - values[low], bounds[high] + bounds[low]
    label = statistic_in_words(statistic)
    if high == low or apart <= within:
        pattern = _("{statistic}: no two groups differ by more than noise explains.")
        return Finding(pattern.format(statistic=label), _scope(len(names)))
    pattern = _("{statistic}: {high} is {difference} ± {error} above {low}, beyond noise.")
    sentence = pattern.format(
        statistic=label,
        high=names[high],
        low=names[low],
        difference=_rounded(apart, within),
        error=_rounded(within, within),
    )
    return Finding(sentence, _scope(len(names)))


def _alike(body: dict[str, Any], statistic: dict[str, Any], groups: int) -> list[int]:
    """The groups to compare: of counts those alone that span as many values as most do.

    Eleven ages hold more people than ten, and the last group of edges has one value more.
    """
    every, edges = list(range(groups)), body["plan"]["group_by"][0].get("edges") or []
    counts = STATISTICS[statistic["statistic"]].recipe is not Recipe.MEAN
    if not counts or len(edges) != groups + 1 or isinstance(edges[0], str):
        return every
    exact = [Decimal(str(edge)) for edge in edges]
    spans = [high - low for low, high in pairwise(exact)]
    spans[-1] += Decimal(str(body["groups"][0].get("step", 0)))
    usual = max(spans, key=spans.count)
    return [at for at in every if spans[at] == usual]


def _rounded(number: float, error: float) -> str:
    """With as many decimals as leave two digits of the error."""
    return readable(round(number, 1 - math.floor(math.log10(error))), error)


def _scope(groups: int) -> str:
    return _(
        "With {level} confidence the errors of all {number} groups hold at once, so that this pair "
        "may be picked after looking."
    ).format(level=percent(_LEVEL), number=groups)
