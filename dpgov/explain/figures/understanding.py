"""What ε means, drawn: beliefs before and after, two noises side by side, the averaging attack."""

from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _

from dpgov.explain.averaging import TRUTH, Replay
from dpgov.explain.beliefs import moved
from dpgov.explain.densities import Sides
from dpgov.explain.promise import Promise
from dpgov.language.translation import percent
from dpgov.queries.wording.plotting import Figure, as_figure, inert

_PLACES = [Decimal(place) / 200 for place in (1, *range(4, 197, 4), 199)]
_HUNDREDTH = Decimal("0.01")


def beliefs(promise: Promise) -> Figure:
    """How sure somebody can become who was so sure before."""
    found = [moved(promise, before) for before in _PLACES]
    before = [_percent(each.before) for each in found]
    traces = [
        _band(before, [_percent(e.at_last.low, ROUND_FLOOR) for e in found], "limit", "", None),
        _band(
            before,
            [_percent(e.at_last.high, ROUND_CEILING) for e in found],
            "limit",
            _("after every answer that the budget allows"),
            "tonexty",
        ),
    ]
    if promise.committed_nano:
        low = [_percent(each.so_far.low, ROUND_FLOOR) for each in found]
        high = [_percent(each.so_far.high, ROUND_CEILING) for each in found]
        traces.append(_band(before, low, "spent", "", None))
        traces.append(_band(before, high, "spent", _("after the answers so far"), "tonexty"))
    same = _band(before, before, "rest", _("if nothing were learned"), None)
    same.line.dash = "dash"
    return as_figure(
        [*traces, same],
        xaxis={"title": {"text": _("sure before, %")}, "range": [0, 100]},
        yaxis={"title": {"text": _("sure afterwards, %")}, "range": [0, 100]},
    )


def noises(sides: Sides) -> Figure:
    """Each possible answer's probability, without somebody and with them."""
    places = [sides.at(place) for place in sides.bins]
    sets = (
        (_("without them"), "1", [100 * place.without for place in sides.bins]),
        (_("with them"), "2", [100 * place.within for place in sides.bins]),
    )
    traces = [
        go.Scatter(
            x=places,
            y=values,
            name=name,
            mode="lines",
            line={"shape": "hvh", "width": 2},
            fill="tozeroy",
            meta={"role": role},
            hovertemplate=f"%{{x:,}}: {percent('%{y:.4f}')} {name}<extra></extra>",
        )
        for name, role, values in sets
    ]
    label = _("%(axis)s, less the true one without them") % {"axis": inert(sides.axis, 80)}
    return as_figure(
        traces,
        xaxis={"title": {"text": label}},
        yaxis={"title": {"text": _("probability, %")}, "rangemode": "tozero"},
    )


def averaging(replay: Replay) -> Figure:
    """The mean of all answers so far, with a budget and without."""
    asked = [step.asked for step in replay.steps]
    given = [step for step in replay.steps if not step.is_refused]
    free = _line(asked, [s.without_budget for s in replay.steps], _("without a budget"), "2")
    bound = _line([s.asked for s in given], [s.without_budget for s in given], _("with it"), "1")
    bound.line.width, bound.mode = 4, "lines+markers"
    truth = _line([asked[0], asked[-1]], [TRUTH, TRUTH], _("the invented truth"), "rest")
    truth.line.dash = "dash"
    return as_figure(
        [free, bound, truth],
        xaxis={"title": {"text": _("times asked")}, "type": "log", "dtick": 1},
        yaxis={"title": {"text": _("mean of the answers")}},
    )


def _line(x: Sequence[int], y: Sequence[float], name: str, role: str) -> Any:
    return go.Scatter(
        x=list(x),
        y=list(y),
        name=name,
        mode="lines",
        line={"width": 2},
        meta={"role": role},
        hovertemplate=_("asked %{x:,} times: %{y:,.2f}") + "<extra></extra>",
    )


def _band(x: list[float], y: list[float], role: str, name: str, fill: str | None) -> Any:
    return go.Scatter(
        x=x,
        y=y,
        name=name,
        showlegend=bool(name),
        mode="lines",
        line={"width": 2},
        fill=fill,
        meta={"role": role},
        hovertemplate=_("%{x}% before: %{y:.2f}% afterwards") + "<extra></extra>",
    )


def _percent(share: Decimal, rounding: str = "") -> float:
    """To the digits that are shown where `rounding` says which way: bounds move outwards."""
    whole = share * 100
    return float(whole.quantize(_HUNDREDTH, rounding=rounding) if rounding else whole)
