"""Released answers as Plotly figures: plain dictionaries that static/js/charts.js colours.

Works from a release body alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.language.translation import percent
from dpgov.privacy.plan.statistics import STATISTICS
from dpgov.queries.wording.bins import is_ordered, shown_bins, within
from dpgov.queries.wording.dots import (
    MOST_LINES,
    along,
    lines_of,
    shift_of,
    trace,
    value_axis,
)
from dpgov.queries.wording.plotting import (
    LONGEST_LABEL,
    Figure,
    as_figure,
    cut,
    in_lines,
    inert,
    labelled_axis,
)
from dpgov.queries.wording.squares import MOST_SQUARES, rows_of, squares_of
from dpgov.queries.wording.trends import cells_of_lines, gaps_in, time_line, timed_in
from dpgov.queries.wording.useful import empty_rest, span_of, too_noisy
from dpgov.queries.wording.words import joined, shortened, statistic_in_words

# Beside the chart they take room from it.
_LONGEST_LINE = 20
_MOST_COLOURS = 8
_MOST_CHARTS = 8


@dataclass(frozen=True, slots=True)
class Chart:
    """One statistic of a grouped answer as a picture.

    `folded` are the groups that are too noisy to be shown in it, `rest` the one for everything else
    where it is empty within noise, and `undated` the one without a place along time; `lines` how
    many stand below each other, or 0.
    """

    label: str
    figure: Figure
    folded: tuple[str, ...] = ()
    rest: str = ""
    undated: str = ""
    lines: int = 0
    squares: bool = False

    @property
    def size(self) -> str:
        """The class of its height, which is known before it is drawn."""
        return f"lines-{-(-self.lines // 5) * 5}" if self.lines else ""

    @property
    def caption(self) -> str:
        """What to see in it."""
        table = _("The table below holds the same numbers.")
        if self.rest or self.folded or self.undated:
            table = _("The table below holds every number.")
        undated = _("“{group}” has no place in time and is not shown.") if self.undated else ""
        sentences = [self._drawn(), self._left_out(), undated.format(group=self.undated), table]
        return " ".join(filter(None, sentences))

    def _drawn(self) -> str:
        if self.squares:
            pattern = _(
                "{statistic} in each pair of groups: the fuller a square, the larger it is. "
                "Pointing at one shows it with its {level} interval."
            )
            return pattern.format(statistic=self.label, level=percent(95))
        spanned = any("error_y" in t or "error_x" in t for t in self.figure["data"])
        bars = self.figure["data"][0]["type"] == "bar"
        if self.figure["layout"]["xaxis"].get("type") == "date":
            pattern = _(
                "{statistic} along time. The band around each line is its {level} interval."
            )
            return pattern.format(statistic=self.label, level=percent(95))
        if not spanned:
            return _("{statistic} in each group.").format(statistic=self.label)
        pattern = (
            _("{statistic} in each group. The line on each bar spans its error at {level}.")
            if bars
            else _("{statistic} in each group. The line through each dot is its {level} interval.")
        )
        return pattern.format(statistic=self.label, level=percent(95))

    def _left_out(self) -> str:
        if self.rest:
            return _("“{group}” is not shown: it is empty within its noise.").format(
                group=self.rest
            )
        if not self.folded:
            return ""
        return ngettext(
            "{number} group is too noisy to show: {names}.",
            "{number} groups are too noisy to show: {names}.",
            len(self.folded),
        ).format(number=len(self.folded), names=joined(shortened(self.folded)))


def release_charts(body: dict[str, Any]) -> list[Chart]:
    """A chart with intervals for each of the first statistics of a grouped answer.

    Two groupings with too many bins to be told apart by colour become squares. Empty for an answer
    that is not grouped, or that has too many bins for these, too; the table says it all.
    """
    groups = [
        group | {"bins": names, "named": group["bins"]}
        for group, names in zip(body["groups"], shown_bins(body), strict=True)
    ]
    if len(groups) not in (1, 2):
        return []
    if len(groups) == 2 and min(len(group["bins"]) for group in groups) > _MOST_COLOURS:
        return _of_squares(body["statistics"][:_MOST_CHARTS], groups)
    ordered = len(groups) == 2 or is_ordered(body, 0) or len(groups[0]["bins"]) > MOST_LINES
    return [
        _chart(statistic, groups, ordered=ordered)
        for statistic in body["statistics"][:_MOST_CHARTS]
    ]


def _of_squares(statistics: list[dict[str, Any]], groups: list[dict[str, Any]]) -> list[Chart]:
    if len(groups[0]["bins"]) * len(groups[1]["bins"]) > MOST_SQUARES:
        return []
    lines = rows_of(groups)
    return [
        Chart(
            statistic_in_words(one),
            squares_of(one, groups),
            _left_out_of(one, groups),
            lines=lines,
            squares=True,
        )
        for one in statistics
    ]


def _left_out_of(statistic: dict[str, Any], groups: list[dict[str, Any]]) -> tuple[str, ...]:
    """The groups that are too noisy to be shown, by their names."""
    names = [" / ".join(map(str, parts)) for parts in product(*(g["bins"] for g in groups))]
    noisy = zip(names, too_noisy(statistic), strict=True)
    return tuple(name for name, left_out in noisy if left_out)


def _chart(statistic: dict[str, Any], groups: list[dict[str, Any]], *, ordered: bool) -> Chart:
    label = statistic_in_words(statistic)
    timed = timed_in(groups, _MOST_COLOURS)
    if timed is not None and not statistic.get("dates"):
        folded, undated = gaps_in(statistic, groups, timed), str(groups[timed]["bins"][-1])
        return Chart(label, _trend(statistic, groups, timed), folded, undated=undated)
    if STATISTICS[statistic["statistic"]].depends_on_rows:
        folded = _left_out_of(statistic, groups)
        if ordered:
            return Chart(label, _points(statistic, groups), folded)
        figure = _lines(statistic, groups[0])
        return Chart(label, figure, folded, lines=len(figure["data"][0]["y"]))
    if len(groups) == 1 and empty_rest(statistic, len(groups[0]["bins"])):
        rest = str(groups[0]["bins"][-1])
        shorter = [groups[0] | {"bins": groups[0]["bins"][:-1]}]
        cells = statistic | {"cells": statistic["cells"][:-1]}
        return Chart(label, _bars(cells, shorter), rest=rest)
    return Chart(label, _bars(statistic, groups))


def _trend(statistic: dict[str, Any], groups: list[dict[str, Any]], timed: int) -> Figure:
    """A line for each bin of the other grouping, if there is one."""
    along_axis, places = groups[timed], cells_of_lines(groups, timed)
    coloured = groups[1 - timed] if len(groups) > 1 else {"column": "", "bins": [""]}
    traces = [
        one
        for place, (name, cells) in enumerate(zip(coloured["bins"], places, strict=True), 1)
        for one in time_line(statistic, along_axis, cells, inert(name, LONGEST_LABEL), place)
    ]
    of_rows = STATISTICS[statistic["statistic"]].depends_on_rows
    return as_figure(
        traces,
        showlegend=len(places) > 1,
        hovermode="x unified",
        legend={"title": {"text": inert(coloured["column"], LONGEST_LABEL)}},
        xaxis={"type": "date", "title": {"text": inert(along_axis["column"])}, "showgrid": False},
        yaxis={
            "title": {"text": inert(statistic_in_words(statistic))},
            "rangemode": "normal" if of_rows else "tozero",
        },
    )


def _lines(statistic: dict[str, Any], group: dict[str, Any]) -> Figure:
    dots = lines_of(statistic, [inert(name) for name in group["bins"]])
    names = [str(group["bins"][dot.cell]) for dot in dots]
    axis = labelled_axis([cut(name, _LONGEST_LINE) for name in names])
    return as_figure(
        [trace(dots, "", sideways=True)],
        showlegend=False,
        xaxis=value_axis(dots, statistic, in_lines(statistic_in_words(statistic))),
        yaxis=axis | {"range": [len(dots) - 0.5, -0.5], "title": {"text": ""}, "showgrid": True},
    )


def _points(statistic: dict[str, Any], groups: list[dict[str, Any]]) -> Figure:
    along_axis, coloured, places = _oriented(groups)
    labels = [inert(name) for name in along_axis["bins"]]
    if all(too_noisy(statistic)[cells[-1]] for cells in places):
        # Nothing is shown of the bin for everything else: it needs no place.
        along_axis = along_axis | {"bins": along_axis["bins"][:-1]}
        places = [cells[:-1] for cells in places]
        labels.pop()
    colours = [
        along(statistic, labels, cells, shift_of(place, len(places)))
        for place, cells in enumerate(places)
    ]
    named = zip(coloured["bins"], colours, strict=True)
    axis = labelled_axis(along_axis["bins"], along_axis["column"])
    every = [dot for dots in colours for dot in dots]
    return as_figure(
        [trace(dots, inert(name, LONGEST_LABEL), sideways=False) for name, dots in named],
        showlegend=len(places) > 1,
        legend={"title": {"text": inert(coloured["column"], LONGEST_LABEL)}},
        xaxis=axis | {"range": [-0.5, len(labels) - 0.5]},
        yaxis=value_axis(every, statistic, inert(statistic_in_words(statistic))),
    )


def _bars(statistic: dict[str, Any], groups: list[dict[str, Any]]) -> Figure:
    along_axis, coloured, places = _oriented(groups)
    traces = [
        _trace(name, along_axis["bins"], [statistic["cells"][place] for place in cells], statistic)
        for name, cells in zip(coloured["bins"], places, strict=True)
    ]
    return as_figure(
        traces,
        barmode="group",
        showlegend=len(traces) > 1,
        legend={"title": {"text": inert(coloured["column"], LONGEST_LABEL)}},
        xaxis=labelled_axis(along_axis["bins"], along_axis["column"]),
        yaxis={"title": {"text": inert(statistic_in_words(statistic))}, "rangemode": "tozero"},
    )


def _oriented(groups: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any], list[range]]:
    """The grouping along the axis, the coloured one, and the cells of each colour.

    Cells are row-major, the first grouping slowest; the second one is coloured unless it has too
    many bins.
    """
    slow = len(groups[0]["bins"])
    if len(groups) == 1:
        return groups[0], {"column": "", "bins": [""]}, [range(slow)]
    fast = len(groups[1]["bins"])
    if fast <= _MOST_COLOURS:
        return groups[0], groups[1], [range(j, slow * fast, fast) for j in range(fast)]
    return groups[1], groups[0], [range(i * fast, (i + 1) * fast) for i in range(slow)]


def _trace(
    name: str, bins: Sequence[str], cells: list[dict[str, Any]], head: dict[str, Any]
) -> Any:
    spans = [_reach(cell, head) for cell in cells]
    hover = [[inert(label), within(cell, head)] for label, cell in zip(bins, cells, strict=True)]
    value = "%{customdata[0]}: %{y:,}%{customdata[1]}"
    return go.Bar(
        x=list(range(len(cells))),
        y=[cell["value"] for cell in cells],
        name=inert(name, LONGEST_LABEL),
        error_y=_errors(spans) if any(spans) else None,
        customdata=hover,
        hovertemplate=f"{value}<extra>%{{fullData.name}}</extra>",
    )


def _errors(spans: list[tuple[float, float] | None]) -> dict[str, Any]:
    """How far each line reaches up and down; none where no bound can be stated."""
    up = [None if span is None else span[1] for span in spans]
    down = [None if span is None else span[0] for span in spans]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down}


def _reach(cell: dict[str, Any], head: dict[str, Any]) -> tuple[float, float] | None:
    """How far the 95% interval reaches below and above, cut to what can be true."""
    span = span_of(cell, head)
    if span is None:
        return None
    return max(0.0, cell["value"] - span[0]), max(0.0, span[1] - cell["value"])
