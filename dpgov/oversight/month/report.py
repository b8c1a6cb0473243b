"""A month's figures to keep and to sign: a report on paper (A4).

Text of the report is real and in reading order. Equal figures give equal bytes: nothing of the
clock, the machine or chance goes in. Names are printed as they are; a sign that the font does not
have is left out by name, never guessed.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, time

from dpgov.oversight.month.course import Course
from dpgov.oversight.month.days import Day, busy_days
from dpgov.oversight.month.decisions import Proof
from dpgov.oversight.month.month import MonthFigures, MonthRow
from dpgov.oversight.month.pictures import by_day, draw_courses
from dpgov.oversight.month.standing import Stand
from dpgov.oversight.month.surveys import SurveyCharge, in_sum
from dpgov.privacy.accounting.decimals import as_text
from dpgov.web.paper.page import FONT, INK, LINE, PALE, TEAL, Paper, heading, started, text
from dpgov.web.paper.tables import table

_MOST_BARS = 40
_NAME_WIDTH = 62
_VERIFY = (
    "To verify: export the log as JSON lines, take the checkpoint of this size from the folder "
    "outside the database and the public keys from the page of checkpoints, and run: python -m "
    "dpgov.audit.verify EXPORT CHECKPOINT --key KEYS. It must say HOLDS, and the checkpoint must "
    "carry this root hash."
)
_COLUMNS = ("Asked", "Taken", "For free", "Not charged", "Near the limit", "Refused")


def report_of(
    tenant: str,
    figures: MonthFigures,
    courses: Sequence[Course] = (),
    surveys: Sequence[SurveyCharge] = (),
) -> bytes:
    """The PDF of a month; `courses` are drawn below its budgets."""
    title = f"Privacy budgets in {figures.month.first:%B %Y}"
    made = datetime.combine(figures.month.after, time.min, UTC)
    page = started(title, f"{tenant}, {figures.month.text}", made=made)
    text(page, f"{tenant}. Months are counted in UTC, from the first day to the last.")
    text(page, _summary(figures))
    for name, number in figures.by_owners:
        text(page, f"{name}, who is a data owner as well, asked {number} of these questions.")
    by_day(page, figures.month, figures.days)
    _stands(page, figures.stands, figures.further)
    draw_courses(page, courses, figures.month)
    _surveys(page, surveys)
    _decided(page, figures)
    _lines(page, "By dataset", "Dataset", figures.datasets)
    _lines(page, "By person", "Person", figures.people)
    _refusals(page, figures)
    _others(page, figures)
    _days(page, figures)
    heading(page, "How to read this")
    for sentence in _NOTES:
        text(page, sentence)
    _proof(page, figures.proof)
    return bytes(page.output())


def _summary(figures: MonthFigures) -> str:
    nearly = ", ".join(one.name for one in figures.nearly_spent)
    return (
        f"{_counted(figures.asked, 'question was', 'questions were')} accepted and "
        f"{figures.refused} refused; {figures.near} cost at least nine tenths of what one question "
        "may. "
        + (
            f"Nine tenths of the budget or more were spent, at the end or by now, of: {nearly}."
            if nearly
            else "No budget was nearly spent."
        )
    )


def _counted(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"


def _first(entries: int) -> str:
    return "the first entry" if entries == 1 else f"the first {entries} entries"


def _stands(page: Paper, stands: Sequence[Stand], further: int) -> None:
    """Limit, spent, left and pace of each budget, and the same as bars; how many more there are."""
    if not stands:
        return
    heading(page, "Budgets")
    rows = [(one.name, one.limit, one.spent, one.earlier, one.left, one.pace) for one in stands]
    head = ("Dataset", "Limit", "Spent", "Previous month", "Remaining", "Per week")
    table(page, head, rows, (56, 24, 26, 28, 26, 26))
    if further:
        others = _counted(further, "further budget", "further budgets")
        text(page, f"{others}, of which nothing was spent in two months: see the table (CSV).")
    for one in stands[:_MOST_BARS]:
        _bar(page, one)
    text(page, "Dark: spent before this month. Teal: spent in it. Light: what remained.")


def _bar(page: Paper, one: Stand) -> None:
    if page.will_page_break(LINE):
        page.add_page()
    page.set_font(FONT, size=8)
    page.cell(_NAME_WIDTH, 5, one.name[:34])
    left, top, width = page.get_x(), page.get_y() + 0.8, page.epw - _NAME_WIDTH
    for share, colour in zip(one.shares, (INK, TEAL, PALE), strict=True):
        page.set_fill_color(*colour)
        page.rect(left, top, width * share / 1000, 3.4, style="F")
        left += width * share / 1000
    page.ln(5)


def _surveys(page: Paper, surveys: Sequence[SurveyCharge]) -> None:
    """What each survey took that was opened in the month, and all of them."""
    if not surveys:
        return
    heading(page, "Surveys")
    rows = [
        (f"{one.day:%d %b}", one.question, one.charged, one.budget or "its own") for one in surveys
    ]
    table(page, ("Day", "Question", "Charged", "Budget"), rows, (16, 92, 28, 50), words=True)
    together = in_sum(surveys)
    text(page, f"Each was charged once, for all its respondents. Together: {together}.")


def _decided(page: Paper, figures: MonthFigures) -> None:
    """Who asked for what and why, who decided, how and why."""
    heading(page, "Decisions of two persons")
    if not figures.decided:
        text(page, "None was decided.")
        return
    rows = [
        (
            f"{one.day:%d %b}",
            one.title,
            f"{one.asked_by}: {one.reason}",
            f"{one.decided_by}, {one.outcome.lower()}{f': {one.answer}' if one.answer else ''}",
        )
        for one in figures.decided
    ]
    head = ("Day", "What", "Asked by, and why", "Decided by, and why")
    table(page, head, rows, (16, 58, 56, 56), words=True)


def _proof(page: Paper, proof: Proof | None) -> None:
    """What the log's signed head was, how to check it, and where to sign."""
    heading(page, "Proof of the log")
    if proof is None:
        text(page, "No checkpoint was signed yet, so nothing outside this system proves the log.")
    else:
        signed = f"{proof.at.astimezone(UTC):%d %B %Y, %H:%M} UTC"
        covers = "" if proof.covers else " It does not cover the whole month: print again later."
        text(page, f"Signed on {signed} over {_first(proof.size)} of the log.{covers}")
        text(page, f"Root hash: {proof.root}")
        text(page, _VERIFY)
    if page.will_page_break(3 * LINE):
        page.add_page()
    page.ln(2 * LINE)
    page.set_draw_color(*INK)
    half = page.epw / 2 - 5
    top = page.get_y()
    for place, label in ((0, "Name and signature"), (1, "Place and date")):
        begin = page.l_margin + place * (half + 10)
        page.line(begin, top, begin + half, top)
        page.set_xy(begin, top + 1)
        page.set_font(FONT, size=8)
        page.cell(half, 5, label)


