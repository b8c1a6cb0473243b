"""A month as one CSV table: numbers that can be summed, the unit of an amount in its own column.

Cells that a spreadsheet would run as a formula are neutralised.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from dpgov.oversight.month.month import MonthFigures, MonthRow
from dpgov.oversight.month.standing import Stand
from dpgov.oversight.month.surveys import SurveyCharge, cells_of
from dpgov.privacy.accounting.decimals import as_text
from dpgov.web.spreadsheet import safe_text

_HEADINGS = (
    "month", "about", "name", "reason", "asked", "taken", "unit", "for free", "not charged",
    "near the limit of one question", "refused", "largest refused",
    "spent", "limit", "remaining", "spent in the month before", "joint",
)  # fmt: skip
_Cells = tuple[object, ...]


def csv_of(
    figures: MonthFigures, joint: Mapping[str, int], surveys: Sequence[SurveyCharge] = ()
) -> str:
    """A heading, lines for datasets, people and refusals, one for each budget and opened survey.

    Taken is what questions and surveys of the month took, spent what the ledger booked on a budget.
    Somebody who took of two units has a line for each; the counts stand in the first. `joint`: how
    many of a dataset's questions were joint, by its slug.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(_HEADINGS)
    for row in chain(_rows(figures, joint), cells_of(surveys)):
        cells = (*row, *("" for _ in range(len(_HEADINGS) - 1 - len(row))))
        writer.writerow([safe_text(cell) for cell in (figures.month.text, *cells)])
    return text.getvalue()


def _rows(figures: MonthFigures, joint: Mapping[str, int]) -> Iterator[_Cells]:
    for about, lines in (("dataset", figures.datasets), ("person", figures.people)):
        for line in lines:
            yield from _line(about, line, joint.get(line.slug, 0) if line.slug else "")
    for one in figures.refusals:
        where = f"{one.person}, {one.dataset}"
        yield ("refusal", where, one.reason, "", "", one.unit, "", "", "", one.number, one.plain)
    yield from map(_budget, figures.stands)


def _line(about: str, line: MonthRow, joint: object) -> Iterator[_Cells]:
    counts: _Cells = (line.free, line.unpaid, line.near, line.refused)
    amounts = [(as_text(nano), one.unit) for one, nano in line.amounts.items()] or [("0", "")]
    for place, (taken, unit) in enumerate(amounts):
        asked = line.asked if place == 0 else ""
        # The four counts, what only refusals and budgets have, and how many were joint.
        more = (*counts, *("",) * 5, joint) if place == 0 else ()
        yield (about, line.name, "", asked, taken, unit, *more)


def _budget(one: Stand) -> _Cells:
    spent, limit, left, earlier, unit = one.plain()
    nothing = ("",) * 5
    return ("budget", one.name, "", "", "", unit, *nothing, spent, limit, left, earlier)
