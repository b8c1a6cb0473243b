"""Group privacy: how sure somebody can become about a group of k units."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _

from dpgov.explain.groups import Certainty
from dpgov.language.translation import percent
from dpgov.queries.wording.plotting import Figure, as_figure


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
