"""What a grouped answer says in one sentence, with how sure it is.

Of all pairs of groups the clearest is picked after looking, so that the bounds have to hold for all
groups at once (`privacy.answer.simultaneous`). Works from a release body alone. It speaks of the
rows asked about; how many rows there happened to be is no part of it.
"""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.language.translation import percent
from dpgov.privacy.answer.simultaneous import bounds_for_all
from dpgov.privacy.plan.statistics import STATISTICS, Recipe
from dpgov.queries.wording.bins import shown_bins
from dpgov.queries.wording.numbers import readable
from dpgov.queries.wording.words import statistic_in_words

_SAID = (Recipe.MEAN, Recipe.ROWS, Recipe.UNITS)
_MOST_GROUPS = 200
_LEVEL = 95
# As many as are ever written.
_MOST_DECIMALS = 9
_DIGITS = 50


@dataclass(frozen=True, slots=True)
class AnswerFinding:
    """A sentence, and what it holds for."""

    sentence: str
    scope: str


def findings(body: dict[str, Any]) -> list[AnswerFinding]:
    """One for each mean and count of an answer with one grouping.

    The group for the rest is out, and the sentences say so.
    """
    if len(body["groups"]) != 1 or not 3 <= len(body["groups"][0]["bins"]) <= _MOST_GROUPS:
        return []
    names = shown_bins(body)[0]
    found = (
        _finding(body, place, names)
        for place, statistic in enumerate(body["statistics"])
        if STATISTICS[statistic["statistic"]].recipe in _SAID and not statistic.get("dates")
    )
    return [one for one in found if one is not None]


def _finding(body: dict[str, Any], place: int, names: list[str]) -> AnswerFinding | None:
    bounds = bounds_for_all(body, place)
    if bounds is None:
        return None
    statistic = body["statistics"][place]
    values = [cell["value"] for cell in statistic["cells"]]
    groups = _alike(body, statistic, len(names) - 1)
    if len(groups) < 2:
        return None
    aside = _not_compared(names[-1], len(names) - 1 - len(groups))
    high = max(groups, key=lambda at: values[at] - bounds[at])
    low = min(groups, key=lambda at: values[at] + bounds[at])
    apart, within = values[high] - values[low], bounds[high] + bounds[low]
    label = statistic_in_words(statistic)
    if high == low or apart <= within:
        pattern = _("{statistic}: of {number} groups no two differ by more than noise explains.")
        sentence = pattern.format(statistic=label, number=len(groups))
        scope = _("With {level} confidence the errors of all {number} groups hold at once.")
        return AnswerFinding(sentence, _scope(scope, len(names), aside))
    pattern = _("{statistic}: {high} is {difference} ± {error} above {low}, beyond noise.")
    difference, error = apart_in_words(apart, within)
    sentence = pattern.format(
        statistic=label, high=names[high], low=names[low], difference=difference, error=error
    )
    scope = _(
        "With {level} confidence the errors of all {number} groups hold at once, so that this pair "
        "may be picked after looking."
    )
    return AnswerFinding(sentence, _scope(scope, len(names), aside))


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


def apart_in_words(apart: float, within: float) -> tuple[str, str]:
    """A difference, and its error of two digits, which holds for the difference as it is written.

    Of more digits where the written error would not be less than the difference.
    """
    bound = Decimal(str(within))
    for decimals in range(min(_MOST_DECIMALS, 1 - bound.adjusted()), _MOST_DECIMALS + 1):
        step = Decimal(1).scaleb(-decimals)
        difference, error = _in_steps(Decimal(str(apart)), bound, step)
        if error < difference:
            break
    return readable(float(difference), float(step)), readable(float(error), float(step))


def _in_steps(exact: Decimal, bound: Decimal, step: Decimal) -> tuple[Decimal, Decimal]:
    """To the nearest step, and up: what that moved the number by is part of its error."""
    with localcontext() as context:
        context.prec = _DIGITS
        difference = exact.quantize(step)
        moved = abs(exact - difference)
        return difference, (bound + moved).quantize(step, rounding=ROUND_CEILING)


def _not_compared(rest: str, others: int) -> str:
    """The group for the rest is of no declared values; counts of other widths were no finding."""
    if not others:
        return _("“{group}” is not compared.").format(group=rest)
    return ngettext(
        "“{group}” is not compared, nor is {number} group of another width.",
        "“{group}” is not compared, nor are {number} groups of another width.",
        others,
    ).format(group=rest, number=others)


def _scope(pattern: str, groups: int, aside: str) -> str:
    return f"{pattern.format(level=percent(_LEVEL), number=groups)} {aside}"
