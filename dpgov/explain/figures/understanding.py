"""What ε means, drawn: beliefs before and after, two noises side by side, the averaging attack."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _

from dpgov.budgets.meaning import ends
from dpgov.explain.averaging import TRUTH, Replay
from dpgov.explain.beliefs import PLACES, moved
from dpgov.explain.densities import Sides
from dpgov.explain.promise import Promise
from dpgov.language.translation import percent
from dpgov.privacy.meaning.odds import Belief
from dpgov.queries.wording.plotting import Figure, as_figure, inert


def beliefs(promise: Promise) -> Figure:
    """How sure somebody can become who was so sure before."""
    found = [moved(promise, before) for before in PLACES]
    before = [float(100 * each.before) for each in found]
    name = _("after every answer that the budget allows")
    traces = _between(before, [each.at_last for each in found], "limit", name)
    if promise.committed_nano:
        name = _("after the answers so far")
        traces += _between(before, [each.so_far for each in found], "spent", name)
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


def _between(x: list[float], found: Sequence[Belief], role: str, name: str) -> list[Any]:
    low, high = zip(*map(ends, found), strict=True)
    return [
        _band(x, list(map(float, low)), role, "", None),
        _band(x, list(map(float, high)), role, name, "tonexty"),
    ]


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
