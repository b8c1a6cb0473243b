"""Group privacy: what a group of k units has, and what noise it would need."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _

from dpgov.explain.groups import GroupReading
from dpgov.privacy.accounting.decimals import as_number
from dpgov.queries.wording.figures import Figure, as_figure


def epsilon_at_fixed_noise(readings: Sequence[GroupReading]) -> Figure:
    """ε of a group for all answers together, the noise being what it is."""
    values = [as_number(reading.budget_nano) for reading in readings]
    return _by_size(readings, values, _("ε of the group"), _("%{x} units: ε %{y:,}"))


def noise_at_fixed_epsilon(readings: Sequence[GroupReading]) -> Figure:
    """The noise scale of a count that gives the whole group the question's ε."""
    values = [float(reading.noise_scale) for reading in readings]
    return _by_size(readings, values, _("noise scale of a count"), _("%{x} units: scale %{y:,}"))


def _by_size(
    readings: Sequence[GroupReading], values: list[float], title: str, hover: str
) -> Figure:
    return as_figure(
        [
            _bars(readings, values, hover, setting=False),
            _bars(readings, values, hover, setting=True),
        ],
        barmode="overlay",
        showlegend=True,
        xaxis={
            "title": {"text": _("units in the group")},
            "tickvals": sorted({1, 5, 10, 15, 20} | {r.size for r in readings if r.is_setting}),
            "showgrid": False,
        },
        yaxis={"title": {"text": title}, "rangemode": "tozero"},
    )


def _bars(
    readings: Sequence[GroupReading], values: list[float], hover: str, *, setting: bool
) -> Any:
    chosen = [
        (reading.size, value)
        for reading, value in zip(readings, values, strict=True)
        if reading.is_setting is setting
    ]
    return go.Bar(
        x=[size for size, _ in chosen],
        y=[value for _, value in chosen],
        name=_("this dataset's setting") if setting else _("other group sizes"),
        meta={"role": "spent" if setting else "rest"},
        hovertemplate=f"{hover}<extra></extra>",
    )
