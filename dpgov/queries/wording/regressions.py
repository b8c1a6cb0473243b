"""A released regression as a person reads it: coefficients, what the line is worth, how to use it.

Works from the stored body of a release alone.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.language.translation import percent
from dpgov.privacy.plan.levels import USUAL_STATED
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.wording.margins import condition_of_errors, margin
from dpgov.queries.wording.numbers import accuracy_at, outwards, readable
from dpgov.queries.wording.plotting import Figure, as_figure, cut, inert, labelled_axis
from dpgov.queries.wording.words import statistic_in_words, term_in_words

_LONGEST_LINE = 28


@dataclass(frozen=True, slots=True)
class CoefficientRow:
    """One line of the table: a term, its number, the error by noise, and both with chance.

    Of a logistic regression the number is log odds, and the interval is that of the odds `ratio`.
    """

    term: str
    value: str
    error: str
    interval: str
    ratio: str = ""


@dataclass(frozen=True, slots=True)
class RegressionAnswer:
    """One regression. `formula` is the model as Python; `figures` are pictures, with captions."""

    label: str
    coefficients: list[CoefficientRow]
    sentences: list[str]
    warnings: list[str]
    formula: str
    figures: list[tuple[str, Figure]]


Terms = list[dict[str, Any]]


def terms_of(body: dict[str, Any], kind: StatisticKind) -> list[Terms]:
    """The terms of each regression of this kind in an answer, the intercept first."""
    found = [s for s in body["statistics"] if s["statistic"] == kind]
    named = groupby(found, key=lambda s: (s["column"], tuple(s["predictors"])))
    return [list(terms) for _name, terms in named]


def label_of(terms: Terms) -> str:
    """What was asked."""
    return statistic_in_words({key: terms[0][key] for key in ("statistic", "column", "predictors")})


def regressions(body: dict[str, Any]) -> list[RegressionAnswer]:
    """Each linear regression of an answer."""
    return [_regression(terms) for terms in terms_of(body, StatisticKind.REGRESSION)]


def _regression(terms: Terms) -> RegressionAnswer:
    fit = terms[0]["cells"][0]["fit"]
    return RegressionAnswer(
        label=label_of(terms),
        coefficients=[_coefficient(term) for term in terms],
        sentences=_sentences(fit),
        warnings=warnings_of(terms),
        formula="\n".join(["def predict(row):", *added_up(terms, "return")]),
        figures=_figures(terms),
    )


def _coefficient(head: dict[str, Any]) -> CoefficientRow:
    (cell,) = head["cells"]
    error = accuracy_at(cell["accuracy"], USUAL_STATED)
    low, high = cell["interval"]["range"]
    low, high = outwards(low, high, error)
    return CoefficientRow(
        term=term_in_words(head),
        value=readable(cell["value"], error),
        error=margin(cell["accuracy"], USUAL_STATED),
        interval=_("{low} to {high}").format(low=low, high=high),
    )


def _sentences(fit: dict[str, Any]) -> list[str]:
    found = [
        _("By the noisy count the line was made of about {rows} rows.").format(
            rows=readable(fit["rows"])
        )
    ]
    if fit["r_squared"] is not None:
        found.append(
            _(
                "The predictors explain about {share} of the variance of the outcome (R²), which "
                "lies about {off} around the line."
            ).format(
                share=percent(f"{100 * fit['r_squared']:.0f}"),
                off=readable(fit["residual_deviation"], fit["residual_deviation"] / 10),
            )
        )
    return found


def widened(terms: Terms) -> list[str]:
    """What to know of coefficients where the noise leaves too little to tell; nothing elsewhere.

    Where it leaves enough for a line, but not for its errors, their condition alone.
    """
    (cell,) = terms[0]["cells"]
    many = cell["fit"]["widened_directions"]
    if not many:
        condition = condition_of_errors(cell["accuracy"], terms[0])
        return [condition] if condition and not is_held_back(terms) else []
    words = ngettext(
        "In {number} direction the noise leaves too little to tell: predictors hardly vary, say "
        "the same as each other, or the price is too small. Their coefficients are pulled towards "
        "zero.",
        "In {number} directions the noise leaves too little to tell: predictors hardly vary, say "
        "the same as each other, or the price is too small. Their coefficients are pulled towards "
        "zero.",
        many,
    )
    told = words.format(number=many)
    if is_held_back(terms):
        return [told]
    # Releases from before it was kept beside each error had the same condition.
    return [f"{told} {condition_of_errors([{'provided': None}], terms[0])}"]


def is_held_back(terms: Terms) -> bool:
    """Whether its coefficients were held within reach: no error of theirs is known, whatever
    releases from before that was seen may state.
    """
    return bool(terms[0]["cells"][0]["fit"].get("held_back"))


def _held_back(terms: Terms) -> list[str]:
    if not is_held_back(terms):
        return []
    return [
        _(
            "The coefficients reached the end of what is looked for: the predictors may tell the "
            "two outcomes apart without exception, and then no coefficient is large enough, or "
            "several predictors act strongly together. How far off the coefficients are is not "
            "known."
        )
    ]


def warnings_of(terms: Terms) -> list[str]:
    """What to know of its coefficients, and of their errors; nothing where these always hold."""
    return [*widened(terms), *_held_back(terms)]


def is_doubtful(statistic: dict[str, Any], body: dict[str, Any]) -> bool:
    """Whether it is a coefficient whose error holds under a condition, or is not known."""
    if "predictors" not in statistic:
        return False
    kind, label = StatisticKind(statistic["statistic"]), label_of([statistic])
    return any(warnings_of(terms) for terms in terms_of(body, kind) if label_of(terms) == label)


def conditions(body: dict[str, Any]) -> list[str]:
    """What to know of all regressions of an answer where there is something to know."""
    kinds = (StatisticKind.REGRESSION, StatisticKind.LOGISTIC_REGRESSION)
    found = [terms for kind in kinds for terms in terms_of(body, kind)]
    return [words for terms in found for words in warnings_of(terms)]


def added_up(terms: Terms, into: str) -> list[str]:
    """Lines of a Python function of a row; names and categories are written as Python does."""
    first, *others = terms
    lines = [f"    {into} ({first['cells'][0]['value']!r}"]
    for head in others:
        column = f"row[{json.dumps(head['term'], ensure_ascii=False)}]"
        if "category" in head:
            column = f"({column} == {json.dumps(head['category'], ensure_ascii=False)})"
        lines.append(f"            + {head['cells'][0]['value']!r} * {column}")
    return [*lines[:-1], f"{lines[-1]})"]


def _figures(terms: Terms) -> list[tuple[str, Figure]]:
    slopes = terms[1:]
    pattern = _(
        "How much {outcome} changes while a predictor goes through all of its declared range, with "
        "the {level} interval for noise and chance. The table holds the coefficients."
    )
    outcome = terms[0]["column"]
    found = [(pattern.format(outcome=outcome, level=percent(95)), _effects(slopes))]
    if len(slopes) == 1 and "category" not in slopes[0]:
        pattern = _("{outcome} along {term}, by the released line.")
        caption = pattern.format(outcome=outcome, term=slopes[0]["term"])
        found.append((caption, _line(terms[0], slopes[0])))
    return found


def along(head: dict[str, Any]) -> float:
    """How far a term can go: from one declared bound to the other, or to another category."""
    return float(head["span"][1] - head["span"][0])


def _effects(slopes: Terms) -> Figure:
    """Slopes in their own units can't be compared; what they add up to over a range can."""
    names = [term_in_words(head) for head in slopes]
    widths = [along(head) for head in slopes]
    values = [h["cells"][0]["value"] * w for h, w in zip(slopes, widths, strict=True)]
    ends = [
        [end * w for end in h["cells"][0]["interval"]["range"]]
        for h, w in zip(slopes, widths, strict=True)
    ]
    pairs = list(zip(values, ends, strict=True))
    return effects(names, pairs, title=slopes[0]["column"])


