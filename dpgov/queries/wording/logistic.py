"""A released logistic regression as a person reads it: odds ratios, a picture, how to predict.

Works from the stored body of a release alone.
"""

import math
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _

from dpgov.language.translation import percent
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.wording.margins import margin
from dpgov.queries.wording.plotting import Figure, as_figure, inert
from dpgov.queries.wording.regressions import (
    Coefficient,
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
from dpgov.queries.wording.words import (
    NOTHING,
    accuracy_at,
    outwards,
    readable,
    term_in_words,
)

_USUAL = 0.95
_PLACES = 41
# e to more than this is no number that says anything.
_FARTHEST = 50.0


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


def _odds(head: dict[str, Any], *, held_back: bool) -> Coefficient:
    (cell,) = head["cells"]
    if held_back:
        shown = readable(cell["value"]), NOTHING, NOTHING, readable(_ratio(cell["value"]))
        return Coefficient(term_in_words(head), *shown)
    error = accuracy_at(cell["accuracy"], _USUAL)
    ratio, *ends = (_ratio(number) for number in (cell["value"], *cell["interval"]["range"]))
    low, high = outwards(ends[0], ends[1], (ends[1] - ends[0]) / 2)
    return Coefficient(
        term=term_in_words(head),
        value=readable(cell["value"], error),
        error=margin(cell["accuracy"], _USUAL),
        ratio=readable(ratio, (ends[1] - ends[0]) / 2),
        interval=_("{low} to {high}").format(low=low, high=high),
    )


def _ratio(log_odds: float) -> float:
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
    pairs = []
    for head in slopes:
        (cell,), wide = head["cells"], along(head)
        value = cell["value"]
        ends = [value, value] if held_back else cell["interval"]["range"]
        pairs.append((_ratio(value * wide), [_ratio(end * wide) for end in ends]))
    names = [term_in_words(head) for head in slopes]
    return effects(names, pairs, title=_("Odds ratio"), log=True)


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
        y=[1 / (1 + _ratio(-(start + slope * place))) for place in places],
        mode="lines",
    )
    return as_figure(
        [line],
        showlegend=False,
        xaxis={"title": {"text": inert(number["term"])}},
        yaxis={"title": {"text": _("Probability")}, "range": [0, 1], "tickformat": ".0%"},
    )
