"""A released answer on paper: what its page shows, to keep beside a result or to hand on.

Works from the stored release alone, as page, CSV and JSON do. Equal releases give equal bytes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import segno
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dpgov.budgets.words import question
from dpgov.privacy.answer.body import is_alike, read_body
from dpgov.queries.models import Query, Release
from dpgov.queries.wording.charged import rows_read, used_in_words
from dpgov.queries.wording.downloads import citation
from dpgov.queries.wording.guarantee import joint_in_words
from dpgov.queries.wording.presentation import Answer
from dpgov.queries.wording.regressions import conditions
from dpgov.queries.wording.rounds import read_rounds, whole_of
from dpgov.queries.wording.words import in_words
from dpgov.web.paper.page import INK, LINE, Paper, heading, started, text
from dpgov.web.paper.tables import table

_MOST_ROWS = 200
_CODE_MM = 32


@dataclass(frozen=True, slots=True)
class PrintedSource:
    """Whose answer it is, and where it and its receipt are found."""

    organisation: str
    address: str
    receipt: str


def as_pdf(query: Query, release: Release, places: PrintedSource) -> bytes:
    """Question, numbers with their error at 95%, price, dataset, noise, citation and receipt."""
    body = read_body(release.body)
    rounds = read_rounds(body)
    answer = whole_of(body, rounds, range(_MOST_ROWS) if is_alike(body) else None)
    page = started(
        in_words(query.plan),
        f"{query.dataset.name}, {places.organisation}",
        made=query.submitted_at,
        language=get_language() or "en",
        numbering=_("page {page} of {pages}"),
    )
    if joint := joint_in_words(body):
        text(page, joint)
    for finding in answer.findings:
        text(page, f"{finding.sentence} {finding.scope}")
    for one in rounds:
        _numbers(page, one.answer, one.title)
    if not rounds:
        _numbers(page, answer, _("Answer"))
        for condition in conditions(body):
            text(page, condition)
    _facts(page, query, release)
    _noise(page, answer)
    heading(page, _("Privacy cost"))
    for sentence in (used_in_words(query), *answer.guarantee):
        text(page, sentence)
    _cited(page, query, places, body.get("joint", {}).get("parties", 0))
    return bytes(page.output())


def _numbers(page: Paper, answer: Answer, title: str) -> None:
    heading(page, title)
    if answer.grouped:
        rows = list(_rows(answer))
        heads = [*answer.columns, *(_head(s.label) for s in answer.statistics)]
        widths = [1.0] * len(heads)
        table(page, heads, rows[:_MOST_ROWS], widths)
        if answer.groups > _MOST_ROWS:
            left_out = _("These are the first {shown} of {all} groups; the CSV file has all.")
            text(page, left_out.format(shown=_MOST_ROWS, all=answer.groups))
    else:
        singles = [(s.label, s.cells[0].value, s.cells[0].errors[1]) for s in answer.statistics]
        head = (_("Statistic"), _("Value"), _("Error at 95%"))
        table(page, head, singles, (2, 1, 1))
        for statistic in answer.singles:
            text(page, statistic.warning or f"{statistic.label}: {statistic.cells[0].interval}")
    for aim in answer.aims:
        text(page, aim)
    text(
        page,
        _(
            "Every number holds random noise: it may be too high, too low, or below zero where "
            "that cannot be."
        ),
    )


def _head(label: str) -> str:
    return _("{statistic} (error at 95%)").format(statistic=label)


def _rows(answer: Answer) -> Iterator[tuple[str, ...]]:
    for labels, cells in answer.rows:
        yield (*labels, *(f"{cell.value}{cell.within}" for cell in cells))


def _facts(page: Paper, query: Query, release: Release) -> None:
    """What was asked, of what, by whom, when and at which price."""
    currency = query.dataset.budget.currency
    facts = [
        (_("Dataset"), query.dataset.name),
        (_("Version"), str(query.version.number)),
        (_("Asked by"), str(query.analyst)),
        (_("Asked"), f"{query.submitted_at:%Y-%m-%d %H:%M} UTC"),
        (_("Price"), _("nothing") if query.reuse else question(query.cost_nano, currency)),
        (_("SHA-256 of the answer"), release.sha256),
    ]
    if rows := rows_read(query):
        facts.insert(2, (_("Rows"), rows))
    heading(page, _("Facts"))
    table(page, (), facts, (1, 3), words=True)


def _noise(page: Paper, answer: Answer) -> None:
    """The draws; a free answer out of stored ones has none of its own."""
    if not answer.drawings:
        return
    heading(page, _("Noise"))
    head = (_("Statistics"), _("Noise"), _("Price"), _("Noise scale"))
    rows = [(one.label, one.mechanism, one.price, one.noise_scale) for one in answer.drawings]
    table(page, head, rows, (3, 2, 1, 1), words=True)


def _cited(page: Paper, query: Query, places: PrintedSource, parties: int) -> None:
    """How to cite it, and the way to its receipt, in words and as a QR code."""
    heading(page, _("Citation"))
    known = {"organisation": places.organisation, "address": places.address}
    text(page, citation(query, **known, parties=parties))
    if page.will_page_break(_CODE_MM + 3 * LINE):
        page.add_page()
    text(
        page,
        _("Its receipt, with the proof that it stands in the log: {address}").format(
            address=places.receipt
        ),
    )
    _code(page, places.receipt)


def _code(page: Paper, address: str) -> None:
    """The address as a QR code, square by square."""
    matrix = segno.make(address, error="m", micro=False).matrix
    side = _CODE_MM / len(matrix)
    page.set_fill_color(*INK)
    left, top = page.l_margin, page.get_y() + 2
    for y, row in enumerate(matrix):
        for x, dark in enumerate(row):
            if dark:
                # A little wider, so that no reader draws a seam between two of them.
                page.rect(left + x * side, top + y * side, side * 1.03, side * 1.03, style="F")
