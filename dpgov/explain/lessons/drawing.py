"""What the lessons' figures are made of: lines, bars, dots and what stands beside them.

Numbers are written here for the reader: in digits that matter, with thousands apart.
"""

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Any

import plotly.graph_objects as go
from django.utils.formats import number_format

from dpgov.budgets.meaning import factor_text
from dpgov.explain.lessons.numbers import exactly
from dpgov.language.translation import percent
from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import PURE
from dpgov.queries.wording.plotting import Figure, as_figure, inert, labelled_axis

Number = Fraction | Decimal | float | int | str
_PLAIN = Decimal("0.001")
_LARGE = Decimal("1e15")


def line(
    x: Sequence[Number], y: Sequence[Number], name: str, role: str, *, dash: bool = False
) -> Any:
    """A line through points; dashed for what is only compared with."""
    return go.Scatter(
        x=[float(each) for each in x],
        y=[float(each) for each in y],
        name=name,
        mode="lines",
        line={"width": 2, "dash": "dash" if dash else "solid"},
        meta={"role": role},
        hovertemplate="%{x:,.4~g}: %{y:,.4~g}",
    )


def band(
    x: Sequence[Number], low: Sequence[Number], high: Sequence[Number], name: str, role: str
) -> list[Any]:
    """What lies between two lines."""
    lower, upper = line(x, low, "", role), line(x, high, name, role)
    lower.showlegend, upper.fill = False, "tonexty"
    lower.line.width = upper.line.width = 1
    return [lower, upper]


def dots(x: Sequence[Number], y: Sequence[Number], name: str, role: str, size: int = 13) -> Any:
    """Points by themselves: the chosen one, or one for each person."""
    return go.Scatter(
        x=[float(each) for each in x],
        y=[float(each) for each in y],
        name=name,
        mode="markers",
        marker={"size": size},
        meta={"role": role},
        hovertemplate="%{x:,.4~g}: %{y:,.4~g}",
    )


def bars(
    values: Sequence[Number],
    name: str,
    role: str,
    *,
    texts: Sequence[str] = (),
    places: Sequence[int] = (),
    errors: Sequence[Number] = (),
    sideways: bool = False,
) -> Any:
    """Bars at places 0, 1, 2 … or at `places`, with a text on each and lines for errors."""
    along = list(places) or list(range(len(values)))
    high = [float(each) for each in values]
    spans = {"type": "data", "array": [float(each) for each in errors]} if errors else None
    return go.Bar(
        x=high if sideways else along,
        y=along if sideways else high,
        name=name,
        orientation="h" if sideways else "v",
        error_x=spans if sideways else None,
        error_y=None if sideways else spans,
        text=[inert(text) for text in texts] or None,
        textposition="auto",
        textangle=0,
        meta={"role": role},
        hovertemplate="%{x:,.4~g}" if sideways else "%{y:,.4~g}",
    )


def chosen_bar(
    values: Sequence[Number], chosen: int, texts: Sequence[str], *, sideways: bool = False
) -> list[Any]:
    """One bar in the colour of what is looked at, the others pale."""
    others = [place for place in range(len(values)) if place != chosen]
    return [
        bars(
            [values[place] for place in places],
            "",
            role,
            places=places,
            texts=[texts[place] for place in places],
            sideways=sideways,
        )
        for places, role in (([chosen], "1"), (others, "rest"))
        if places
    ]


def drawn(traces: Sequence[Any], x: str | Sequence[str], y: str, **more: Any) -> Figure:
    """A figure; `x` is the title of an axis of numbers, or the names of places."""
    across = {"title": {"text": x}} if isinstance(x, str) else labelled_axis(x)
    named = sum(1 for trace in traces if trace.name and trace.showlegend is not False)
    layout = {
        "showlegend": more.pop("showlegend", named > 1),
        "xaxis": across | more.pop("xaxis", {}),
        "yaxis": {"title": {"text": y}, "tickformat": ",~g"} | more.pop("yaxis", {}),
    }
    return as_figure(traces, **layout, **more)


def decades(low: int, high: int) -> dict[str, Any]:
    """An axis of powers of ten, from 10^low to 10^high, each written out or as a power."""
    step = max(1, -(-(high - low) // 6))
    powers = range(low, high + 1, step)
    return {
        "type": "log",
        "range": [low, high],
        "tickvals": [float(Decimal(10) ** power) for power in powers],
        "ticktext": [_power(power) for power in powers],
    }


def _power(power: int) -> str:
    return shown(Decimal(10) ** power) if -3 <= power <= 6 else f"10{_raised(power)}"


def shown(number: Number, digits: int = 4, rounding: str = ROUND_HALF_EVEN) -> str:
    """A number in so many digits that matter; whole parts are never cut.

    What bounds something is rounded to where it still does.
    """
    exact = exactly(number)
    if exact == 0:
        return "0"
    if abs(exact) < _PLAIN or abs(exact) >= _LARGE:
        return scientific(exact.quantize(Decimal(1).scaleb(exact.adjusted() - 1), rounding))
    places = max(0, digits - 1 - exact.adjusted())
    rounded = exact.quantize(Decimal(1).scaleb(-places), rounding)
    plain = rounded.normalize() if rounded != rounded.to_integral_value() else rounded.to_integral()
    return number_format(f"{plain:f}", force_grouping=True).replace("-", "−")


def factor(power: Fraction | Decimal | int | str) -> str:
    """What likelihoods are multiplied by at most at an ε of `power`: as every page says it."""
    return factor_text(math.ceil(Fraction(power) * NANO), PURE)


def decimals(number: Number, digits: int) -> str:
    """A number with so many digits after the point at most."""
    rounded = exactly(number).quantize(Decimal(1).scaleb(-digits))
    plain = f"{rounded:f}".rstrip("0").rstrip(".") if digits else f"{rounded:f}"
    return number_format(plain, force_grouping=True).replace("-", "−")


def scientific(number: Number) -> str:
    """Two digits times a power of ten: "1.3 × 10⁻⁵"."""
    digits, _, power = f"{exactly(number):.1e}".partition("e")
    return f"{digits} × 10{_raised(int(power))}"


def _raised(power: int) -> str:
    """As letters: Plotly's own markup would need inline styles, which no page allows."""
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def share(number: Number, digits: int = 1, rounding: str = ROUND_HALF_EVEN) -> str:
    """A share in percent, with so many digits after the point."""
    hundredfold = (exactly(number) * 100).quantize(Decimal(1).scaleb(-digits), rounding)
    return percent(number_format(f"{hundredfold:f}"))
