"""A month as one CSV table. Cells that a spreadsheet would run as a formula are neutralised."""

import csv
import io
from collections.abc import Iterator

from dpgov.oversight.month.month import MonthFigures
from dpgov.web.spreadsheet import safe_cell

_HEAD = (
    "month", "about", "name", "reason", "asked", "spent", "for free", "not charged",
    "near the limit of one question", "refused", "largest refused",
)  # fmt: skip


def csv_of(figures: MonthFigures) -> str:
    """A heading, a line for each dataset and person, and one for each kind of refusal."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_HEAD)
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
