"""Counts and means along time: a line with the band of its 95 % intervals, for `figures`.

Each period of the declared range has its place, empty or not; one that is too noisy has no mark,
and the caption names it. Works from a release body alone.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any

import plotly.graph_objects as go

from dpgov.privacy.plan.by_calendar import CalendarPart
from dpgov.privacy.plan.calendar import date_of, span_of
from dpgov.queries.wording.bins import shown_number, within
from dpgov.queries.wording.useful import span_of as interval_of
from dpgov.queries.wording.useful import too_noisy

_DAY = 86_400
# More marks than these would be a thick line.
_MOST_MARKS = 60


def _in_time(group: dict[str, Any]) -> bool:
    """Whether the bins of a grouping follow each other in time."""
    by = group.get("by")
    return by is not None and CalendarPart(by).in_order


def timed_in(groups: list[dict[str, Any]], most_lines: int) -> int | None:
    """Which grouping runs in time, where the other one can be told apart by colour."""
    for place, group in enumerate(groups):
        others = len(groups[1 - place]["bins"]) if len(groups) > 1 else 1
        if _in_time(group) and others <= most_lines:
            return place
    return None


def cells_of_lines(groups: list[dict[str, Any]], timed: int) -> list[range]:
    """The cells of each colour, row-major."""
    slow, fast = len(groups[0]["bins"]), len(groups[1]["bins"]) if len(groups) > 1 else 1
    if timed == 0:
        return [range(j, slow * fast, fast) for j in range(fast)]
    return [range(i * fast, (i + 1) * fast) for i in range(slow)]


def gaps_in(statistic: dict[str, Any], groups: list[dict[str, Any]], timed: int) -> tuple[str, ...]:
    """The periods that are too noisy to be shown; rows without a date are in the table alone."""
    last = groups[timed]["bins"][-1]
    cells = product(*(group["bins"] for group in groups))
    noisy = zip(cells, too_noisy(statistic), strict=True)
    return tuple(" / ".join(names) for names, out in noisy if out and names[timed] != last)


def time_line(
    statistic: dict[str, Any], group: dict[str, Any], cells: Sequence[int], name: str, role: int
) -> list[Any]:
    """The traces of one line: its band, then the line; cell number `cells[i]` is of bin i."""
    noisy, every = too_noisy(statistic), statistic["cells"]
    kept = [
        (moment, label, every[cell])
        for moment, label, cell in _places(group, cells)
        if every[cell]["value"] is not None and not noisy[cell]
    ]
    moments = [moment for moment, _, _ in kept]
    spans = [interval_of(cell, statistic) for _, _, cell in kept]
    traces = [
        _edge(moments, [None if s is None else s[0] for s in spans], role, fill=None),
        _edge(moments, [None if s is None else s[1] for s in spans], role, fill="tonexty"),
    ]
    line = go.Scatter(
        x=moments,
        y=[cell["value"] for _, _, cell in kept],
        mode="lines+markers" if len(kept) <= _MOST_MARKS else "lines",
        name=name,
        meta={"role": str(role)},
        customdata=[
            [label, f"{shown_number(cell, statistic)}{within(cell, statistic)}"]
            for _, label, cell in kept
        ],
        hovertemplate="%{customdata[0]}: %{customdata[1]}<extra>%{fullData.name}</extra>",
    )
    return [*(traces if any(spans) else []), line]


def _places(group: dict[str, Any], cells: Sequence[int]) -> list[tuple[str, str, int]]:
    """When each bin begins, what it is called, and its cell; the last one has no time."""
    found = zip(group["named"][:-1], group["bins"], cells, strict=False)
    return [(_begins(name), label, cell) for name, label, cell in found]


def _begins(name: str) -> str:
    """Its first second, as Plotly reads it."""
    days, second = divmod(span_of(name).start, _DAY)
    year, month, day = date_of(days)
    return f"{year:04}-{month:02}-{day:02} {second // 3_600:02}:00"


def _edge(moments: list[str], ends: list[float | None], role: int, fill: str | None) -> Any:
    return go.Scatter(
        x=moments,
        y=ends,
        mode="lines",
        line={"width": 0},
        fill=fill,
        meta={"role": str(role)},
        hoverinfo="skip",
        showlegend=False,
    )
