"""Dates grouped by the calendar: each month on its own, or all Mondays together.

Bins come from the declared first and last date alone, empty or not. A part is never finer than the
declared step, and weeks go into no month: they begin in one and end in another. Months have no
common length: of days and hours those of the year are the months of the declared range, each a
range of codes that falls into one of twelve bins.
"""

from enum import StrEnum

from dpgov.privacy.plan.bins import CodeGrouping
from dpgov.privacy.plan.calendar import DateStep, number_of, period_text, start_of
from dpgov.privacy.plan.predicates import first_code
from dpgov.privacy.plan.schema import DateDomain


class CalendarPart(StrEnum):
    """What dates can be grouped by, as plans name it: periods, then places in a round."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    HOUR_OF_DAY = "hour_of_day"
    WEEKDAY = "weekday"
    MONTH_OF_YEAR = "month_of_year"
    QUARTER_OF_YEAR = "quarter_of_year"

    @property
    def in_order(self) -> bool:
        """Whether its bins follow each other in time."""
        return self.value in tuple(DateStep)


_PERIODS = (DateStep.DAY, DateStep.MONTH, DateStep.QUARTER, DateStep.YEAR)
_OF_YEAR = (CalendarPart.QUARTER_OF_YEAR, CalendarPart.MONTH_OF_YEAR)
# Which parts a step has: every one of its periods lies in one bin.
PARTS: dict[DateStep, tuple[CalendarPart, ...]] = {
    DateStep.HOUR: (
        *map(CalendarPart, (DateStep.HOUR, DateStep.DAY, DateStep.WEEK, *_PERIODS[1:])),
        *_OF_YEAR,
        CalendarPart.WEEKDAY,
        CalendarPart.HOUR_OF_DAY,
    ),
    DateStep.DAY: (
        *map(CalendarPart, (DateStep.DAY, DateStep.WEEK, *_PERIODS[1:])),
        *_OF_YEAR,
        CalendarPart.WEEKDAY,
    ),
    DateStep.WEEK: (CalendarPart.WEEK,),
    DateStep.MONTH: (*map(CalendarPart, _PERIODS[1:]), *_OF_YEAR),
    DateStep.QUARTER: (*map(CalendarPart, _PERIODS[2:]), CalendarPart.QUARTER_OF_YEAR),
    DateStep.YEAR: (CalendarPart.YEAR,),
}
# For each step the length of a round, and for each of its bins how many periods.
_ROUNDS: dict[tuple[DateStep, CalendarPart], tuple[int, int]] = {
    (DateStep.HOUR, CalendarPart.HOUR_OF_DAY): (24, 1),
    (DateStep.HOUR, CalendarPart.WEEKDAY): (168, 24),
    (DateStep.DAY, CalendarPart.WEEKDAY): (7, 1),
    (DateStep.MONTH, CalendarPart.MONTH_OF_YEAR): (12, 1),
    (DateStep.MONTH, CalendarPart.QUARTER_OF_YEAR): (12, 3),
    (DateStep.QUARTER, CalendarPart.QUARTER_OF_YEAR): (4, 1),
}
# What has no rounds of equal length: its periods, and how many of them make a year.
_FOLDED: dict[CalendarPart, tuple[DateStep, int]] = {
    CalendarPart.MONTH_OF_YEAR: (DateStep.MONTH, 12),
    CalendarPart.QUARTER_OF_YEAR: (DateStep.QUARTER, 4),
}


def names_of(part: CalendarPart, domain: DateDomain) -> tuple[str, ...]:
    """The bins: periods in ISO 8601; 00 to 23, 1 (Monday) to 7, 01 to 12, 1 to 4 in a round."""
    if part.in_order:
        step = DateStep(part.value)
        return tuple(period_text(step, number) for number in _numbers(step, domain))
    first = 0 if part is CalendarPart.HOUR_OF_DAY else 1
    digits = 2 if part in (CalendarPart.HOUR_OF_DAY, CalendarPart.MONTH_OF_YEAR) else 1
    last = first + how_many(part, domain)
    return tuple(f"{number:0{digits}}" for number in range(first, last))


def how_many(part: CalendarPart, domain: DateDomain) -> int:
    """How many bins there are, without making them."""
    if part.in_order:
        return len(_numbers(DateStep(part.value), domain))
    if _is_folded(part, domain):
        return _FOLDED[part][1]
    long, wide = _ROUNDS[domain.unit, part]
    return long // wide


def how_many_ranges(part: CalendarPart, domain: DateDomain) -> int:
    """In how many ranges of codes a row is looked up."""
    if _is_folded(part, domain):
        return len(_numbers(_FOLDED[part][0], domain))
    return how_many(part, domain)


def _is_folded(part: CalendarPart, domain: DateDomain) -> bool:
    return part in _FOLDED and (domain.unit, part) not in _ROUNDS


def by_calendar(part: CalendarPart, column: int, domain: DateDomain) -> CodeGrouping:
    """The bins over codes, in the order of their names."""
    if part.in_order:
        return CodeGrouping(column, _ranges(DateStep(part.value), domain))
    if _is_folded(part, domain):
        step, folds = _FOLDED[part]
        # Period 0 of the calendar begins a year.
        enters = _numbers(step, domain)[0] % folds
        return CodeGrouping(column, _ranges(step, domain), folds=folds, enters=enters)
    long, wide = _ROUNDS[domain.unit, part]
    ranges = tuple((low, low + wide - 1) for low in range(0, long, wide))
    # Period 0 of the calendar begins a year, and on a Monday.
    return CodeGrouping(column, ranges, turns=long, start=domain.first % long)


def _ranges(step: DateStep, domain: DateDomain) -> tuple[tuple[int, int], ...]:
    """The codes of each period, cut off at the declared ends."""
    starts = [first_code(start_of(step, n), domain) for n in _numbers(step, domain)]
    ends = [start - 1 for start in starts[1:]] + [domain.top]
    return tuple(zip((0, *starts[1:]), ends, strict=True))


def _numbers(step: DateStep, domain: DateDomain) -> range:
    ends = (start_of(domain.unit, domain.first + code) for code in (0, domain.top))
    low, high = (int(number_of(step, second)) for second in ends)
    return range(low, high + 1)
