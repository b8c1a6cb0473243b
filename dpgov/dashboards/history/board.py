"""All that the picture above the list of questions shows, made of one filter and one range.

An analyst's picture is of their own questions and refusals alone, as the list is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any
from urllib.parse import urlencode

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from dpgov.dashboards.history.figures import tree_map
from dpgov.dashboards.history.filter import HistoryFilter
from dpgov.dashboards.refused import RefusalCount, figure_by_day, refusals_link, refusals_of
from dpgov.queries.models import Refusal
from dpgov.queries.pictures.cells import COLOURS, Map, bands_of, cells_of, map_of
from dpgov.queries.pictures.figures import (
    DayRow,
    Leads,
    by_day,
    heat_map,
    of_dataset,
    rows_of,
    squares_of,
)
from dpgov.queries.wording.over_days import period_of
from dpgov.queries.wording.plotting import Figure
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may
from dpgov.web.span import Span

_MOST_REFUSALS = 50
_KEPT = ("dataset", "analyst", "state", "statistic", "purpose")


@dataclass(frozen=True, slots=True)
class Board:
    """Figures with the rows beside them; `colour` is what bars are coloured by.

    Of the refusals the newest lines, and how many more there are: each day leads to all of its own.
    """

    span: Span
    words: str
    colour: str
    in_epsilon: bool
    period: str
    by_day: Figure
    rows: list[DayRow]
    heat: Figure
    squares: list[tuple[date, list[tuple[int, str]]]]
    names: list[str]
    tree: Figure
    map_rows: list[tuple[str, int, int, str]]
    refused: Figure | None
    refusals: list[tuple[RefusalCount, str]]
    further_refusals: int


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
    leads = Leads(urlencode({name: data[name] for name in _KEPT if data.get(name)}))
    refusals = refusals_of(_refused(membership, chosen, first))
    return Board(
        span=span,
        words=_words(span, first, chosen.get("until")),
        colour=colour,
        in_epsilon=in_epsilon,
        period=period,
        by_day=by_day(bands, leads, period, in_epsilon=in_epsilon),
        rows=rows_of(bands, leads, period),
        heat=heat_map(found, leads, period),
        squares=squares_of(found, leads, period),
        names=[name for _key, name in found.datasets],
        tree=tree_map(found, leads),
        map_rows=_map_rows(found, leads),
        refused=figure_by_day(refusals, leads) if refusals else None,
        refusals=[(one, refusals_link(leads, one.day)) for one in refusals[:_MOST_REFUSALS]],
        further_refusals=len(refusals[_MOST_REFUSALS:]),
    )


def _words(span: Span, first: date | None, until: date | None) -> str:
    """Which days are drawn, beside the titles: the range, or those that the filter names."""
    if first == span.first and until is None:
        return span.words
    day = pgettext("date format", "j M Y")
    first_words = date_format(first, day) if first else _("the beginning")
    return _("%(first)s to %(last)s") % {
        "first": first_words,
        "last": date_format(until or span.today, day),
    }


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
        rows = rows.filter(day__lte=until)
    return rows


def _map_rows(found: Map, leads: Leads) -> list[tuple[str, int, int, str]]:
    return [
        (name, found.number[key].total(), found.nano[key], leads.of(of_dataset(key)))
        for key, name in found.datasets
    ]
