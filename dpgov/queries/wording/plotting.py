"""What every Plotly figure is made with: plain dictionaries, axes, and texts made inert.

Plotly reads a small HTML of its own in labels and hover texts (catalogue J6); charts.js colours
the figures.
"""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from django.utils.translation import pgettext

Figure = dict[str, Any]

LONGEST_LABEL = 28


def inert(text: object, longest: int = 200) -> str:
    """Text for a label or a hover box: no tags, no entities, no templates, no line breaks, cut."""
    plain = str(text)
    if not plain.isprintable():
        plain = "".join(c if c.isprintable() else " " for c in plain)
    plain = cut(plain, longest)
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("{", "&#123;")):
        plain = plain.replace(character, entity)
    return plain


def in_lines(text: object) -> str:
    """The same, broken where a narrow chart would cut it off: Plotly breaks no title by itself."""
    return "<br>".join(inert(line) for line in wrap(cut(str(text), 200), LONGEST_LABEL))


def cut(text: str, longest: int) -> str:
    """The text, or its beginning."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def bars(**attributes: Any) -> Figure:
    """A trace of bars as plain JSON: Plotly's own class takes a millisecond to check each.

    Tests have Plotly check what they read from pages (`tests.integration.dashboards.reading`).
    """
    return _trace("bar", attributes)


def scatter(**attributes: Any) -> Figure:
    """A trace of lines or marks, likewise."""
    return _trace("scatter", attributes)


def _trace(kind: str, attributes: Figure) -> Figure:
    return {"type": kind} | {name: value for name, value in attributes.items() if value is not None}


def as_figure(traces: Sequence[Any], **layout: Any) -> Figure:
    """The JSON form of a figure, without Plotly's default template (7 KB of every figure)."""
    data = [one if isinstance(one, dict) else one.to_plotly_json() for one in traces]
    return {"data": data, "layout": layout}


def date_axis() -> dict[str, Any]:
    """An axis of days, written as pages write them: the day before its month."""
    day = pgettext("chart", "%-d %b %Y")
    return {
        "type": "date",
        "showgrid": False,
        "hoverformat": day,
        "tickformatstops": [
            {"dtickrange": [None, 59_999], "value": "%H:%M:%S"},
            {"dtickrange": [60_000, 86_399_999], "value": "%H:%M"},
            {"dtickrange": [86_400_000, "M1"], "value": pgettext("chart", "%-d %b")},
            {"dtickrange": ["M1", None], "value": "%b %Y"},
        ],
    }


def labelled_axis(labels: Sequence[object], title: str = "") -> dict[str, Any]:
    """An axis of places 0, 1, 2 … with texts: equal or number-like texts stay apart."""
    return {
        "tickvals": list(range(len(labels))),
        "ticktext": [inert(label, LONGEST_LABEL) for label in labels],
        "title": {"text": inert(title)},
        "showgrid": False,
    }
