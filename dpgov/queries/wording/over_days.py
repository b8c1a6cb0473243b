"""Bars over days, weeks or months: how wide a bar is, and one stacked figure for all pages.

A mark that leads somewhere says where in `meta.links`, which static/js/charts.js follows.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import plotly.graph_objects as go

from dpgov.budgets.windows import window_end
from dpgov.queries.wording.figures import Figure, as_figure, date_axis, inert


def period_of(days: int) -> str:
    """How wide a bar is ("day", "week" or "month"), so that there are not too many."""
    return "day" if days <= 31 else "week" if days <= 120 else "month"


def last_of(day: date, period: str) -> date:
    """The last day of the bar that begins on this one."""
    return window_end(period, day) - timedelta(days=1)


def bar(
    name: str, role: str, days: Sequence[date], heights: Sequence[float], links: list[str]
) -> Any:
    """One colour of a stacked figure; `role` is its colour in the stylesheet."""
    return go.Bar(
        x=[day.isoformat() for day in days],
        y=list(heights),
        name=inert(name, 28),
        meta={"role": role, "links": links},
        hovertemplate="%{y:,}",
    )


def over_days(traces: Sequence[Any], title: str) -> Figure:
    """Bars on top of each other along days, with a legend in the order of the traces."""
    return as_figure(
        traces,
        barmode="stack",
        hovermode="x unified",
        showlegend=True,
        legend={"traceorder": "normal"},
        xaxis=date_axis() | _at_least_a_week(traces),
        yaxis={"title": {"text": title}, "rangemode": "tozero"},
    )


def _at_least_a_week(traces: Sequence[Any]) -> dict[str, Any]:
    """So that a bar of the only day is as wide as a day, and named by its day."""
    days = [date.fromisoformat(day) for trace in traces for day in trace.x]
    missing = 7 - (max(days) - min(days)).days if days else 0
    if missing <= 0:
        return {}
    first, last = (min(days) - timedelta(days=missing), max(days) + timedelta(days=1))
    return {"range": [first.isoformat(), last.isoformat()], "dtick": 86_400_000}