def _lines(page: Paper, title: str, first: str, lines: Sequence[MonthRow]) -> None:
    heading(page, title)
    if not lines:
        text(page, "Nothing was asked.")
        return
    rows = [
        (x.name, str(x.asked), x.taken, str(x.free), str(x.unpaid), str(x.near), str(x.refused))
        for x in lines
    ]
    table(page, (first, *_COLUMNS), rows, (50, 16, 34, 20, 22, 24, 20))


def _refusals(page: Paper, figures: MonthFigures) -> None:
    heading(page, "Refused questions")
    if not figures.refusals:
        text(page, "No question was refused.")
        return
    rows = [(x.person, x.dataset, x.reason, str(x.number), x.largest) for x in figures.refusals]
    head = ("Person", "Dataset", "Reason", "How many", "Largest")
    table(page, head, rows, (42, 42, 52, 22, 28))


def _others(page: Paper, figures: MonthFigures) -> None:
    heading(page, "Other steps")
    rows = [(step.words, step.action, str(step.number)) for step in figures.steps]
    if rows:
        table(page, ("Step in the audit log", "Code", "How many"), rows, (80, 76, 30))


def _days(page: Paper, figures: MonthFigures) -> None:
    """The numbers of the first two charts."""
    rows = [
        (str(place), *_of_day(now), *_of_day(before))
        for place, now, before in busy_days(figures.month, figures.days)
    ]
    if rows:
        heading(page, "Day by day")
        head = ("Day", "Questions", "ε", "Questions, previous month", "ε, previous month")
        table(page, head, rows, (20, 30, 40, 48, 48))


def _of_day(day: Day | None) -> tuple[str, str]:
    return (str(day.number), as_text(day.nano)) if day else ("", "")


_NOTES = (
    "Spent is what the ledger booked on a budget in the month.",
    "Taken is what the questions of the month cost, reserved included, refunds not taken off. Both "
    "are exact, in ε, or ρ for zero-concentrated differential privacy.",
    "For free are questions answered out of stored answers. Not charged are questions that ended "
    "before their data was opened.",
    "Every number here comes from questions, the ledger and the audit log. None comes from the "
    "data, so this report may be shown to anybody who may see the log.",
)
