"""What the same charges add up to, one bar for each method."""

from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _

from dpgov.explain.comparison import Figure as Method
from dpgov.queries.wording.plotting import Figure, as_figure, labelled_axis


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
