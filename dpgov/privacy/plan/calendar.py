"""Dates as integers: periods of one length, numbered on the proleptic Gregorian calendar.

Period 0 of each step is the one that holds midnight of 0001-01-01, a Monday. Moments are whole
seconds of a wall clock since then: no time zone and no clock is known here. All arithmetic is on
integers and works on NumPy arrays too. Weeks begin on Mondays (ISO 8601).
"""

import re
from enum import StrEnum
from typing import Any, NamedTuple

from dpgov.language.said import pattern, said

_HOUR, _DAY = 3_600, 86_400
# Days from 0000-03-01, where the arithmetic begins, to 0001-01-01; and in 400 years.
_BEFORE, _ERA = 306, 146_097


class DateStep(StrEnum):
    """The periods that dates are counted in, the finest first."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"

    def __repr__(self) -> str:
        """Never changed: invented rows, and what joint parties compare, follow a domain's repr."""
        return f"<Step.{self.name}: {self.value!r}>"


# How far two neighbouring dates of a column lie apart.
STEP_WORDS = {
    DateStep.HOUR: pattern("one hour"),
    DateStep.DAY: pattern("one day"),
    DateStep.WEEK: pattern("one week"),
    DateStep.MONTH: pattern("one month"),
    DateStep.QUARTER: pattern("one quarter"),
    DateStep.YEAR: pattern("one year"),
}


class PeriodSpan(NamedTuple):
    """A named period: from its first second to the one after its last."""

    start: int
    end: int


class NotADate(ValueError):
    """The text names no period; the message says how dates are written."""

    def __init__(self, text: object) -> None:
        super().__init__(
            said(
                "“{text}” is no date: write 2024-01-31, 2024-01, 2024 or 2024-01-31T14.",
                text=str(text)[:60],
            )
        )


def days_of(year: Any, month: Any, day: Any) -> Any:
    """The number of a day (H. Hinnant, chrono-compatible low-level date algorithms)."""
    year = year - (month <= 2)
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * _ERA + of_era * 365 + of_era // 4 - of_era // 100 + of_year - _BEFORE


def date_of(days: Any) -> tuple[Any, Any, Any]:
    """Year, month and day of a day's number."""
    shifted = days + _BEFORE
    era = shifted // _ERA
    of_era = shifted - era * _ERA
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    place = (5 * of_year + 2) // 153
    month = (place + 2) % 12 + 1
    return year + era * 400 + (month <= 2), month, of_year - (153 * place + 2) // 5 + 1


def days_in(year: Any, month: Any) -> Any:
    """How many days a month has."""
    return days_of(year + month // 12, month % 12 + 1, 1) - days_of(year, month, 1)


def number_of(step: DateStep, second: Any) -> Any:
    """The number of the period that a moment lies in."""
    if step is DateStep.HOUR:
        return second // _HOUR
    days = second // _DAY
    if step is DateStep.DAY:
        return days
    if step is DateStep.WEEK:
        return days // 7
    year, month, _ = date_of(days)
    return ((year - 1) * 12 + month - 1) // _MONTHS[step]


_MONTHS = {DateStep.MONTH: 1, DateStep.QUARTER: 3, DateStep.YEAR: 12}


def start_of(step: DateStep, number: int) -> int:
    """The first second of a period."""
    if step is DateStep.HOUR:
        return number * _HOUR
    if step in _MONTHS:
        months = number * _MONTHS[step]
        return int(days_of(months // 12 + 1, months % 12 + 1, 1)) * _DAY
    return number * _DAY * (7 if step is DateStep.WEEK else 1)


def period_text(step: DateStep, number: int) -> str:
    """A period's name: 2024, 2024-Q1, 2024-01, 2024-W05, 2024-01-31 or 2024-01-31T14."""
    days, second = divmod(start_of(step, number), _DAY)
    year, month, day = date_of(days)
    if step is DateStep.WEEK:
        # A week belongs to the year of its Thursday.
        year = date_of(days + 3)[0]
        return f"{year:04}-W{(days - _first_week(year)) // 7 + 1:02}"
    return {
        DateStep.YEAR: f"{year:04}",
        DateStep.QUARTER: f"{year:04}-Q{(month + 2) // 3}",
        DateStep.MONTH: f"{year:04}-{month:02}",
        DateStep.DAY: f"{year:04}-{month:02}-{day:02}",
        DateStep.HOUR: f"{year:04}-{month:02}-{day:02}T{second // _HOUR:02}",
    }[step]


def _first_week(year: int) -> int:
    """The Monday of the week that holds the fourth of January."""
    fourth = int(days_of(year, 1, 4))
    return fourth - fourth % 7


_PERIOD = re.compile(
    r"(?P<year>[0-9]{4})(?:-Q(?P<quarter>[1-4])|-W(?P<week>[0-9]{2})|-(?P<month>[0-9]{2})"
    r"(?:-(?P<day>[0-9]{2})(?:[T ](?P<hour>[0-9]{2})(?::?(?P<minute>[0-9]{2})"
    r"(?::?(?P<second>[0-9]{2}))?)?)?)?)?",
    re.ASCII,
)


def span_of(text: object) -> PeriodSpan:
    """The period that an ISO 8601 text, or a quarter like 2024-Q1, names. Raises NotADate."""
    spelt = str(text).strip().upper() if isinstance(text, int | str) else ""
    found = None if isinstance(text, bool) else _PERIOD.fullmatch(spelt)
    named = None if found is None else _span({k: int(v) for k, v in found.groupdict().items() if v})
    if named is None:
        raise NotADate(text)
    return named


def has_time_of_day(text: str) -> bool:
    """Whether it names less than a day; what is no date has none."""
    try:
        named = span_of(text)
    except NotADate:
        return False
    return named.end - named.start < _DAY


def _span(parts: dict[str, int]) -> PeriodSpan | None:
    year, month, day = parts["year"], parts.get("month", 1), parts.get("day", 1)
    if year < 1 or not 1 <= month <= 12 or not 1 <= day <= days_in(year, month):
        return None
    if "week" in parts:
        start = _first_week(year) + 7 * (parts["week"] - 1)
        real = parts["week"] >= 1 and date_of(start + 3)[0] == year
        return PeriodSpan(start * _DAY, (start + 7) * _DAY) if real else None
    if "hour" in parts:
        return _moment(int(days_of(year, month, day)) * _DAY, parts)
    step = next(s for s in _NAMED_BY if s.value in parts)
    second = int(days_of(year, 3 * parts["quarter"] - 2 if "quarter" in parts else month, day))
    number = int(number_of(step, second * _DAY))
    return PeriodSpan(start_of(step, number), start_of(step, number + 1))


_NAMED_BY = (DateStep.DAY, DateStep.MONTH, DateStep.QUARTER, DateStep.YEAR)


def _moment(midnight: int, parts: dict[str, int]) -> PeriodSpan | None:
    hour, minute, second = (parts.get(name, 0) for name in ("hour", "minute", "second"))
    if hour > 23 or minute > 59 or second > 59:
        return None
    long = 1 if "second" in parts else 60 if "minute" in parts else _HOUR
    start = midnight + hour * _HOUR + minute * 60 + second
    return PeriodSpan(start, start + long)
