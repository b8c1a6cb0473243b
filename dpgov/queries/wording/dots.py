"""Means and their like for each group as dots with intervals, for `figures`.

Categories stand below each other, the largest number first; bins of a column of numbers keep their
order, and so does whatever has two groupings. The axis is that of the groups that say something.
Works from a release body alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from dpgov.queries.wording.bins import is_year, shown_number, within
from dpgov.queries.wording.dates import date_at
from dpgov.queries.wording.useful import span_of, too_noisy

# More categories than these follow each other along the axis, in the declared order.
MOST_LINES = 40
_ROOM = 0.06
_APART = 0.6
_TICKS = 5


@dataclass(frozen=True, slots=True)
class Dot:
    """The released number of cell `cell` at its place; `reach` is its interval, down and up."""

    cell: int
    place: float
    label: str
    value: float
    reach: tuple[float, float] | None
    said: str


def lines_of(statistic: dict[str, Any], labels: Sequence[str]) -> list[Dot]:
    """The groups that say something, the largest first, one below the other."""
    kept = _kept(statistic)
    kept.sort(key=lambda cell: -statistic["cells"][cell]["value"])
    return [_dot(cell, place, labels[cell], statistic) for place, cell in enumerate(kept)]


def along(
    statistic: dict[str, Any], labels: Sequence[str], cells: Sequence[int], shift: float = 0
) -> list[Dot]:
    """The same in the declared order: cell number `cells[i]` belongs to label i."""
    kept = set(_kept(statistic))
    return [
        _dot(cell, place + shift, label, statistic)
        for place, (label, cell) in enumerate(zip(labels, cells, strict=True))
        if cell in kept
    ]


def shift_of(place: int, colours: int) -> float:
    """Where colour number `place` stands beside the middle of its group."""
    return (place - (colours - 1) / 2) * _APART / max(1, colours)


def trace(dots: Sequence[Dot], name: str, *, sideways: bool) -> Any:
    """One colour. `sideways`: numbers run to the right."""
    places, values = [dot.place for dot in dots], [dot.value for dot in dots]
    reaches = _reaches(dots)
    axes = {"x": values, "y": places, "error_x": reaches}
    if not sideways:
        axes = {"x": places, "y": values, "error_y": reaches}
    return go.Scatter(
        **{key: value for key, value in axes.items() if value is not None},
        mode="markers",
        marker={"size": 9},
        name=name,
        customdata=[[dot.label, dot.said] for dot in dots],
        hovertemplate="%{customdata[0]}: %{customdata[1]}<extra>%{fullData.name}</extra>",
    )


def value_axis(dots: Sequence[Dot], statistic: dict[str, Any], title: str) -> dict[str, Any]:
    """As far as the intervals of these dots go, with a little room."""
    ends = [end for dot in dots for end in _ends(dot)]
    axis: dict[str, Any] = {"title": {"text": title}}
    if ends and min(ends) < max(ends):
        room = _ROOM * (max(ends) - min(ends))
        axis["range"] = [min(ends) - room, max(ends) + room]
    if "range" in axis and statistic.get("dates"):
        low, high = axis["range"]
        axis |= _date_ticks(low, high, statistic)
    if is_year(statistic):
        axis["tickformat"] = "d"
    return axis


def _date_ticks(low: float, high: float, head: dict[str, Any]) -> dict[str, Any]:
    """At most six dates along an axis of numbers of periods."""
    first, last = round(low), round(high)
    places = list(range(first, last + 1, max(1, -(-(last - first) // _TICKS))))
    return {"tickvals": places, "ticktext": [date_at(place, head) for place in places]}


def _kept(statistic: dict[str, Any]) -> list[int]:
    noisy = too_noisy(statistic)
    return [
        place
        for place, cell in enumerate(statistic["cells"])
        if not noisy[place] and cell["value"] is not None
    ]


def _dot(number: int, place: float, label: str, head: dict[str, Any]) -> Dot:
    cell = head["cells"][number]
    span, value = span_of(cell, head), cell["value"]
    reach = None if span is None else (max(0.0, value - span[0]), max(0.0, span[1] - value))
    return Dot(
        number, place, label, value, reach, f"{shown_number(cell, head)}{within(cell, head)}"
    )


def _reaches(dots: Sequence[Dot]) -> dict[str, Any] | None:
    if not any(dot.reach for dot in dots):
        return None
    up = [None if dot.reach is None else dot.reach[1] for dot in dots]
    down = [None if dot.reach is None else dot.reach[0] for dot in dots]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "width": 4}


def _ends(dot: Dot) -> tuple[float, float]:
    down, up = dot.reach or (0.0, 0.0)
    return dot.value - down, dot.value + up
