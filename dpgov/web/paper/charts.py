"""Charts of the one layout: two bars for each day, and what was left day by day.

Drawn as rectangles and lines in exact integers, so that equal numbers give equal bytes. A chart
says nothing that a table of the same report does not say.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dpgov.web.paper.page import FONT, INK, PALE, RULE, TEAL, Paper

_TITLE, _FOOT, _SCALE = 7, 5, 16
_SMALL = 7
_FIRST = (1, 5, 10, 15, 20, 25, 30)
Label = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Box:
    """Where a chart stands on its page, in millimetres, title and axis included."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class _Plot:
    """The inner part of a box: days from left to right, amounts from 0 up to `most`."""

    left: float
    bottom: float
    width: float
    height: float
    days: int
    most: int

    def x(self, day: float) -> float:
        """Where a day begins, counted from 0."""
        return self.left + self.width * day / self.days

    def y(self, amount: int) -> float:
        """The height of an amount, as a place on the page."""
        return self.bottom - self.height * amount / self.most


def day_bars(
    page: Paper, box: Box, title: str, pair: tuple[Sequence[int], Sequence[int]], label: Label
) -> None:
    """Two bars for each day: of `pair` the first series dark, the one to compare it with light."""
    most = round_up(max((*pair[0], *pair[1]), default=0))
    plot = _framed(page, box, title, max(map(len, pair)), most, label)
    half = plot.width / plot.days * 0.42
    for place, colour in ((1, PALE), (0, TEAL)):
        page.set_fill_color(*colour)
        for day, amount in enumerate(pair[place]):
            if amount:
                top = plot.y(amount)
                page.rect(plot.x(day + 0.08) + place * half, top, half, plot.bottom - top, "F")


def course(
    page: Paper, box: Box, title: str, days: Sequence[tuple[int, int, int]], last: int, label: Label
) -> None:
    """What was left at the end of each day, with the limit as a broken line above it.

    `days` are the number of a day, what was left and the limit; `last` is that of the month.
    """
    most = round_up(max((max(left, limit) for _day, left, limit in days), default=0))
    plot = _framed(page, box, title, last, most, label)
    if not days:
        return
    lefts = [point for day, left, _ in days for point in _step(plot, day, left)]
    ends = [(plot.x(days[-1][0]), plot.bottom), (plot.x(days[0][0] - 1), plot.bottom)]
    page.set_fill_color(*PALE)
    page.polygon([*lefts, *ends], style="F")
    page.set_draw_color(*TEAL)
    page.set_line_width(0.5)
    page.polyline(lefts)
    page.set_draw_color(*INK)
    page.set_line_width(0.2)
    page.set_dash_pattern(dash=1, gap=1)
    page.polyline([point for day, _, limit in days for point in _step(plot, day, limit)])
    page.set_dash_pattern()


def _step(plot: _Plot, day: int, amount: int) -> list[tuple[float, float]]:
    """Level from the beginning of a day to its end."""
    height = plot.y(amount)
    return [(plot.x(day - 1), height), (plot.x(day), height)]


def round_up(most: int) -> int:
    """The next of 1, 2, 5, 10, 20 and so on: what an axis ends with."""
    power = int(10 ** (len(str(max(1, most))) - 1))
    return next(power * many for many in (1, 2, 5, 10) if power * many >= most)


def _framed(page: Paper, box: Box, title: str, days: int, most: int, label: Label) -> _Plot:
    """Title, axes with their words, and the place that is left for the numbers."""
    page.set_font(FONT, "B", 8)
    page.set_xy(box.left, box.top)
    page.cell(box.width, 5, title)
    height = box.height - _TITLE - _FOOT
    plot = _Plot(
        box.left + _SCALE, box.top + _TITLE + height, box.width - _SCALE, height, days, most
    )
    page.set_font(FONT, size=_SMALL)
    page.set_draw_color(*RULE)
    for amount in (0, most):
        page.line(plot.left, plot.y(amount), plot.left + plot.width, plot.y(amount))
        page.set_xy(box.left, plot.y(amount) - 2)
        page.cell(_SCALE - 1, 4, label(amount), align="R")
    for day in _FIRST:
        page.set_xy(plot.x(day - 0.5) - 5, plot.bottom + 0.5)
        page.cell(10, 4, str(day), align="C")
    return plot
