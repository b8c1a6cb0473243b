"""A month's figures to keep: as a report on paper (A4, black on white), and as one CSV table.

Text of the report is real and in reading order. Equal figures give equal bytes: nothing of the
clock, the machine or chance goes in. Names are printed as they are; a sign that the font does not
have is left out by name, never guessed. Cells that a spreadsheet would run as a formula are
neutralised.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time
from pathlib import Path

from fpdf import FPDF
from fpdf.fonts import FontFace

from dpgov.oversight.month.month import MonthFigures, Row
from dpgov.web.spreadsheet import safe_cell

_FONTS = Path(__file__).parent / "fonts"
_FONT = "DejaVu"
_LINE = 6
_HEAD = FontFace(emphasis="BOLD", fill_color=(232, 238, 237))
_COLUMNS = ("Asked", "Spent", "For free", "Not charged", "Near the limit", "Refused")

Rows = Sequence[Sequence[str]]


class _Page(FPDF):
    """A page with a footer; everything else is written by the functions below."""

    about = ""

    def footer(self) -> None:
        """What it is about and where in it one is."""
        self.set_y(-14)
        self.set_font(_FONT, size=8)
        self.cell(0, 5, f"{self.about} · page {self.page_no()} of {{nb}}", align="R")


def report_of(tenant: str, figures: MonthFigures) -> bytes:
    """The PDF of a month."""
    title = f"Privacy budgets in {figures.month.first:%B %Y}"
    page = _started(title, tenant, figures)
    _heading(page, title, size=18)
    _text(page, f"{tenant}. Months are counted in UTC, from the first day to the last.")
    _text(page, _summary(figures))
    _lines(page, "By dataset", "Dataset", figures.datasets)
    _lines(page, "By person", "Person", figures.people)
    _refusals(page, figures)
    _others(page, figures)
    _heading(page, "How to read this")
    for sentence in _NOTES:
        _text(page, sentence)
    return bytes(page.output())


def _started(title: str, tenant: str, figures: MonthFigures) -> _Page:
    page = _Page()
    page.about = f"{tenant}, {figures.month.text}"
    page.add_font(_FONT, fname=_FONTS / "DejaVuSans.ttf")
    page.add_font(_FONT, style="B", fname=_FONTS / "DejaVuSans-Bold.ttf")
    page.set_lang("en")
    page.set_title(title)
    page.set_subject(page.about)
    page.set_producer("dpgov")
    page.set_creation_date(datetime.combine(figures.month.after, time.min, UTC))
    page.set_auto_page_break(auto=True, margin=20)
    page.add_page()
    return page


def _summary(figures: MonthFigures) -> str:
    nearly = ", ".join(dataset.name for dataset in figures.nearly_spent)
    return (
        f"{figures.asked} questions were accepted and {figures.refused} refused; {figures.near} "
        "cost at least nine tenths of what one question may. "
        + (
            f"Nine tenths of the budget or more are taken of: {nearly}."
            if nearly
            else "No budget is nearly spent."
        )
    )


def _heading(page: _Page, text: str, *, size: int = 13) -> None:
    """A heading of the text and of the document's outline."""
    if page.will_page_break(6 * _LINE):
        page.add_page()
    page.ln(_LINE / 2)
    page.start_section(text)
    page.set_font(_FONT, "B", size)
    page.multi_cell(0, size * 0.55, text, new_x="LMARGIN", new_y="NEXT")
    page.ln(_LINE / 3)


def _text(page: _Page, text: str) -> None:
    page.set_font(_FONT, size=10)
    page.multi_cell(0, 5, text, new_x="LMARGIN", new_y="NEXT")
    page.ln(1.5)


def _table(page: _Page, head: Sequence[str], rows: Rows, widths: Sequence[int]) -> None:
    """A table whose head is repeated on each page."""
    page.set_font(_FONT, size=8.5)
    align = ["LEFT", *("RIGHT" for _ in head[1:])]
    with page.table(
        col_widths=tuple(widths), text_align=tuple(align), headings_style=_HEAD, line_height=5
    ) as table:
        for row in (head, *rows):
            table.row(tuple(row))
    page.ln(2)


def _lines(page: _Page, title: str, first: str, lines: Sequence[Row]) -> None:
    _heading(page, title)
    if not lines:
        _text(page, "Nothing was asked.")
        return
    rows = [
        (x.name, str(x.asked), x.spent, str(x.free), str(x.unpaid), str(x.near), str(x.refused))
        for x in lines
    ]
    _table(page, (first, *_COLUMNS), rows, (50, 16, 34, 20, 22, 24, 20))


def _refusals(page: _Page, figures: MonthFigures) -> None:
    _heading(page, "Refused questions")
    if not figures.refusals:
        _text(page, "No question was refused.")
        return
    rows = [(x.person, x.dataset, x.reason, str(x.number), x.largest) for x in figures.refusals]
    head = ("Person", "Dataset", "Reason", "How many", "Largest")
    _table(page, head, rows, (42, 42, 52, 22, 28))


def _others(page: _Page, figures: MonthFigures) -> None:
    _heading(page, "Decisions and other steps")
    decided = ", ".join(f"{number} {state.lower()}" for state, number in figures.decisions.items())
    _text(page, f"Requests that take two persons: {decided or 'none was decided'}.")
    rows = [(step.words, step.action, str(step.number)) for step in figures.steps]
    if rows:
        _table(page, ("Step in the audit log", "Code", "How many"), rows, (80, 76, 30))


_NOTES = (
    "Spent is what was charged or is still reserved for the questions of this month, exactly, in "
    "what each dataset counts: ε, or ρ under zero-concentrated differential privacy.",
    "For free are questions answered out of stored answers. Not charged are questions that ended "
    "before their data was opened.",
    "Every number here comes from questions, the ledger and the audit log. None comes from the "
    "data, so this report may be shown to anybody who may see the log.",
)


_HEADINGS = (
    "month", "about", "name", "reason", "asked", "spent", "for free", "not charged",
    "near the limit of one question", "refused", "largest refused",
)  # fmt: skip


def csv_of(figures: MonthFigures) -> str:
    """A heading, a line for each dataset and person, and one for each kind of refusal."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_HEADINGS)
    for row in _rows(figures):
        writer.writerow([safe_cell(cell) for cell in (figures.month.text, *row)])
    return text.getvalue()


def _rows(figures: MonthFigures) -> Iterator[tuple[object, ...]]:
    for about, lines in (("dataset", figures.datasets), ("person", figures.people)):
        for line in lines:
            counts = (line.asked, line.spent, line.free, line.unpaid, line.near, line.refused)
            yield (about, line.name, "", *counts, "")
    for one in figures.refusals:
        where = f"{one.person}, {one.dataset}"
        yield ("refusal", where, one.reason, "", "", "", "", "", one.number, one.largest)
