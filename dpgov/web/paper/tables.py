"""Tables of the one layout: a head that is repeated on each page, a rule under each row.

The library's own tables measure every cell twice and draw each of its lines as a paragraph, which
took a second for a month of 200 budgets. Here a text that fits its column, as nearly all do, is
measured once and drawn as it is.
"""

from collections.abc import Sequence
from typing import cast

from fpdf.enums import MethodReturnValue

from dpgov.web.paper.page import FONT, RULE, Paper

Rows = Sequence[Sequence[str]]
_SIZE, _LINE = 8.5, 5
_HEAD_FILL = (232, 238, 237)


def table(
    page: Paper, head: Sequence[str], rows: Rows, widths: Sequence[float], *, words: bool = False
) -> None:
    """A table whose head, if any, is repeated on each page; of `words` all columns stand left.

    `widths` are shares of the page's width. A row is broken over pages only if it is higher than
    one.
    """
    page.set_draw_color(*RULE)
    shares = page.epw / sum(widths)
    made = _Table(page, head, [width * shares for width in widths], words=words)
    made.write_head()
    page.set_font(FONT, size=_SIZE)
    for row in rows:
        made.write(row)
    page.ln(2)


class _Table:
    """Where a table stands, how wide its columns are, and what is repeated above them."""

    def __init__(
        self, page: Paper, head: Sequence[str], widths: Sequence[float], *, words: bool
    ) -> None:
        self._page, self._head, self._widths = page, head, widths
        self._aligned = ["L", *("L" if words else "R" for _ in widths[1:])]

    def write_head(self) -> None:
        """The names of the columns, if they have any."""
        if not self._head:
            return
        page = self._page
        page.set_font(FONT, "B", _SIZE)
        lines = self._lines(self._head)
        # Never a head alone at the foot of a page.
        if page.will_page_break((len(lines) + 1) * _LINE):
            page.add_page()
        page.set_fill_color(*_HEAD_FILL)
        for line in lines:
            self._draw(line, filled=True)
        self._rule()
        page.set_font(FONT, size=_SIZE)

    def write(self, row: Sequence[str]) -> None:
        """One row, on the next page if it does not fit on this one."""
        lines = self._lines(row)
        if self._page.will_page_break(len(lines) * _LINE):
            self._next_page()
        for line in lines:
            if self._page.will_page_break(_LINE):
                self._next_page()
            self._draw(line)
        self._rule()

    def _next_page(self) -> None:
        self._page.add_page()
        self.write_head()

    def _lines(self, row: Sequence[str]) -> list[list[str]]:
        """The row as lines of the page: of each the text in every column."""
        broken = [self._broken(text, width) for text, width in zip(row, self._widths, strict=True)]
        return [
            [lines[place] if place < len(lines) else "" for lines in broken]
            for place in range(max(map(len, broken)))
        ]

    def _broken(self, text: str, width: float) -> list[str]:
        page = self._page
        room = width - 2 * page.c_margin
        if "\n" not in text and page.get_string_width(text) <= room:
            return [text]
        lines = page.multi_cell(
            width, _LINE, text, align="L", dry_run=True, output=MethodReturnValue.LINES
        )
        return [str(line) for line in cast("list[str]", lines)] or [""]

    def _draw(self, line: Sequence[str], *, filled: bool = False) -> None:
        page = self._page
        for text, width, align in zip(line, self._widths, self._aligned, strict=True):
            if text or filled:
                page.cell(width, _LINE, text, align=align, fill=filled)
            else:
                page.set_x(page.get_x() + width)
        page.ln(_LINE)

    def _rule(self) -> None:
        page = self._page
        page.line(page.l_margin, page.get_y(), page.l_margin + page.epw, page.get_y())
