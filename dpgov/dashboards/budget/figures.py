"""Where a budget went: over time, by person and by mechanism."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from dpgov.budgets.history import Balance
from dpgov.dashboards.budget.shares import Share
from dpgov.privacy.accounting.decimals import as_number
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.queries.wording.figures import Figure, as_figure, inert, labelled_axis


def over_time(
    balances: Sequence[Balance], *, split: bool, until: datetime, currency: Currency = PURE
) -> Figure:
    """A step chart of what is taken, up to a moment, with the limit as a line above it.

    In ε: under zCDP what everything so far amounts to at δ.
    """

    def read(nano: int) -> float:
        return as_number(currency.together(nano))

    balances = [*balances, *(replace(last, at=until) for last in balances[-1:])]
    times = [balance.at.isoformat() for balance in balances]
    spent = [read(balance.spent_nano) for balance in balances]
    taken = [read(balance.spent_nano + balance.reserved_nano) for balance in balances]
    limits = [read(balance.limit_nano) for balance in balances]
    traces = [_steps(_("Spent and reserved"), "reserved", times, taken, "tozeroy")] if split else []
    word = _("Spent") if split else _("Committed")
    traces.append(_steps(word, "spent", times, spent, "tozeroy"))
    limit = _steps(_("Limit"), "limit", times, limits, None)
    limit.line.dash = "dash"
    at_delta = _("ε at δ %(delta)s") % {"delta": currency.delta_text} if currency.delta else "ε"
    traces.append(limit)
    return as_figure(
        traces,
        legend={"traceorder": "normal"},
        xaxis={"type": "date", "showgrid": False},
        yaxis={"title": {"text": at_delta}, "rangemode": "tozero"},
    )


def shares(parts: Sequence[Share], *, split: bool, currency: Currency = PURE) -> Figure:
    """Horizontal bars, the largest on top; reserved is a second stretch where it may be seen.

    In what adds up: ε, or ρ under zCDP.
    """
    ordered = list(reversed(parts))
    names = [part.name for part in ordered]
    sign, word = currency.symbol, _("Spent") if split else _("Committed")
    traces = [_bar(word, "spent", names, _spent(ordered, split), sign)]
    if split:
        reserved = [as_number(part.reserved_nano) for part in ordered]
        traces.append(_bar(_("Reserved"), "reserved", names, reserved, sign))
    return as_figure(
        traces,
        barmode="stack",
        showlegend=split,
        legend={"traceorder": "normal"},
        xaxis={"title": {"text": sign}, "rangemode": "tozero"},
        yaxis=labelled_axis(names),
    )


def _spent(parts: Sequence[Share], split: bool) -> list[float]:
    return [as_number(part.spent_nano if split else part.total_nano) for part in parts]


def _steps(name: str, role: str, x: list[str], y: list[float], fill: str | None) -> Any:
    day = pgettext("chart", "%-d %b %Y %H:%M")
    return go.Scatter(
        x=x,
        y=y,
        name=name,
        mode="lines",
        line={"shape": "hv", "width": 2},
        fill=fill,
        meta={"role": role},
        hovertemplate=f"%{{x|{day}}}<br>{name}: %{{y:,}}<extra></extra>",
    )


def _bar(name: str, role: str, names: list[str], x: list[float], sign: str) -> Any:
    return go.Bar(
        x=x,
        y=list(range(len(x))),
        orientation="h",
        name=name,
        meta={"role": role},
        customdata=[[inert(text)] for text in names],
        hovertemplate=f"%{{customdata[0]}}<br>{name}: {sign} %{{x:,}}<extra></extra>",
    )
