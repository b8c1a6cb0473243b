"""The questions of a month by day, in colours and by dataset, as their list draws them.

Of the sums that the month's tables are made of; every mark leads to its questions in that list.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import pgettext

from dpgov.oversight.month.month import MonthFigures
from dpgov.queries.pictures.cells import COLOURS, bands_of, map_of
from dpgov.queries.pictures.figures import DayRow, Leads, by_day, heat_map, rows_of, squares_of
from dpgov.queries.wording.plotting import Figure

_DAY = "day"


@dataclass(frozen=True, slots=True)
class MonthBoard:
    """Figures with the rows beside them; `names` are of the datasets of the map."""

    words: str
    colour: str
    in_epsilon: bool
    by_day: Figure
    rows: list[DayRow]
    heat: Figure
    squares: list[tuple[date, list[tuple[int, str]]]]
    names: list[str]


def colour_of(data: Mapping[str, str]) -> str:
    """What an address says that bars are coloured by; by state where it says nothing known."""
    colour = data.get("by", "")
    return colour if colour in COLOURS else "state"


def month_board(figures: MonthFigures, data: Mapping[str, str]) -> MonthBoard | None:
    """Of figures that were read in the colour of this address; None where nothing was asked."""
    if not figures.cells:
        return None
    colour, in_epsilon = colour_of(data), data.get("measure") == "epsilon"
    bands, found = bands_of(figures.cells, colour), map_of(figures.cells)
    leads = Leads(page=reverse("dashboards:history"))
    return MonthBoard(
        words=date_format(figures.month.first, pgettext("month of a year", "F Y")),
        colour=colour,
        in_epsilon=in_epsilon,
        by_day=by_day(bands, leads, _DAY, in_epsilon=in_epsilon),
        rows=rows_of(bands, leads, _DAY),
        heat=heat_map(found, leads, _DAY),
        squares=squares_of(found, leads, _DAY),
        names=[name for _key, name in found.datasets],
    )
