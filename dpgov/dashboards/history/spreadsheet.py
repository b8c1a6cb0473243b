"""The list of questions as a CSV file: always in English, whoever asks for it."""

import csv
import io
from collections.abc import Iterator

from django.db.models import QuerySet

from dpgov.joint.selectors import parties_of
from dpgov.language.translation import english
from dpgov.privacy.accounting.decimals import as_text
from dpgov.queries.models import Query
from dpgov.queries.selectors import public_state
from dpgov.queries.wording.words import in_english
from dpgov.web.spreadsheet import safe_text

_HEADINGS = (
    *("submitted", "dataset", "analyst", "question"),
    *("epsilon", "rho", "epsilon_at_delta", "delta"),
    *("state", "id"),
    *("organisations", "may_collude"),
)


def csv_lines(queries: QuerySet[Query]) -> Iterator[str]:
    """A heading and one line a question; texts that a spreadsheet would run are made harmless.

    A joint one says how many organisations its total is of, and how many of them may collude.
    """
    yield _line(_HEADINGS)
    parties = parties_of(queries)
    for query in queries.iterator(chunk_size=500):
        with english():
            line = _line((*_cells(query), *map(str, parties.get(query.pk, ("", "")))))
        yield line


def _cells(query: Query) -> tuple[str, ...]:
    return (
        query.submitted_at.isoformat(timespec="seconds"),
        query.dataset.slug,
        query.analyst.email,
        in_english(query.plan),
        *_price(query),
        public_state(query).value,
        str(query.pk),
    )


def _price(query: Query) -> tuple[str, str, str, str]:
    """What was booked, as ε or as ρ; of ρ also the ε that it has by itself, and at which δ."""
    currency, cost = query.dataset.budget.currency, as_text(query.cost_nano)
    if currency.delta is None:
        return cost, "", "", ""
    return "", cost, as_text(currency.together(query.cost_nano)), currency.delta_text


def _line(cells: tuple[str, ...]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow([safe_text(cell) for cell in cells])
    return line.getvalue()
