"""A released logistic regression as a person reads it: odds ratios, a picture, how to predict.

Works from the stored body of a release alone.
"""

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _

from dpgov.language.translation import percent
from dpgov.privacy.plan.levels import USUAL_STATED
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.wording.margins import margin
from dpgov.queries.wording.numbers import NOTHING, accuracy_at, readable
from dpgov.queries.wording.plotting import Figure, as_figure, inert
from dpgov.queries.wording.regressions import (
    CoefficientRow,
    RegressionAnswer,
    Terms,
    added_up,
    along,
    effects,
    is_held_back,
    label_of,
    terms_of,
    warnings_of,
)
from dpgov.queries.wording.words import term_in_words

_PLACES = 41
# e to more than this has more digits than anybody reads, and e to less would be written as 0.
_FARTHEST = 20.0
# Of an axis of ratios: up to how many powers of ten more numbers between them are named, from how
# many on none is, how many are named at most, and up to which one they are written out.
_FEW_DECADES, _MANY_DECADES = 1.7, 4
_MOST_POWERS = 6
_WRITTEN_OUT = 6
_LN_10 = math.log(10)


def logistic_regressions(body: dict[str, Any]) -> list[RegressionAnswer]:
    """Each logistic regression of an answer."""
    return [_answer(terms) for terms in terms_of(body, StatisticKind.LOGISTIC_REGRESSION)]


def _answer(terms: Terms) -> RegressionAnswer:
    fit = terms[0]["cells"][0]["fit"]
    sentence = _(
        "By the noisy count it was made of about {rows} rows; in about {share} of them {outcome} "
        "is {value}."
    )
    share = percent(f"{100 * fit['share']:.0f}")
    known = {
        "rows": readable(fit["rows"]),
        "outcome": terms[0]["column"],
        "value": terms[0]["means"],
    }
    return RegressionAnswer(
        label=label_of(terms),
        coefficients=[_odds(term, held_back=is_held_back(terms)) for term in terms],
        sentences=[sentence.format(share=share, **known)],
        warnings=warnings_of(terms),
        formula=_formula(terms),
        figures=_figures(terms),
    )


def _odds(head: dict[str, Any], *, held_back: bool) -> CoefficientRow:
    (cell,) = head["cells"]
    if held_back:
        shown = readable(cell["value"]), NOTHING, NOTHING, odds_ratio(cell["value"])
        return CoefficientRow(term_in_words(head), *shown)
    ends = cell["interval"]["range"]
    return CoefficientRow(
        term=term_in_words(head),
        value=readable(cell["value"], accuracy_at(cell["accuracy"], USUAL_STATED)),
        error=margin(cell["accuracy"], USUAL_STATED),
        ratio=odds_ratio(cell["value"], ends),
        interval=_("{low} to {high}").format(
            low=odds_ratio(ends[0], ends, ROUND_FLOOR),
            high=odds_ratio(ends[1], ends, ROUND_CEILING),
        ),
    )


def odds_ratio(log_odds: float, ends: Sequence[float] = (), rounding: str = "") -> str:
    """e to the power as text, with the digits that an interval of log odds leaves.

    As a power of e where it is too large or too small to be written out: nothing is ever cut.
    """
    if abs(log_odds) > _FARTHEST:
        return f"e^{readable(log_odds, _half(ends), rounding)}"
    ratio = math.exp(log_odds)
    # An interval that goes far up leaves the digits of what lies near zero.
    half = _half([_near(end) for end in ends])
    return readable(ratio, min(half, ratio) if half else None, rounding)


def _half(ends: Sequence[float]) -> float | None:
    return (ends[1] - ends[0]) / 2 if ends else None


def _near(log_odds: float) -> float:
    """e to the power, or to the nearest one that is written out: for digits and curves alone."""
    return math.exp(max(-_FARTHEST, min(_FARTHEST, log_odds)))


def _formula(terms: Terms) -> str:
    odds = added_up(terms, "odds =")
    made = ["import math", "", "", "def predict(row):", *odds]
    return "\n".join([*made, "    return 1 / (1 + math.exp(-odds))"])


def _figures(terms: Terms) -> list[tuple[str, Figure]]:
    slopes, held_back = terms[1:], is_held_back(terms)
    known = {"outcome": terms[0]["column"], "value": terms[0]["means"]}
    caption = _caption(held_back=held_back).format(level=percent(95), **known)
    found = [(caption, _ratios(slopes, held_back=held_back))]
    number = next((head for head in slopes if "category" not in head), None)
    if number is not None:
        pattern = _(
            "The probability that {outcome} is {value} along {term}; other numbers are in the "
            "middle of their bounds, other categories the first ones."
        )
        found.append((pattern.format(term=number["term"], **known), _along(terms, number)))
    return found


def _caption(*, held_back: bool) -> str:
    if held_back:
        return _(
            "By how much the odds that {outcome} is {value} are multiplied while a predictor goes "
            "through all of its declared range."
        )
    return _(
        "By how much the odds that {outcome} is {value} are multiplied while a predictor goes "
        "through all of its declared range, with the {level} interval for noise and chance."
    )


def _ratios(slopes: Terms, *, held_back: bool) -> Figure:
    """By their logarithms, so that there is a place for every ratio, however large."""
    pairs = []
    for head in slopes:
        (cell,), wide = head["cells"], along(head)
        value = cell["value"]
        ends = [value, value] if held_back else cell["interval"]["range"]
        pairs.append((value * wide, [end * wide for end in ends]))
    names = [term_in_words(head) for head in slopes]
    axis = ratio_axis([end for _value, ends in pairs for end in ends])
    return effects(names, pairs, title=_("Odds ratio"), said=odds_ratio, axis=axis)


def ratio_axis(logs: Sequence[float]) -> dict[str, Any]:
    """An axis of log odds with the ratios written out, as few as fit on a telephone."""
    low, high = min(logs) / _LN_10, max(logs) / _LN_10
    decades = high - low
    factors: tuple[int, ...] = (1, 3)
    if decades <= _FEW_DECADES:
        factors = (1, 2, 3, 5) if decades <= 1 else (1, 2, 5)
    if decades > _MANY_DECADES:
        factors = (1,)
    step = max(1, math.ceil(decades / _MOST_POWERS))
    powers = range(math.floor(low / step) * step, math.ceil(high) + step, step)
    places = [(factor, power) for power in powers for factor in factors]
    return {
        "tickvals": [math.log(factor) + power * _LN_10 for factor, power in places],
        "ticktext": [_ratio_at(factor, power) for factor, power in places],
    }


def _ratio_at(factor: int, power: int) -> str:
    if abs(power) <= _WRITTEN_OUT:
        return readable(factor * 10.0**power)
    return f"{'' if factor == 1 else f'{factor} × '}10^{readable(power)}"


def _along(terms: Terms, number: dict[str, Any]) -> Figure:
    first, *others = terms
    start = first["cells"][0]["value"]
    for head in others:
        if head is not number and "category" not in head:
            start += head["cells"][0]["value"] * sum(head["span"]) / 2
    low, high = number["span"]
    places = [low + (high - low) * place / (_PLACES - 1) for place in range(_PLACES)]
    slope = number["cells"][0]["value"]
    line = go.Scatter(
        x=places,
        y=[1 / (1 + _near(-(start + slope * place))) for place in places],
        mode="lines",
    )
    return as_figure(
        [line],
        showlegend=False,
        xaxis={"title": {"text": inert(number["term"])}},
        yaxis={"title": {"text": _("Probability")}, "range": [0, 1], "tickformat": ".0%"},
    )
