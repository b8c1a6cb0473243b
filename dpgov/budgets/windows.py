"""Calendar days, weeks (from Monday) and months, in the installation's time zone.

A window begins at a local midnight, however long that day is, so neither the change of the clocks
nor a leap day lengthens or repeats one.
"""

from datetime import date, datetime, timedelta

from django.utils import timezone


def day_of(moment: datetime) -> date:
    """The local calendar day of a moment."""
    return timezone.localtime(moment, timezone.get_default_timezone()).date()


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
