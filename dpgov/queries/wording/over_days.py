"""Bars over days, weeks or months: how wide a bar is, and one stacked figure for all pages.

A mark that leads somewhere says where in `meta.links`, which static/js/charts.js follows.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any

from dpgov.budgets.windows import window_end
from dpgov.queries.wording.plotting import Figure, as_figure, bars, date_axis, inert

# In milliseconds, as axes of days count.
_DAY = 86_400_000
_FEW = 5


def period_of(days: int) -> str:
    """How wide a bar is ("day", "week" or "month"), so that there are not too many."""
    return "day" if days <= 31 else "week" if days <= 120 else "month"


def last_of(day: date, period: str) -> date:
    """The last day of the bar that begins on this one."""
    return window_end(period, day) - timedelta(days=1)


def bar(
    name: str, role: str, days: Sequence[date], heights: Sequence[float], links: list[str]
) -> Figure:
    """One colour of a stacked figure; `role` is its colour in the stylesheet."""
    return bars(
        x=[day.isoformat() for day in days],
        y=list(heights),
        name=inert(name, 28),
        meta={"role": role, "links": links},
        hovertemplate="%{y:,}",
    )


def over_days(traces: Sequence[Figure], title: str) -> Figure:
    """Bars on top of each other along days, with a legend in the order of the traces."""
    tall: Counter[str] = Counter()
    for trace in traces:
        tall.update(dict(zip(trace["x"], trace["y"], strict=True)))
    # Alone on its axis a bar would be a millisecond wide; between two numbers there is no third.
    alone = {"width": 0.8 * _DAY} if len(tall) == 1 else {}
    whole = all(height == int(height) for height in tall.values())
    steps = {"dtick": 1} if whole and max(tall.values(), default=0) <= _FEW else {}
    return as_figure(
        [trace | alone for trace in traces],
        barmode="stack",
        hovermode="x unified",
        showlegend=True,
        legend={"traceorder": "normal"},
        xaxis=days_axis(date.fromisoformat(day) for day in tall),
        yaxis={"title": {"text": title}, "rangemode": "tozero", **steps},
    )


def days_axis(days: Iterable[date]) -> dict[str, Any]:
    """At least a week of them, so that the only day is as wide as a day and named by its day."""
    shown = sorted(days)
    missing = 7 - (shown[-1] - shown[0]).days if shown else 0
    if missing <= 0:
        return date_axis()
    first, last = shown[0] - timedelta(days=missing), shown[-1] + timedelta(days=1)
    return date_axis() | {"range": [first.isoformat(), last.isoformat()], "dtick": _DAY}
