"""Calendar days, weeks (from Monday) and months, in the installation's time zone.

A window begins at a local midnight, however long that day is, so neither the change of the clocks
nor a leap day lengthens or repeats one. Nor does a clock that is set forward and back: a budget's
windows are those of the latest day on which anything was counted, until that day is over.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone

from dpgov.budgets.models import RateLimit


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """What is taken of a rate in one window, its first day, and the first day after it."""

    taken_nano: int
    start: date
    end: date


def day_of(moment: datetime) -> date:
    """The local calendar day of a moment."""
    return timezone.localtime(moment, timezone.get_default_timezone()).date()


def as_day(value: date | str) -> date:
    """A day as a statement of our own gave it: SQLite has no type for one."""
    return value if isinstance(value, date) else date.fromisoformat(value)


def counting_day(moment: datetime, latest: date | None) -> date:
    """The day that counts: that of the moment, or the budget's latest one if that is later.

    A clock that was ahead costs patience, and gives no window a second time. `budgets_reserve` in
    sql/ledger.sql says the same.
    """
    return max(day_of(moment), latest or date.min)


def window_start(period: str, day: date) -> date:
    """The first day of the window ("day", "week" or "month") that a day lies in."""
    if period == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if period == "month" else day


def window_end(period: str, start: date) -> date:
    """The first day of the next window: when the rate counts from zero again."""
    if period == "month":
        return (start.replace(day=28) + timedelta(days=4)).replace(day=1)
    return start + timedelta(days=7 if period == "week" else 1)


def window_of(period: str, day: date, rate: RateLimit | None = None) -> Window:
    """The window that a day lies in, and what this rate has counted in it.

    `day` is the `counting_day` of the rate's budget.
    """
    start = window_start(period, day)
    taken = rate.taken_nano if rate is not None and rate.window_start == start else 0
    return Window(taken, start, window_end(period, start))
