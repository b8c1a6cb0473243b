"""A month day by day beside the month before: how many questions were asked, and what they took.

Of the same questions as the tables below it, by the day of submission in UTC and never by when a
question ended. ε is of budgets that count in pure ε; ρ cannot be added to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import zip_longest
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from dpgov.oversight.month.calendar import Month
from dpgov.privacy.accounting.decimals import as_number
from dpgov.queries.wording.plotting import Figure, as_figure, bars, inert


@dataclass(frozen=True)
class Day:
    """What was asked on one day, in numbers and in nano-units of pure ε; where its list is."""

    day: date
    number: int = 0
    nano: int = 0

    @cached_property
    def href(self) -> str:
        """The list of its questions; empty where there is none."""
        if not self.number:
            return ""
        day = self.day.isoformat()
        return f"{reverse('dashboards:history')}?{urlencode({'since': day, 'until': day})}"


@dataclass(frozen=True, slots=True)
class ByDay:
    """Two figures with the rows beside them: (day of the month, this month, month before)."""

    rows: list[tuple[int, Day | None, Day | None]]
    questions: Figure
    epsilon: Figure


def by_day_of(month: Month, sums: Mapping[date, tuple[int, int]]) -> ByDay | None:
    """Both months by day, of the `sums` of `asked_in`; None where nothing was asked in either."""
    if not sums:
        return None
    now, earlier = (days_in(one, sums) for one in (month, month.before()))
    numbers = [[float(one.number) for one in days] for days in (now, earlier)]
    amounts = [[as_number(one.nano) for one in days] for days in (now, earlier)]
    return ByDay(
        rows=busy_days(month, sums),
        questions=_figure((now, earlier), numbers, _("Questions")),
        epsilon=_figure((now, earlier), amounts, "ε"),
    )


def busy_days(
    month: Month, sums: Mapping[date, tuple[int, int]]
) -> list[tuple[int, Day | None, Day | None]]:
    """The days of the month on which something was asked, in it or in the one before.

    None where a month has no such day.
    """
    both = zip_longest(*(days_in(one, sums) for one in (month, month.before())))
    return [
        (place, one, other)
        for place, (one, other) in enumerate(both, 1)
        if (one and one.number) or (other and other.number)
    ]


def days_in(month: Month, sums: Mapping[date, tuple[int, int]]) -> list[Day]:
    """Every day of it, in their order, with what `asked_in` added up."""
    length = (month.after - month.first).days
    days = (month.first.replace(day=number) for number in range(1, length + 1))
    return [Day(day, *sums.get(day, (0, 0))) for day in days]


def _figure(months: Sequence[list[Day]], heights: Sequence[list[float]], title: str) -> Figure:
    """Two bars for each day of the month, this one's first."""
    names = (_("This month"), _("Previous month"))
    roles = ("spent", "rest")
    traces = [
        _bars(name, role, days, tall)
        for name, role, days, tall in zip(names, roles, months, heights, strict=True)
    ]
    return as_figure(
        traces,
        barmode="group",
        hovermode="x unified",
        showlegend=True,
        legend={"traceorder": "normal"},
        xaxis={"title": {"text": _("Day of the month")}, "showgrid": False, "dtick": 5, "tick0": 5},
        yaxis={"title": {"text": title}, "rangemode": "tozero"},
    )


def _bars(name: str, role: str, days: Sequence[Day], heights: list[float]) -> Figure:
    return bars(
        x=[one.day.day for one in days],
        y=heights,
        name=inert(name, 28),
        meta={"role": role, "links": [one.href for one in days]},
        hovertemplate="%{y:,}",
    )
