"""Where a budget went: over time, by person and by mechanism."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from types import MappingProxyType
from typing import Any

from django.utils.translation import gettext as _

from dpgov.budgets.history import Balance
from dpgov.dashboards.budget.shares import BudgetShare
from dpgov.dashboards.forecast.forecast import Forecast
from dpgov.language.translation import others
from dpgov.privacy.accounting.decimals import as_number
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.queries.pictures.figures import Leads
from dpgov.queries.wording.over_days import over_days
from dpgov.queries.wording.plotting import (
    Figure,
    as_figure,
    bars,
    date_axis,
    inert,
    labelled_axis,
    scatter,
)

_TOP = 5
_NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class DayMark:
    """Something that happened to a budget on one day, as it stands in a hover box.

    `at` is the moment of the last of it, where one is known: refusals are counted by days.
    """

    day: date
    words: str
    href: str = ""
    at: datetime | None = None


def burn_down(
    balances: Sequence[Balance],
    *,
    first: date | None,
    until: datetime,
    forecast: Forecast | None = None,
    marks: Sequence[DayMark] = (),
    currency: Currency = PURE,
) -> Figure:
    """What is left, step by step from the first day on, with the limit as a line above it.

    With a forecast: on to the day on which it is used up, and between the days of the busiest and
    of the quietest week. In what adds up: ε, or ρ under zCDP.
    """
    points = _since(balances, first, until)
    times = [balance.at.isoformat() for balance in points]
    left = [
        as_number(max(0, one.limit_nano - one.spent_nano - one.reserved_nano)) for one in points
    ]
    limits = [as_number(balance.limit_nano) for balance in points]
    traces = [_steps(_("Remaining"), "spent", times, left, "tozeroy")]
    limit = _steps(_("Limit"), "limit", times, limits, None)
    limit["line"]["dash"] = "dash"
    traces.append(limit)
    axis = date_axis()
    if forecast is not None and forecast.ends_on is not None and left:
        traces += _cone(forecast, until, left[-1])
        span = max(timedelta(days=30), until - points[0].at)
        end = min(_noon(forecast.latest_on or forecast.ends_on), until + span)
        axis["range"] = [times[0], end.isoformat()]
    if marks:
        traces.append(_marks(marks, points[0].at if points else until, until))
    return as_figure(
        traces,
        legend={"traceorder": "normal"},
        hovermode="x unified",
        xaxis=axis,
        yaxis={"title": {"text": currency.symbol}, "rangemode": "tozero"},
    )


def _since(balances: Sequence[Balance], first: date | None, until: datetime) -> list[Balance]:
    """Those of the range, begun with the balance that it began with, up to now."""
    known = [*balances, *(replace(last, at=until) for last in balances[-1:])]
    if first is None:
        return known
    begin = datetime.combine(first, time.min, UTC)
    before = [replace(one, at=begin) for one in known if one.at < begin][-1:]
    return [*before, *(one for one in known if one.at >= begin)]


def _cone(forecast: Forecast, now: datetime, left: float) -> list[Figure]:
    """A dashed line to the day, and the area between the soonest and the latest one."""
    ends = _noon(forecast.ends_on or now.date())
    soonest = _noon(forecast.soonest_on) if forecast.soonest_on else ends
    latest = _noon(forecast.latest_on) if forecast.latest_on else ends + 2 * (ends - now)
    start = now.isoformat()
    area = scatter(
        x=[start, soonest.isoformat(), latest.isoformat(), start],
        y=[left, 0, 0, left],
        name=_("Range"),
        mode="lines",
        line={"width": 0},
        fill="toself",
        hoverinfo="skip",
        meta={"role": "reserved"},
    )
    line = scatter(
        x=[start, ends.isoformat()],
        y=[left, 0],
        name=_("At this pace"),
        mode="lines",
        line={"dash": "dot", "width": 2},
        hoverinfo="skip",
        meta={"role": "reserved"},
    )
    return [area, line]


def _noon(day: date) -> datetime:
    return datetime.combine(day, time(12), UTC)


def _marks(marks: Sequence[DayMark], begin: datetime, until: datetime) -> Figure:
    """At their moments; what has none at noon, but not before the first balance or after now."""
    moments = [mark.at or max(begin, min(_noon(mark.day), until)) for mark in marks]
    return scatter(
        x=[moment.isoformat() for moment in moments],
        y=[0 for _mark in marks],
        name=_("Events"),
        mode="markers",
        marker={"symbol": "diamond", "size": 9},
        cliponaxis=False,
        customdata=[[inert(mark.words)] for mark in marks],
        hovertemplate="%{customdata[0]}<extra></extra>",
        meta={"role": "3", "links": [mark.href for mark in marks]},
    )


def by_day(
    parts: Mapping[str, Counter[date]],
    sign: str,
    leads: Leads,
    queries: Mapping[str, str] = _NONE,
) -> Figure:
    """Stacked bars, a colour for each person; beyond the first few they are one.

    A bar of somebody whom `queries` names leads to their questions of that day.
    """
    names = list(parts)
    shown, rest = names[:_TOP], names[_TOP:]
    other = sum((parts[name] for name in rest), Counter[date]())
    bands = [(name, parts[name]) for name in shown] + ([(others(len(rest)), other)] if rest else [])
    traces = [
        bars(
            x=[day.isoformat() for day in sorted(days)],
            y=[as_number(days[day]) for day in sorted(days)],
            name=inert(name, 28),
            meta={
                "role": str(place % 8 + 1),
                "links": [day_link(leads, queries.get(name), day) for day in sorted(days)],
            },
            hovertemplate=f"{sign} %{{y:,}}",
        )
        for place, (name, days) in enumerate(bands)
    ]
    return over_days(traces, sign)


def day_link(leads: Leads, query: str | None, day: date) -> str:
    """To the questions of one day that were asked by whom the filter names; None of none."""
    return "" if query is None else leads.on(day, "day", query)


def shares(
    parts: Sequence[BudgetShare], *, split: bool, currency: Currency = PURE, leads: Leads
) -> Figure:
    """Horizontal bars, the largest on top, the smallest as one; what is reserved is a second
    stretch where it may be seen and there is any.

    In what adds up: ε, or ρ under zCDP.
    """
    ordered = list(reversed(largest(parts, _TOP)))
    names = [part.name for part in ordered]
    sign, word = currency.symbol, _("Spent") if split else _("Committed")
    links = [leads.of(part.query) if part.query else "" for part in ordered]
    traces = [_bar(word, "spent", names, _spent(ordered, split), sign, links)]
    if split and any(part.reserved_nano for part in ordered):
        reserved = [as_number(part.reserved_nano) for part in ordered]
        traces.append(_bar(_("Reserved"), "reserved", names, reserved, sign, links))
    return as_figure(
        traces,
        barmode="stack",
        showlegend=len(traces) > 1,
        legend={"traceorder": "normal"},
        xaxis={"title": {"text": sign}, "rangemode": "tozero"},
        yaxis=labelled_axis(names),
    )


def largest(parts: Sequence[BudgetShare], most: int) -> list[BudgetShare]:
    """As many as have room beside each other; the others together."""
    shown, rest = list(parts[:most]), parts[most:]
    if len(rest) < 2:
        return list(parts)
    return [
        *shown,
        BudgetShare(
            others(len(rest)),
            sum(part.spent_nano for part in rest),
            sum(part.reserved_nano for part in rest),
        ),
    ]


def _spent(parts: Sequence[BudgetShare], split: bool) -> list[float]:
    return [as_number(part.spent_nano if split else part.total_nano) for part in parts]


def _steps(name: str, role: str, x: list[str], y: list[float], fill: str | None) -> Figure:
    return scatter(
        x=x,
        y=y,
        name=name,
        mode="lines",
        line={"shape": "hv", "width": 2},
        fill=fill,
        meta={"role": role},
        hovertemplate="%{y:,}",
    )


def _bar(
    name: str, role: str, names: list[str], x: list[float], sign: str, links: list[str]
) -> Any:
    return bars(
        x=x,
        y=list(range(len(x))),
        orientation="h",
        name=name,
        meta={"role": role, "links": links},
        customdata=[[inert(text)] for text in names],
        hovertemplate=f"%{{customdata[0]}}<br>{name}: {sign} %{{x:,}}<extra></extra>",
    )