def effects(
    names: list[str],
    pairs: list[tuple[float, list[float]]],
    *,
    title: str,
    said: Callable[[float], str] = readable,
    axis: dict[str, Any] | None = None,
) -> Figure:
    """Numbers of terms with their intervals, one below the other; `said` writes one out.

    Where both ends are the number itself it is a dot alone.
    """
    values = [value for value, _ends in pairs]
    dots = go.Scatter(
        x=values,
        y=list(range(len(names))),
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [max(0.0, high - value) for value, (_low, high) in pairs],
            "arrayminus": [max(0.0, value - low) for value, (low, _high) in pairs],
            "width": 4,
        },
        mode="markers",
        marker={"size": 9},
        customdata=[[inert(name), said(value)] for name, value in zip(names, values, strict=True)],
        hovertemplate="%{customdata[0]}: %{customdata[1]}<extra></extra>",
    )
    down = labelled_axis([cut(name, _LONGEST_LINE) for name in names])
    return as_figure(
        [dots],
        showlegend=False,
        xaxis={"title": {"text": inert(title)}, "zeroline": True} | (axis or {}),
        yaxis=down | {"range": [len(names) - 0.5, -0.5], "showgrid": True},
    )


def _line(intercept: dict[str, Any], slope: dict[str, Any]) -> Figure:
    start, rise = intercept["cells"][0]["value"], slope["cells"][0]["value"]
    places = slope["span"]
    line = go.Scatter(x=places, y=[start + rise * place for place in places], mode="lines")
    return as_figure(
        [line],
        showlegend=False,
        xaxis={"title": {"text": inert(slope["term"])}},
        yaxis={"title": {"text": inert(slope["column"])}},
    )
