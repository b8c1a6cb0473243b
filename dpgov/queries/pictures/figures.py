"""Questions as figures: every mark knows where it leads (trace.meta.links, see charts.js)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache, partial
from urllib.parse import urlencode
from uuid import UUID

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from dpgov.privacy.accounting.decimals import as_number
from dpgov.queries.pictures.cells import Band, Map
from dpgov.queries.wording.over_days import bar, days_axis, last_of, over_days
from dpgov.queries.wording.plotting import Figure, as_figure, inert, labelled_axis, scatter

MOST_DAYS = 60
_STATES = {
    "released": "spent",
    "failed": "limit",
    "waiting": "reserved",
    "voided": "rest",
    "expired": "3",
}


@dataclass(frozen=True, slots=True)
class Leads:
    """Where marks lead: to the list of questions, under the filter `kept` that holds already.

    `page` is the address of the list; empty where it stands on the page of the picture.
    """

    kept: str = ""
    page: str = ""

    def of(self, query: str) -> str:
        """To all that this filter finds."""
        found = "&".join(part for part in (self.kept, query) if part)
        return f"{self.page}?{found}#questions"

    def on(self, day: date, period: str, query: str = "") -> str:
        """To what it finds in the bar that begins on this day."""
        found = "&".join(part for part in (self.kept, query, _within(day, period)) if part)
        return f"{self.page}?{found}#questions"


@lru_cache(maxsize=4_096)
def _within(day: date, period: str) -> str:
    """Of a calendar alone, and said hundreds of times on a page."""
    return urlencode({"since": day.isoformat(), "until": last_of(day, period).isoformat()})


@dataclass(frozen=True, slots=True)
class DayRow:
    """A line of the table beside bars by day: one bar of one colour, and where it leads.

    `said` is its day as pages write it.
    """

    day: date
    said: str
    word: str
    number: int
    nano: int
    href: str


def rows_of(bands: Sequence[Band], leads: Leads, period: str) -> list[DayRow]:
    """The newest first."""
    written = pgettext("date format", "j M Y")
    days = {day for band in bands for day in band.number}
    said = {day: date_format(day, written) for day in days}
    found = [
        DayRow(day, said[day], band.word, number, band.nano[day], leads.on(day, period, band.query))
        for band in bands
        for day, number in band.number.items()
        if number
    ]
    return sorted(found, key=lambda row: (-row.day.toordinal(), -row.number, row.word))


def by_day(bands: Sequence[Band], leads: Leads, period: str, *, in_epsilon: bool) -> Figure:
    """Stacked bars, a colour for each band: numbers of questions, or ε."""
    traces = []
    for place, band in enumerate(bands):
        amounts = band.nano if in_epsilon else band.number
        days = sorted(day for day in amounts if amounts[day])
        heights = [as_number(amounts[day]) if in_epsilon else amounts[day] for day in days]
        links = [leads.on(day, period, band.query) for day in days]
        traces.append(bar(band.word, _role(band, place), days, heights, links))
    title = "ε" if in_epsilon else _("Questions")
    return over_days(traces, title)


def heat_map(found: Map, leads: Leads, period: str) -> Figure:
    """Datasets down, days along; the more questions the fuller a square."""
    rows = list(reversed(found.datasets))
    most = max((number for days in found.number.values() for number in days.values()), default=1)
    marks = [
        (day, place, query, label, number)
        for place, (query, label, days) in enumerate(map(partial(_along, found), rows))
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
            "links": [leads.on(day, period, query) for day, _place, query, *_rest in marks],
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


def squares_of(found: Map, leads: Leads, period: str) -> list[tuple[date, list[tuple[int, str]]]]:
    """The table of the heat map, the newest day first: of each dataset how many, and where to."""
    queries = [(key, of_dataset(key)) for key, _name in found.datasets]
    return [
        (day, [(found.number[key][day], leads.on(day, period, query)) for key, query in queries])
        for day in reversed(found.days[-MOST_DAYS:])
    ]


def _along(found: Map, row: tuple[UUID, str]) -> tuple[str, str, Counter[date]]:
    """Of one dataset: the filter that finds it, its name in marks, and its days."""
    key, name = row
    return of_dataset(key), inert(name), found.number[key]


def of_dataset(dataset: UUID) -> str:
    """The filter of one dataset."""
    return urlencode({"dataset": str(dataset)})


def _side(days: Sequence[date]) -> int:
    """Of a square, in pixels, so that those of neighbouring days stay apart."""
    wide = (days[-1] - days[0]).days + 1 if days else 1
    return max(4, min(16, 340 // max(1, min(wide, 2 * len(days)))))


def _role(band: Band, place: int) -> str:
    """States keep the colours that they have everywhere."""
    return _STATES.get(band.query.removeprefix("state="), str(place % 8 + 1))
