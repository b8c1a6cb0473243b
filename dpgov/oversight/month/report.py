"""A month's figures to keep and to sign: a report on paper (A4).

Text of the report is real and in reading order. Equal figures give equal bytes: nothing of the
clock, the machine or chance goes in. Names are printed as they are; a sign that the font does not
have is left out by name, never guessed.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, time
from pathlib import Path

from fpdf import FPDF
from fpdf.enums import TableBordersLayout
from fpdf.fonts import FontFace

from dpgov.oversight.month.decisions import Proof
from dpgov.oversight.month.month import MonthFigures, Row
from dpgov.oversight.month.standing import Stand

_FONTS = Path(__file__).parent / "fonts"
_FONT = "DejaVu"
_LINE = 6
_HEAD = FontFace(emphasis="BOLD", fill_color=(232, 238, 237))
_INK, _TEAL, _PALE, _RULE = (52, 64, 67), (13, 118, 110), (214, 229, 227), (190, 200, 200)
_MOST_BARS = 40
_NAME_WIDTH = 62
_VERIFY = (
    "To verify: export the log as JSON lines, take the checkpoint of this size from the folder "
    "outside the database and the public keys from the page of checkpoints, and run: python -m "
    "dpgov.audit.verify EXPORT CHECKPOINT --key KEYS. It must say HOLDS, and the checkpoint must "
    "carry this root hash."
)
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
    page.set_fill_color(*_TEAL)
    page.rect(page.l_margin, page.t_margin, page.epw, 1.2, style="F")
    page.ln(4)
    _heading(page, title, size=18)
    _text(page, f"{tenant}. Months are counted in UTC, from the first day to the last.")
    _text(page, _summary(figures))
    _stands(page, figures.stands)
    _decided(page, figures)
    _lines(page, "By dataset", "Dataset", figures.datasets)
    _lines(page, "By person", "Person", figures.people)
    _refusals(page, figures)
    _others(page, figures)
    _heading(page, "How to read this")
    for sentence in _NOTES:
        _text(page, sentence)
    _proof(page, figures.proof)
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
    page.multi_cell(0, 5, text, align="L", new_x="LMARGIN", new_y="NEXT")
    page.ln(1.5)


def _table(
    page: _Page, head: Sequence[str], rows: Rows, widths: Sequence[int], *, words: bool = False
) -> None:
    """A table whose head is repeated on each page; of `words` all columns stand left."""
    page.set_font(_FONT, size=8.5)
    page.set_draw_color(*_RULE)
    page.set_fill_color(255)
    align = ["LEFT", *("LEFT" if words else "RIGHT" for _ in head[1:])]
    with page.table(
        col_widths=tuple(widths),
        text_align=tuple(align),
        headings_style=_HEAD,
        line_height=5,
        borders_layout=TableBordersLayout.HORIZONTAL_LINES,
    ) as table:
        for row in (head, *rows):
            table.row(tuple(row))
    page.ln(2)


def _stands(page: _Page, stands: Sequence[Stand]) -> None:
    """Limit, spent, left and pace of each budget, and the same as bars."""
    if not stands:
        return
    _heading(page, "Budgets")
    rows = [(one.name, one.limit, one.spent, one.earlier, one.left, one.pace) for one in stands]
    head = ("Dataset", "Limit", "Spent", "Month before", "Remaining", "A week")
    _table(page, head, rows, (56, 24, 26, 28, 26, 26))
    for one in stands[:_MOST_BARS]:
        _bar(page, one)
    _text(page, "Dark: spent before this month. Teal: spent in it. Light: what remained.")


def _bar(page: _Page, one: Stand) -> None:
    if page.will_page_break(_LINE):
        page.add_page()
    page.set_font(_FONT, size=8)
    page.cell(_NAME_WIDTH, 5, one.name[:34])
    left, top, width = page.get_x(), page.get_y() + 0.8, page.epw - _NAME_WIDTH
    for share, colour in zip(one.shares, (_INK, _TEAL, _PALE), strict=True):
        page.set_fill_color(*colour)
        page.rect(left, top, width * share / 1000, 3.4, style="F")
        left += width * share / 1000
    page.ln(5)


def _decided(page: _Page, figures: MonthFigures) -> None:
    """Who asked for what and why, who decided, how and why."""
    _heading(page, "Decisions of two persons")
    if not figures.decided:
        _text(page, "None was decided.")
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
    _table(page, head, rows, (16, 58, 56, 56), words=True)


def _proof(page: _Page, proof: Proof | None) -> None:
    """What the log's signed head was, how to check it, and where to sign."""
    _heading(page, "Proof of the log")
    if proof is None:
        _text(page, "No checkpoint was signed yet, so nothing outside this system proves the log.")
    else:
        signed = f"{proof.at.astimezone(UTC):%d %B %Y, %H:%M} UTC"
        covers = "" if proof.covers else " It does not cover the whole month: print again later."
        _text(page, f"Signed on {signed} over the first {proof.size} entries of the log.{covers}")
        _text(page, f"Root hash: {proof.root}")
        _text(page, _VERIFY)
    if page.will_page_break(3 * _LINE):
        page.add_page()
    page.ln(2 * _LINE)
    page.set_draw_color(*_INK)
    half = page.epw / 2 - 5
    top = page.get_y()
    for place, label in ((0, "Name and signature"), (1, "Place and date")):
        begin = page.l_margin + place * (half + 10)
        page.line(begin, top, begin + half, top)
        page.set_xy(begin, top + 1)
        page.set_font(_FONT, size=8)
        page.cell(half, 5, label)


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
    _heading(page, "Other steps")
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
