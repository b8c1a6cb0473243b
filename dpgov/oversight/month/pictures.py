"""The pictures of the report: each day beside that of the month before, and budgets going down.

ε is of budgets that count in pure ε, as on the page of the month.
"""

from collections.abc import Mapping, Sequence
from datetime import date

from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.course import Course
from dpgov.oversight.month.days import days_in
from dpgov.privacy.accounting.decimals import as_text
from dpgov.web.paper.charts import Box, course, day_bars
from dpgov.web.paper.page import LINE, Paper, heading, text

_CHART, _COURSE, _GAP = 48, 32, 6
_NAME = 34


def by_day(page: Paper, month: Month, sums: Mapping[date, tuple[int, int]]) -> None:
    """Two charts, of questions and of ε; nothing where nothing was asked in either month."""
    if not sums:
        return
    heading(page, "By day")
    pairs = [days_in(one, sums) for one in (month, month.before())]
    numbers, amounts = (
        ([day.number for day in pairs[0]], [day.number for day in pairs[1]]),
        ([day.nano for day in pairs[0]], [day.nano for day in pairs[1]]),
    )
    left, right = _row(page, _CHART)
    day_bars(page, left, "Questions", numbers, str)
    day_bars(page, right, "ε", amounts, as_text)
    _below(page, left)
    before = f"{month.before().first:%B %Y}"
    text(page, f"Dark: this month. Light: {before}. The numbers are in the table Day by day.")


def draw_courses(page: Paper, courses: Sequence[Course], month: Month) -> None:
    """Two budgets beside each other, by the same days."""
    if not courses:
        return
    text(page, "What was left at the end of each day; the broken line is the limit.")
    last = (month.after - month.first).days
    for first in range(0, len(courses), 2):
        boxes = _row(page, _COURSE)
        for box, one in zip(boxes, courses[first : first + 2], strict=False):
            title = f"{one.stand.name[:_NAME]} ({one.stand.currency.symbol})"
            course(page, box, title, one.days, last, as_text)
        _below(page, boxes[0])


def _row(page: Paper, height: float) -> tuple[Box, Box]:
    """Two places beside each other, here or on the next page."""
    if page.will_page_break(height + LINE):
        page.add_page()
    half = (page.epw - _GAP) / 2
    lefts = (page.l_margin, page.l_margin + half + _GAP)
    one, other = (Box(left, page.get_y(), half, height) for left in lefts)
    return one, other


def _below(page: Paper, box: Box) -> None:
    page.set_xy(page.l_margin, box.top + box.height + 2)
