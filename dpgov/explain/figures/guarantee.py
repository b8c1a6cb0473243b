"""What a guarantee means for a group of k units, and what the same charges add up to otherwise."""

from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _

from dpgov.explain.comparison import Figure as Method
from dpgov.explain.groups import Certainty
from dpgov.language.translation import percent
from dpgov.queries.wording.plotting import Figure, as_figure, labelled_axis


def certainty_by_size(certainties: Sequence[Certainty], chosen: int) -> Figure:
    """One line for a question, one for all answers, and a dot on each at the chosen size."""
    one = [(c.size, float(c.of_question)) for c in certainties]
    every = [(c.size, float(c.of_all)) for c in certainties]
    return as_figure(
        [
            _line(one, _("one question"), "1"),
            _line(every, _("all answers"), "2"),
            _dot([pair for pair in one if pair[0] == chosen], "1"),
            _dot([pair for pair in every if pair[0] == chosen], "2"),
        ],
        hovermode="x unified",
        xaxis={
            "title": {"text": _("units in the group")},
            "tickvals": sorted({1, 5, 10, 15, 20} | {c.size for c in certainties if c.size > 20}),
            "showgrid": False,
        },
        yaxis={
            "title": {"text": _("highest certainty, in %")},
            "range": [49, 101],
            "tickvals": [50, 60, 70, 80, 90, 100],
        },
    )


def _line(points: Sequence[tuple[int, float]], name: str, role: str) -> Any:
    return go.Scatter(
        x=[size for size, _share in points],
        y=[share for _size, share in points],
        mode="lines",
        name=name,
        meta={"role": role},
        hovertemplate=percent("%{y:.2f}"),
    )


def _dot(points: Sequence[tuple[int, float]], role: str) -> Any:
    return go.Scatter(
        x=[size for size, _share in points],
        y=[share for _size, share in points],
        mode="markers",
        marker={"size": 13},
        name=_("chosen"),
        showlegend=False,
        meta={"role": role},
        hoverinfo="skip",
    )


def by_method(methods: Iterable[Method], delta: str) -> Figure:
    """Bars of those that are known, the first on top; the dataset's own one in its colour."""
    known = [method for method in methods if method.epsilon is not None][::-1]
    axis = labelled_axis([method.title for method in known])
    return as_figure(
        [_bars(known, admits=True), _bars(known, admits=False)],
        showlegend=False,
        barmode="overlay",
        xaxis={"title": {"text": _("ε at δ {delta}").format(delta=delta)}, "rangemode": "tozero"},
        yaxis={**axis, "automargin": True},
    )


def _bars(known: Sequence[Method], *, admits: bool) -> Any:
    shown = [(place, one) for place, one in enumerate(known) if one.admits is admits]
    return go.Bar(
        x=[one.epsilon for _place, one in shown],
        y=[place for place, _one in shown],
        text=[one.text for _place, one in shown],
        orientation="h",
        meta={"role": "spent" if admits else "rest"},
        hovertemplate="ε %{text}<extra></extra>",
    )
