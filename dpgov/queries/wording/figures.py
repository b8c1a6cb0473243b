"""Released answers as Plotly figures: plain dictionaries that static/js/charts.js colours.

Works from a release body alone. Texts that people typed are made inert here, because Plotly reads
a small HTML of its own in labels and hover texts (catalogue J6).
"""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _

from dpgov.privacy.plan.ranges import clipped
from dpgov.queries.wording.words import (
    accuracy_at,
    margin,
    rank_error_at,
    rows_in_words,
    statistic_in_words,
)

Figure = dict[str, Any]

_LONGEST_LABEL = 28
_MOST_COLOURS = 8
_MOST_CHARTS = 8
_CONFIDENCE = 0.95


def inert(text: object, longest: int = 200) -> str:
    """Text for a label or a hover box: no tags, no entities, no templates, no line breaks, cut."""
    plain = "".join(c if c.isprintable() else " " for c in str(text))
    if len(plain) > longest:
        plain = plain[: longest - 1] + "…"
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("{", "&#123;")):
        plain = plain.replace(character, entity)
    return plain


def as_figure(traces: Sequence[Any], **layout: Any) -> Figure:
    """The JSON form of a figure, without Plotly's default template (7 KB of every figure)."""
    figure: Figure = go.Figure(data=list(traces), layout={"template": None, **layout}).to_dict()
    figure["layout"].pop("template", None)
    return figure


def labelled_axis(labels: Sequence[object], title: str = "") -> dict[str, Any]:
    """An axis of places 0, 1, 2 … with texts: equal or number-like texts stay apart."""
    return {
        "tickvals": list(range(len(labels))),
        "ticktext": [inert(label, _LONGEST_LABEL) for label in labels],
        "title": {"text": inert(title)},
        "showgrid": False,
    }


def release_figures(body: dict[str, Any]) -> list[Figure]:
    """One bar chart with error bars for each of the first statistics of a grouped answer.

    Empty for an answer that is not grouped, or that has too many bins in both groupings to be
    told apart by colour; the table says it all.
    """
    groups: list[dict[str, Any]] = body["groups"]
    if len(groups) not in (1, 2):
        return []
    if len(groups) == 2 and min(len(group["bins"]) for group in groups) > _MOST_COLOURS:
        return []
    return [_bars(statistic, groups) for statistic in body["statistics"][:_MOST_CHARTS]]


def caption_of(label: str, figure: Figure) -> str:
    """What a chart of `release_figures` shows, in a sentence or two."""
    spanned = any("error_y" in trace for trace in figure["data"])
    if spanned:
        pattern = _(
            "{statistic} in each group. Each bar is a released number; its line spans the error "
            "at {level}. The table below holds the same numbers."
        )
    else:
        pattern = _(
            "{statistic} in each group. Each bar is a released number. The table below holds the "
            "same numbers."
        )
    return pattern.format(statistic=label, level="95 %")


def _bars(statistic: dict[str, Any], groups: list[dict[str, Any]]) -> Figure:
    along, coloured, places = _oriented(groups)
    traces = [
        _trace(name, along["bins"], [statistic["cells"][place] for place in cells], statistic)
        for name, cells in zip(coloured["bins"], places, strict=True)
    ]
    return as_figure(
        traces,
        barmode="group",
        showlegend=len(traces) > 1,
        legend={"title": {"text": inert(coloured["column"], _LONGEST_LABEL)}},
        xaxis=labelled_axis(along["bins"], along["column"]),
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
    spans = [_span(cell, head) for cell in cells]
    hover = [[inert(label), _within(cell)] for label, cell in zip(bins, cells, strict=True)]
    value = "%{customdata[0]}: %{y:,}%{customdata[1]}"
    return go.Bar(
        x=list(range(len(cells))),
        y=[cell["value"] for cell in cells],
        name=inert(name, _LONGEST_LABEL),
        error_y=_errors(spans) if any(spans) else None,
        customdata=hover,
        hovertemplate=f"{value}<extra>%{{fullData.name}}</extra>",
    )


def _errors(spans: list[tuple[float, float] | None]) -> dict[str, Any]:
    """How far each line reaches up and down; none where no bound can be stated."""
    up = [None if span is None else span[1] for span in spans]
    down = [None if span is None else span[0] for span in spans]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down}


def _span(cell: dict[str, Any], head: dict[str, Any]) -> tuple[float, float] | None:
    """How far the 95 % interval reaches below and above, cut to what can be true."""
    error = accuracy_at(cell.get("accuracy") or [], _CONFIDENCE)
    if error is None or cell["value"] is None:
        return None
    low, high = clipped(cell["value"], error, head)
    return max(0.0, cell["value"] - low), max(0.0, high - cell["value"])


def _within(cell: dict[str, Any]) -> str:
    """The error at 95 % as it follows the number in a hover text; nothing where none is stated."""
    accuracy = cell.get("accuracy") or []
    if accuracy_at(accuracy, _CONFIDENCE) is not None:
        return f" {margin(accuracy, _CONFIDENCE)}"
    rows = rank_error_at(accuracy, _CONFIDENCE)
    return "" if rows is None else _(", within {rows}").format(rows=rows_in_words(rows))
