"""The rows of a table of questions, made at once and not cell by cell: a page has hundreds.

Gives the table's template what it asks of a row; which columns there are is for the table to say.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dpgov.queries.models import Query

_NOTHING = "—"


@dataclass(frozen=True, slots=True)
class Heading:
    """What every cell of a column has in common."""

    name: str
    header: str
    attrs: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class QuestionLine:
    """One question: `items` are its columns and cells in order."""

    items: tuple[tuple[Heading, Any], ...]

    def get_cell(self, name: str) -> Any:
        """The cell of this column."""
        return next(cell for heading, cell in self.items if heading.name == name)


def lines_of_table(
    columns: Iterable[Any], records: Iterable[Query], made: Mapping[str, Callable[[Query], Any]]
) -> list[QuestionLine]:
    """A line for each question; `made` are the cells that the table makes itself."""
    headings = [
        Heading(column.name, column.header, {"td": {"class": column.attrs["td"].get("class", "")}})
        for column in columns
    ]
    cells = {**_PLAIN, **made}
    return [
        QuestionLine(tuple((heading, cells[heading.name](record)) for heading in headings))
        for record in records
    ]


_PLAIN: dict[str, Callable[[Query], Any]] = {
    "dataset": lambda query: query.dataset.name or _NOTHING,
    "analyst": lambda query: str(query.analyst) or _NOTHING,
}
