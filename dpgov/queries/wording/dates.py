"""Dates and parts of the calendar as people write them: Jan 2024 for 2024-01, Monday for 1.

Works from what a release says of its dates. Files and the API keep ISO 8601.
"""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from django.utils.dates import MONTHS, MONTHS_3, WEEKDAYS
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from dpgov.privacy.plan.by_calendar import CalendarPart
from dpgov.privacy.plan.calendar import DateStep, number_of, period_text, span_of

PARTS_IN_WORDS: dict[str, Callable[[], str]] = {
    CalendarPart.HOUR: lambda: _("hour"),
    CalendarPart.DAY: lambda: _("day"),
    CalendarPart.WEEK: lambda: _("week"),
    CalendarPart.MONTH: lambda: _("month"),
    CalendarPart.QUARTER: lambda: _("quarter"),
    CalendarPart.YEAR: lambda: _("year"),
    CalendarPart.HOUR_OF_DAY: lambda: _("hour of the day"),
    CalendarPart.WEEKDAY: lambda: _("weekday"),
    CalendarPart.MONTH_OF_YEAR: lambda: _("month of the year"),
    CalendarPart.QUARTER_OF_YEAR: lambda: _("quarter of the year"),
}


def first_of(head: Mapping[str, Any]) -> int:
    """The number of the first declared period of a statistic of dates."""
    dates = head["dates"]
    return int(number_of(DateStep(dates["step"]), span_of(dates["from"]).start))


def date_at(value: float, head: Mapping[str, Any]) -> str:
    """The period that a number of a statistic of dates stands for, in words."""
    step = DateStep(head["dates"]["step"])
    return period_shown(period_text(step, first_of(head) + round(value)))


def moved_by(cell: Mapping[str, Any]) -> float:
    """How far the period that stands for a number is from the number: its error has that in it."""
    return abs(cell["value"] - round(cell["value"])) if cell.get("date") else 0.0


def periods_apart(number: str, value: float, step: str) -> str:
    """So many periods: “3 days”."""
    many = 1 if value == 1 else 2
    patterns = {
        DateStep.HOUR: ngettext("{number} hour", "{number} hours", many),
        DateStep.DAY: ngettext("{number} day", "{number} days", many),
        DateStep.WEEK: ngettext("{number} week", "{number} weeks", many),
        DateStep.MONTH: ngettext("{number} month", "{number} months", many),
        DateStep.QUARTER: ngettext("{number} quarter", "{number} quarters", many),
        DateStep.YEAR: ngettext("{number} year", "{number} years", many),
    }
    return patterns[DateStep(step)].format(number=number)


def period_shown(name: str) -> str:
    """A period of ISO 8601 in words; a year and a week stay as they are."""
    year, _dash, rest = name.partition("-")
    if not rest or rest.startswith("W"):
        return name
    if rest.startswith("Q"):
        return f"{rest} {year}"
    month, _dash, day = rest.partition("-")
    if not day:
        return f"{MONTHS_3[int(month)].capitalize()} {year}"
    text = date_format(date(int(year), int(month), int(day[:2])), pgettext("date format", "j M Y"))
    return f"{text} {day[3:]}:00" if len(day) > 2 else text


def bin_shown(name: str, by: str) -> str:
    """The name of a bin by this part of the calendar."""
    if CalendarPart(by).in_order:
        return period_shown(name)
    number = int(name)
    if by == CalendarPart.WEEKDAY:
        return str(WEEKDAYS[number - 1])
    if by == CalendarPart.MONTH_OF_YEAR:
        return str(MONTHS[number])
    return f"{number}:00" if by == CalendarPart.HOUR_OF_DAY else f"Q{number}"
