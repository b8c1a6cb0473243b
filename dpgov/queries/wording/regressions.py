"""A released regression as a person reads it: coefficients, what the line is worth, how to use it.

Works from the stored body of a release alone.
"""

import json
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.language.translation import percent
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.wording.plotting import Figure, as_figure, cut, inert, labelled_axis
from dpgov.queries.wording.words import (
    accuracy_at,
    margin,
    readable,
    statistic_in_words,
    term_in_words,
)

_LONGEST_LINE = 28
_USUAL = 0.95


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One line of the table: a term, its number, the error by noise, and both with chance."""

    term: str
    value: str
    error: str
    interval: str


@dataclass(frozen=True, slots=True)
class RegressionAnswer:
    """One regression. `formula` is the line as Python; `figures` are pictures, with captions."""

    label: str
    outcome: str
    coefficients: list[Coefficient]
    sentences: list[str]
    warning: str
    formula: str
    figures: list[tuple[str, Figure]]


def regressions(body: dict[str, Any]) -> list[RegressionAnswer]:
    """Each regression of an answer."""
    found = [s for s in body["statistics"] if s["statistic"] == StatisticKind.REGRESSION]
    named = groupby(found, key=lambda s: (s["column"], tuple(s["predictors"])))
    return [_regression(list(terms)) for _name, terms in named]


def _regression(terms: list[dict[str, Any]]) -> RegressionAnswer:
    head = {key: terms[0][key] for key in ("statistic", "column", "predictors")}
    fit = terms[0]["cells"][0]["fit"]
    return RegressionAnswer(
        label=statistic_in_words(head),
        outcome=head["column"],
        coefficients=[_coefficient(term) for term in terms],
        sentences=_sentences(fit),
        warning=_warning(fit),
        formula=_formula(terms),
        figures=_figures(terms),
    )


def _coefficient(head: dict[str, Any]) -> Coefficient:
    (cell,) = head["cells"]
    error = accuracy_at(cell["accuracy"], _USUAL)
    low, high = (readable(end, error) for end in cell["interval"]["range"])
    return Coefficient(
        term=term_in_words(head),
        value=readable(cell["value"], error),
        error=margin(cell["accuracy"], _USUAL),
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


def _warning(fit: dict[str, Any]) -> str:
    many = fit["widened_directions"]
    if not many:
        return ""
    return ngettext(
        "In {number} direction the noise leaves too little to tell: predictors hardly vary, say "
        "the same as each other, or the price is too small. Their coefficients are pulled towards "
        "zero, and the errors are wide enough for that.",
        "In {number} directions the noise leaves too little to tell: predictors hardly vary, say "
        "the same as each other, or the price is too small. Their coefficients are pulled towards "
        "zero, and the errors are wide enough for that.",
        many,
    ).format(number=many)


def _formula(terms: list[dict[str, Any]]) -> str:
    """The line as a Python function of a row; names and categories are written as Python does."""
    first, *others = terms
    lines = [f"    return ({first['cells'][0]['value']!r}"]
    for head in others:
        column = f"row[{json.dumps(head['term'], ensure_ascii=False)}]"
        if "category" in head:
            column = f"({column} == {json.dumps(head['category'], ensure_ascii=False)})"
        lines.append(f"            + {head['cells'][0]['value']!r} * {column}")
    return "\n".join(["def predict(row):", *lines]) + ")"


def _figures(terms: list[dict[str, Any]]) -> list[tuple[str, Figure]]:
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


def _effects(slopes: list[dict[str, Any]]) -> Figure:
    """Slopes in their own units can't be compared; what they add up to over a range can."""
    names = [term_in_words(head) for head in slopes]
    widths = [head["span"][1] - head["span"][0] for head in slopes]
    values = [h["cells"][0]["value"] * w for h, w in zip(slopes, widths, strict=True)]
    ends = [
        [end * w for end in h["cells"][0]["interval"]["range"]]
        for h, w in zip(slopes, widths, strict=True)
    ]
    pairs = list(zip(values, ends, strict=True))
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
        customdata=[
            [inert(name), readable(value)] for name, value in zip(names, values, strict=True)
        ],
        hovertemplate="%{customdata[0]}: %{customdata[1]}<extra></extra>",
    )
    axis = labelled_axis([cut(name, _LONGEST_LINE) for name in names])
    return as_figure(
        [dots],
        showlegend=False,
        xaxis={"title": {"text": inert(slopes[0]["column"])}, "zeroline": True},
        yaxis=axis | {"range": [len(names) - 0.5, -0.5], "showgrid": True},
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
