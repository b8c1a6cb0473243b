"""One layout of every PDF: a ruled title, headings, text, page numbers at the foot.

Text is real and in reading order. Equal contents give equal bytes: nothing of the clock, the
machine or chance goes in. A sign that the font does not have is left out, never guessed.
"""

from datetime import datetime
from pathlib import Path

from fpdf import FPDF

_FONTS = Path(__file__).parent / "fonts"
FONT = "DejaVu"
LINE = 6
INK, TEAL, PALE, RULE = (52, 64, 67), (13, 118, 110), (214, 229, 227), (190, 200, 200)


class Paper(FPDF):
    """A page with a footer; everything else is written by the functions below.

    `numbering` are the words of the footer around {page} and {pages}.
    """

    about = ""
    numbering = "page {page} of {pages}"

    def footer(self) -> None:
        """What it is about and where in it one is."""
        self.set_y(-14)
        self.set_font(FONT, size=8)
        numbered = self.numbering.format(page=self.page_no(), pages="{nb}")
        self.cell(0, 5, f"{self.about} · {numbered}", align="R")


def started(
    title: str, about: str, *, made: datetime, language: str = "en", numbering: str = ""
) -> Paper:
    """The first page with its title; `made` is the moment that the file says it is from."""
    page = Paper()
    page.about, page.numbering = about, numbering or page.numbering
    page.add_font(FONT, fname=_FONTS / "DejaVuSans.ttf")
    page.add_font(FONT, style="B", fname=_FONTS / "DejaVuSans-Bold.ttf")
    page.set_lang(language)
    page.set_title(title)
    page.set_subject(about)
    page.set_producer("dpgov")
    page.set_creation_date(made)
    page.set_auto_page_break(auto=True, margin=20)
    page.add_page()
    page.set_fill_color(*TEAL)
    page.rect(page.l_margin, page.t_margin, page.epw, 1.2, style="F")
    page.ln(4)
    heading(page, title, size=18)
    return page


def heading(page: Paper, text: str, *, size: int = 13) -> None:
    """A heading of the text and of the document's outline."""
    if page.will_page_break(6 * LINE):
        page.add_page()
    page.ln(LINE / 2)
    page.start_section(text)
    page.set_font(FONT, "B", size)
    page.multi_cell(0, size * 0.55, text, align="L", new_x="LMARGIN", new_y="NEXT")
    page.ln(LINE / 3)


def text(page: Paper, words: str) -> None:
    """A paragraph."""
    page.set_font(FONT, size=10)
    page.multi_cell(0, 5, words, align="L", new_x="LMARGIN", new_y="NEXT")
    page.ln(1.5)
