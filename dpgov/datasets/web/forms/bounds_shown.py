"""Two prices of bounds as a chart and the table beside it."""

from math import ceil, floor, log10
from typing import Any

import plotly.graph_objects as go
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.bounds import ROWS, BoundsEffects, ClippingEffect
from dpgov.language.translation import percent
from dpgov.privacy.accounting.decimals import decimal_text
from dpgov.privacy.mock.clipping import Shape

_DIGITS = 3
# What the chart adds to the noise; the table has both.
_IN_THE_CHART = Shape.TAIL
_SHAPES: dict[Shape, str | Promise] = {
    Shape.TAIL: _("Most values low, a few large"),
    Shape.HILL: _("Most values in the middle"),
}


def shown(prices: tuple[BoundsEffects, ...]) -> dict[str, Any]:
    """What the page shows: names of the pairs, rows of the table, the figure and its sentence."""
    if not prices:
        return {}
    least = min(price.domain.lower for price in prices)
    most = max(price.domain.upper for price in prices)
    return {
        "pairs": [_pair(price) for price in prices],
        "errors": [
            (_rows(rows), [_error(price, place) for price in prices])
            for place, rows in enumerate(ROWS)
        ],
        "effects": [
            (words, [_effect(_of_shape(price, shape)) for price in prices])
            for shape, words in _SHAPES.items()
        ],
        "spread": _between(_plain(least), _plain(most)),
        "figure": _figure(prices),
    }


def _figure(prices: tuple[BoundsEffects, ...]) -> dict[str, Any]:
    rows = [_rows(count) for count in ROWS]
    traces = [
        trace
        for place, price in enumerate(prices, start=1)
        for trace in (
            _bars(price, rows, str(place)),
            _on_top(price, rows, str(place)),
        )
    ]
    layout = {"template": None, "barmode": "group", "yaxis": {"rangemode": "tozero"}}
    figure: dict[str, Any] = go.Figure(data=traces, layout=layout).to_dict()
    figure["layout"].pop("template", None)
    return figure


def _bars(price: BoundsEffects, rows: list[str], role: str) -> Any:
    return go.Bar(
        x=rows,
        y=price.errors,
        name=gettext("{bounds}: noise").format(bounds=_pair(price)),
        offsetgroup=role,
        meta={"role": role},
        hovertemplate="± %{y:.3~g}",
    )


def _on_top(price: BoundsEffects, rows: list[str], role: str) -> Any:
    moved = _of_shape(price, _IN_THE_CHART).moved
    return go.Bar(
        x=rows,
        y=[moved for _count in ROWS],
        base=price.errors,
        name=gettext("{bounds}: clipping").format(bounds=_pair(price)),
        offsetgroup=role,
        opacity=0.45,
        meta={"role": role},
        hovertemplate=_amount(moved),
        showlegend=moved > 0,
    )


def _of_shape(price: BoundsEffects, shape: Shape) -> ClippingEffect:
    return next(effect for effect in price.effects if effect.shape is shape)


def _pair(price: BoundsEffects) -> str:
    return _between(_plain(price.domain.lower), _plain(price.domain.upper))


def _between(low: str, high: str) -> str:
    return gettext("{low} to {high}").format(low=low, high=high)


def _plain(number: Any) -> str:
    return number_format(decimal_text(number), force_grouping=True)


def _rows(count: int) -> str:
    return gettext("{number} rows").format(number=number_format(count, force_grouping=True))


def _error(price: BoundsEffects, place: int) -> str:
    error = price.errors[place]
    if error >= price.width:
        return gettext("says nothing")
    return f"± {_amount(error)}"


def _effect(effect: ClippingEffect) -> str:
    if not effect.share:
        return gettext("none")
    return gettext("{share} clipped, mean moves by {amount}").format(
        share=percent(_amount(float(100 * effect.share))), amount=_amount(effect.moved)
    )


def _amount(number: float) -> str:
    """To three digits, rounded up: nothing is shown smaller than it is."""
    if number <= 0:
        return "0"
    places = max(0, _DIGITS - 1 - floor(log10(number)))
    up = ceil(round(number * 10**places, 6)) / 10**places
    return number_format(f"{up:.{places}f}", force_grouping=True)
