"""The curve of price against error as figures and a table, and each point in words.

Works from `asking.curve` alone: public numbers.
"""

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _

from dpgov.budgets.words import amount, question
from dpgov.language.translation import percent
from dpgov.privacy.accounting.decimals import as_number, as_text
from dpgov.queries.asking.curve import AmountVerdict, Curve, Point
from dpgov.queries.wording.numbers import NOTHING, at_most, readable, rows_in_words
from dpgov.queries.wording.plotting import Figure, as_figure, inert, labelled_axis
from dpgov.queries.wording.words import statistic_in_words
from dpgov.web.typed import as_typed

_LINE, _HANDLE, _FREE = "1", "2", "6"


@dataclass(frozen=True, slots=True)
class CurveRow:
    """A point as a line of the table: the amount as text for the form, and words."""

    value: str
    price: str
    errors: tuple[str, ...]
    verdict: str
    fits: bool
    shown: str


@dataclass(frozen=True, slots=True)
class CurveShown:
    """Everything that the page shows of a curve; `place` is the point that the handle begins at."""

    label: str
    caption: str
    unit: str
    sizes: tuple[str, ...]
    rows: tuple[CurveRow, ...]
    place: int
    figure: Figure
    ghost: Figure | None
    free: tuple[tuple[str, str], ...]


def shown(curve: Curve, cost_nano: int) -> CurveShown:
    """The curve with its handle at the point nearest to this price."""
    rows = tuple(_row(curve, point) for point in curve.points)
    place = min(range(len(rows)), key=lambda at: abs(curve.points[at].nano / max(1, cost_nano) - 1))
    free = tuple(
        (error_words(dot.error, curve), amount(dot.worth_nano, curve.currency))
        for dot in curve.free
    )
    label = statistic_in_words(curve.statistic)
    sizes = tuple(readable(size) for size in curve.sizes)
    return CurveShown(
        label=label,
        caption=_caption(curve),
        unit=curve.unit,
        sizes=sizes,
        rows=rows,
        place=place,
        figure=_figure(curve, place),
        ghost=_ghost(curve, place),
        free=free,
    )


def error_words(error: float | None, curve: Curve) -> str:
    """ "± 15", or "20 rows"."""
    if error is None:
        return NOTHING
    return rows_in_words(error) if curve.in_rows else f"± {at_most(error)}"


_VERDICTS = {
    AmountVerdict.FITS: lambda: _("fits"),
    AmountVerdict.NEEDS_PERMIT: lambda: _("needs a permit"),
    AmountVerdict.TOO_MUCH: lambda: _("more than fits now"),
    AmountVerdict.NOT_NOW: lambda: _("not now"),
}


def _row(curve: Curve, point: Point) -> CurveRow:
    errors = tuple(error_words(error, curve) for error in point.errors)
    price = question(point.nano, curve.currency)
    return CurveRow(
        value=as_typed(as_text(point.nano)),
        price=price,
        errors=errors,
        verdict=_VERDICTS[point.verdict](),
        fits=point.verdict is AmountVerdict.FITS,
        shown=_("{price}: {error}").format(price=price, error=errors[curve.shown]),
    )


def _figure(curve: Curve, place: int) -> Figure:
    """The line, the handle on it, and free answers where the line has their error."""
    kept = [(p.nano, error) for p in curve.points if (error := p.errors[curve.shown])]
    chosen = curve.points[place]
    hover = [amount(nano, curve.currency) for nano, _error in kept]
    traces = [
        go.Scatter(
            x=[as_number(nano) for nano, _error in kept],
            y=[error for _nano, error in kept],
            mode="lines+markers",
            marker={"size": 5},
            name=_("price and error"),
            meta={"role": _LINE},
            customdata=[
                [inert(price), inert(error_words(error, curve))]
                for price, (_nano, error) in zip(hover, kept, strict=True)
            ],
            hovertemplate="%{customdata[0]}: %{customdata[1]}<extra></extra>",
        ),
        go.Scatter(
            x=[as_number(chosen.nano)],
            y=[chosen.errors[curve.shown]],
            mode="markers",
            marker={"size": 15},
            name=_("chosen"),
            meta={"role": _HANDLE},
            hoverinfo="skip",
        ),
    ]
    if curve.free:
        traces.append(
            go.Scatter(
                x=[as_number(dot.worth_nano) for dot in curve.free],
                y=[dot.error for dot in curve.free],
                mode="markers",
                marker={"size": 12, "symbol": "diamond"},
                name=_("stored, free"),
                meta={"role": _FREE},
                customdata=[[inert(error_words(dot.error, curve))] for dot in curve.free],
                hovertemplate=_("free") + ": %{customdata[0]}<extra></extra>",
            )
        )
    return as_figure(
        traces,
        xaxis={"type": "log", "title": {"text": _sign(curve)}, "dtick": 1, "showgrid": False},
        showlegend=bool(curve.free),
        yaxis={
            "type": "log",
            "title": {"text": _("error in rows") if curve.in_rows else _("error")},
            "dtick": 1,
        },
    )


def _ghost(curve: Curve, place: int) -> Figure | None:
    """How wide the error is beside everything the number can be: invented places, true widths."""
    limits = curve.statistic.get("range")
    if curve.in_rows or not limits:
        return None
    middle = (limits[0] + limits[1]) / 2
    names = [_("{rows} rows").format(rows=readable(size)) for size in curve.sizes] or [
        statistic_in_words(curve.statistic)
    ]
    errors = [min(error or 0, limits[1] - middle) for error in curve.points[place].errors]
    bars = go.Scatter(
        x=[middle] * len(names),
        y=list(range(len(names))),
        mode="markers",
        marker={"size": 9},
        error_x={"type": "data", "array": errors, "width": 6},
        meta={"role": "rest", "limits": list(limits)},
        hoverinfo="skip",
        name="",
    )
    axis = labelled_axis(names) | {"range": [len(names) - 0.5, -0.5], "title": {"text": ""}}
    return as_figure([bars], showlegend=False, xaxis={"range": list(limits)}, yaxis=axis)


def points_of(curve: Curve) -> list[dict[str, Any]]:
    """What the handle needs of each point, as JSON."""
    return [
        {
            "x": as_number(point.nano),
            "y": point.errors[curve.shown],
            "errors": list(point.errors),
            "words": row.shown,
            "value": row.value,
            "verdict": row.verdict,
        }
        for point, row in ((point, _row(curve, point)) for point in curve.points)
    ]


def _sign(curve: Curve) -> str:
    return "ε" if curve.unit == "epsilon" else "ρ"


def _caption(curve: Curve) -> str:
    label = statistic_in_words(curve.statistic)
    if curve.sizes:
        return _(
            "What “{label}” costs, and the error that {level} of answers about a group of {rows} "
            "stay within."
        ).format(label=label, level=percent(95), rows=rows_in_words(curve.sizes[curve.shown]))
    return _("What “{label}” costs, and the error that {level} of answers stay within.").format(
        label=label, level=percent(95)
    )
