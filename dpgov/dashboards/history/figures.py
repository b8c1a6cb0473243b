"""Questions as figures: every mark knows where it leads (trace.meta.links, see charts.js)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache, partial
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.utils.translation import gettext as _

from dpgov.dashboards.history.picture import Band, Map
from dpgov.privacy.accounting.decimals import as_number
from dpgov.queries.wording.over_days import bar, days_axis, last_of, over_days
from dpgov.queries.wording.plotting import Figure, as_figure, inert, labelled_axis, scatter

_STATES = {
    "released": "spent",
    "failed": "limit",
    "waiting": "reserved",
    "voided": "rest",
    "expired": "3",
}


def link(query: str, day: date, period: str) -> str:
    """To the list of what a mark stands for; what is filtered already stays in `query`."""
    days = _within(day, period)
    return f"?{query}&{days}#questions" if query else f"?{days}#questions"


@lru_cache(maxsize=4_096)
def _within(day: date, period: str) -> str:
    """Of a calendar alone, and said hundreds of times on a page."""
    return urlencode({"since": day.isoformat(), "until": last_of(day, period).isoformat()})


def by_day(bands: Sequence[Band], kept: str, period: str, *, in_epsilon: bool) -> Figure:
    """Stacked bars, a colour for each band: numbers of questions, or ε."""
    traces = []
    for place, band in enumerate(bands):
        amounts = band.nano if in_epsilon else band.number
        days = sorted(day for day in amounts if amounts[day])
        heights = [as_number(amounts[day]) if in_epsilon else amounts[day] for day in days]
        query = "&".join(part for part in (kept, band.query) if part)
        links = [link(query, day, period) for day in days]
        traces.append(bar(band.word, _role(band, place), days, heights, links))
    title = "ε" if in_epsilon else _("Questions")
    return over_days(traces, title)


def refusals_link(kept: str, day: date) -> str:
    """To the refusals of one day; a list of questions holds none of them."""
    return link(kept, day, "day").replace("#questions", "#refused-title")


def refused(reasons: Mapping[str, Counter[date]], kept: str) -> Figure:
    """Stacked bars, a colour for each reason; each leads to the refusals of its day."""
    traces = []
    for place, (word, days) in enumerate(sorted(reasons.items())):
        along = sorted(days)
        links = [refusals_link(kept, day) for day in along]
        traces.append(bar(word, str(place % 8 + 1), along, [days[day] for day in along], links))
    return over_days(traces, _("Refusals"))


def heat_map(found: Map, kept: str, period: str) -> Figure:
    """Datasets down, days along; the more questions the fuller a square."""
    rows = list(reversed(found.datasets))
    most = max((number for days in found.number.values() for number in days.values()), default=1)
    marks = [
        (day, place, query, label, number)
        for place, (query, label, days) in enumerate(map(partial(_along, found, kept), rows))
        for day, number in sorted(days.items())
        if number
    ]
    trace = scatter(
        x=[day.isoformat() for day, *_rest in marks],
        y=[place for _day, place, *_rest in marks],
        mode="markers",
        marker={
            "symbol": "square",
            "size": _side(found.days),
            "opacity": [round(0.2 + 0.8 * number / most, 2) for *_rest, number in marks],
        },
        meta={
            "role": "spent",
            "links": [link(query, day, period) for day, _place, query, *_rest in marks],
        },
        customdata=[[label, number] for *_rest, label, number in marks],
        hovertemplate="%{customdata[0]}<br>%{x|%-d %b %Y}: %{customdata[1]}<extra></extra>",
        showlegend=False,
    )
    return as_figure(
        [trace],
        xaxis=days_axis(day for day, *_rest in marks),
        yaxis=labelled_axis([name for _key, name in rows]) | {"range": [-0.6, len(rows) - 0.4]},
    )


def _along(found: Map, kept: str, row: tuple[UUID, str]) -> tuple[str, str, Counter[date]]:
    """Of one dataset: where its marks lead, its name in them, and its days."""
    key, name = row
    return query_of(kept, key), inert(name), found.number[key]


def query_of(kept: str, dataset: UUID) -> str:
    """The filter of one dataset beside what is filtered already."""
    return "&".join(part for part in (kept, urlencode({"dataset": str(dataset)})) if part)


def tree_map(found: Map, kept: str) -> Figure:
    """Each dataset a stretch of one bar, as wide as its part of all ε."""
    whole = sum(found.nano[key] for key, _name in found.datasets) or 1
    traces = []
    for place, (key, name) in enumerate(found.datasets):
        if not found.nano[key]:
            continue
        query = query_of(kept, key)
        share = round(100 * found.nano[key] / whole)
        trace = bar(name, str(place % 8 + 1), [], [], [f"?{query}#questions"])
        trace.update(
            x=[as_number(found.nano[key])],
            y=[0],
            orientation="h",
            text=[f"{inert(name, 18)} {share}%"],
            textposition="inside",
            insidetextanchor="middle",
            hovertemplate=f"{inert(name)}: ε %{{x:,}}<extra></extra>",
        )
        traces.append(trace)
    hidden: dict[str, Any] = {"visible": False}
    return as_figure(
        traces, barmode="stack", bargap=0, showlegend=False, yaxis=hidden,
        xaxis={"title": {"text": "ε"}, "showgrid": False},
    )  # fmt: skip


def _side(days: Sequence[date]) -> int:
    """Of a square, in pixels, so that those of neighbouring days stay apart."""
    wide = (days[-1] - days[0]).days + 1 if days else 1
    return max(4, min(16, 340 // max(1, min(wide, 2 * len(days)))))


def _role(band: Band, place: int) -> str:
    """States keep the colours that they have everywhere."""
    return _STATES.get(band.query.removeprefix("state="), str(place % 8 + 1))
