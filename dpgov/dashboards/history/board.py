"""All that the picture above the list of questions shows, made of one filter and one range.

An analyst's picture is of their own questions and refusals alone, as the list is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from dpgov.dashboards.history import figures
from dpgov.dashboards.history.filter import HistoryFilter
from dpgov.dashboards.history.picture import (
    COLOURS,
    Band,
    Map,
    Refused,
    bands_of,
    by_reason,
    cells_of,
    map_of,
    refusals_of,
)
from dpgov.dashboards.span import Span
from dpgov.queries.models import Refusal
from dpgov.queries.wording.over_days import period_of
from dpgov.queries.wording.plotting import Figure
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may

_MOST_REFUSALS = 200
_MOST_DAYS = 60
_KEPT = ("dataset", "analyst", "state", "statistic", "purpose")


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table beside the chart: one bar of one colour, and where it leads."""

    day: date
    word: str
    number: int
    nano: int
    href: str


@dataclass(frozen=True, slots=True)
class Board:
    """Figures with the rows beside them; `colour` is what bars are coloured by."""

    span: Span
    colour: str
    in_epsilon: bool
    period: str
    by_day: Figure
    rows: list[Row]
    heat: Figure
    squares: list[tuple[date, list[tuple[int, str]]]]
    tree: Figure
    map_rows: list[tuple[str, int, int, str]]
    refused: Figure | None
    refusals: list[tuple[Refused, str]]


def with_range(data: QueryDict, today: date) -> QueryDict:
    """What was asked for; a range in it says from when, unless a day does."""
    span = Span.read(data, today, usual="all")
    if span.first is None or data.get("since"):
        return data
    known = data.copy()
    known["since"] = span.first.isoformat()
    return known


def board(
    membership: Membership, filtered: HistoryFilter, data: Mapping[str, str], span: Span
) -> Board:
    """Of the questions that pass the filter; of the span's days where it names no first one."""
    chosen: Mapping[str, Any] = filtered.form.cleaned_data if filtered.form.is_valid() else {}
    today = span.today
    first = chosen.get("since") or span.first
    colour = data.get("by", "") if data.get("by", "") in _colours(membership) else "state"
    in_epsilon = data.get("measure") == "epsilon"
    period = period_of(((chosen.get("until") or today) - first).days if first else 3_650)
    queries = filtered.qs
    if first is not None:
        queries = queries.filter(submitted_at__gte=datetime.combine(first, time.min, UTC))
    cells = cells_of(queries, period, colour)
    bands, found = bands_of(cells, colour), map_of(cells)
    kept = urlencode({name: data[name] for name in _KEPT if data.get(name)})
    refusals = refusals_of(_refused(membership, chosen, first))
    return Board(
        span=span,
        colour=colour,
        in_epsilon=in_epsilon,
        period=period,
        by_day=figures.by_day(bands, kept, period, in_epsilon=in_epsilon),
        rows=_rows(bands, kept, period),
        heat=figures.heat_map(found, kept, period),
        squares=_squares(found, kept, period),
        tree=figures.tree_map(found, kept),
        map_rows=_map_rows(found, kept),
        refused=figures.refused(by_reason(refusals), kept) if refusals else None,
        refusals=[(one, figures.refusals_link(kept, one.day)) for one in refusals[:_MOST_REFUSALS]],
    )


def _colours(membership: Membership) -> list[str]:
    everybody = may(membership, Permission.VIEW_ALL_QUERIES)
    return [name for name in COLOURS if everybody or name != "analyst"]


def _refused(membership: Membership, chosen: Mapping[str, Any], first: date | None) -> Any:
    """Of whoever this person sees questions of; refusals know a dataset, a person and a day."""
    rows = Refusal.objects.filter(tenant=membership.tenant_id)
    if not may(membership, Permission.VIEW_ALL_QUERIES):
        rows = rows.filter(analyst=membership.user_id)
    for name in ("dataset", "analyst"):
        if chosen.get(name):
            rows = rows.filter(**{name: chosen[name]})
    if first is not None:
        rows = rows.filter(day__gte=first)
    if until := chosen.get("until"):
        rows = rows.filter(day__lt=until + timedelta(days=1))
    return rows


def _rows(bands: list[Band], kept: str, period: str) -> list[Row]:
    """The newest first."""
    found = [
        Row(day, band.word, number, band.nano[day], _href(band, kept, day, period))
        for band in bands
        for day, number in band.number.items()
        if number
    ]
    return sorted(found, key=lambda row: (-row.day.toordinal(), -row.number, row.word))


def _href(band: Band, kept: str, day: date, period: str) -> str:
    return figures.link("&".join(part for part in (kept, band.query) if part), day, period)


def _squares(found: Map, kept: str, period: str) -> list[tuple[date, list[tuple[int, str]]]]:
    """The table of the heat map, the newest day first: of each dataset how many, and where to."""
    queries = [(key, figures.query_of(kept, key)) for key, _name in found.datasets]
    return [
        (
            day,
            [(found.number[key][day], figures.link(query, day, period)) for key, query in queries],
        )
        for day in reversed(found.days[-_MOST_DAYS:])
    ]


def _map_rows(found: Map, kept: str) -> list[tuple[str, int, int, str]]:
    rows = []
    for key, name in found.datasets:
        number = found.number[key].total()
        query = "&".join(part for part in (kept, urlencode({"dataset": str(key)})) if part)
        rows.append((name, number, found.nano[key], f"?{query}#questions"))
    return rows
