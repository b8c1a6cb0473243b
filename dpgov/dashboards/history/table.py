"""A table of questions: one row each, in an order that says nothing about the data.

By when they were asked, dataset, analyst or price; never by state, which would tell how long an
answer took.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from uuid import UUID

from django.db.models import F, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext, pgettext_lazy

from dpgov.budgets.words import question
from dpgov.privacy.accounting.decimals import as_text
from dpgov.queries.models import Query
from dpgov.queries.selectors import STATE_WORDS, public_state
from dpgov.queries.wording.words import in_words
from dpgov.tenants.models import Membership
from dpgov.tenants.permissions import Permission, may

NEWEST_FIRST = "-submitted_at"


@dataclass(frozen=True, slots=True)
class ListColumn:
    """A heading, what stands under it, and the fields to sort by, if it can be sorted."""

    name: str
    label: str | Promise
    cell: Callable[[Query], str]
    sort: tuple[str, ...] = ()
    heading_kind: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """Of a column: `next` is the order that a click asks for; `sorted` how it is sorted now."""

    column: ListColumn
    next: str
    sorted: str


@dataclass(frozen=True, slots=True)
class QuestionTable:
    """Its columns' headings, and the cells of each question under them."""

    headings: tuple[Heading, ...]
    rows: tuple[tuple[tuple[Heading, str], ...], ...]


def _moment(query: Query) -> str:
    """In the zone of the page."""
    moment = timezone.localtime(query.submitted_at)
    return date_format(moment, pgettext("date format", "j M Y, H:i"))


def _asked(query: Query) -> str:
    """The plan in words, as the link to its answer."""
    href = reverse("queries:detail", args=[query.pk])
    return format_html('<a href="{}">{}</a>', href, in_words(query.plan))


def _price(query: Query) -> str:
    """Exactly; ρ, which is the exception, says so."""
    currency = query.dataset.budget.currency
    return (
        as_text(query.cost_nano) if currency.delta is None else question(query.cost_nano, currency)
    )


def _state(query: Query) -> str:
    """The public state as a word and a mark."""
    state = public_state(query)
    return format_html('<span class="state state-{}">{}</span>', state, STATE_WORDS[state])


_ANALYST = ListColumn(
    "analyst",
    pgettext_lazy("person", "By"),
    lambda query: str(query.analyst),
    ("analyst__name", "analyst__email"),
)
_COLUMNS = (
    ListColumn("submitted_at", _("Asked"), _moment, ("submitted_at",), kind="when"),
    ListColumn(
        "dataset",
        _("Dataset"),
        lambda query: query.dataset.name,
        ("dataset__name",),
        kind="dataset-name",
    ),
    _ANALYST,
    ListColumn("question", _("Question"), _asked, kind="question"),
    ListColumn(
        "cost_nano", "ε", _price, ("cost_nano",), heading_kind="number", kind="number can-wrap"
    ),
    ListColumn("state", _("State"), _state),
)
_SORTS = {column.name: column.sort for column in _COLUMNS if column.sort}


def columns_for(membership: Membership) -> tuple[ListColumn, ...]:
    """Who sees only their own questions needs no column that says so."""
    if may(membership, Permission.VIEW_ALL_QUERIES):
        return _COLUMNS
    return tuple(column for column in _COLUMNS if column is not _ANALYST)


def sorting(text: str) -> str:
    """The wanted order if it is one of those on offer, else the newest first."""
    return text if text.removeprefix("-") in _SORTS else NEWEST_FIRST


def in_order(queries: QuerySet[Query], sort: str) -> QuerySet[Query]:
    """By an order of `sorting`."""
    fields = (F(name) for name in _SORTS[sort.removeprefix("-")])
    falls = sort.startswith("-")
    return queries.order_by(*(field.desc() if falls else field.asc() for field in fields))


def question_table(
    queries: Iterable[Query],
    columns: Sequence[ListColumn],
    *,
    sort: str = "",
    allocations: Mapping[UUID, str] = MappingProxyType({}),
) -> QuestionTable:
    """These questions as they come; with `sort`, that order is shown and others are on offer.

    `allocations` are those that were charged, by question.
    """
    headings = tuple(_heading(column, sort) for column in columns)

    def cell(heading: Heading, query: Query) -> str:
        made = heading.column.cell(query)
        if heading.column.name != "question" or query.pk not in allocations:
            return made
        words = _("(allocation: %(holder)s)") % {"holder": allocations[query.pk]}
        return format_html('{} <small class="text-body-secondary">{}</small>', made, words)

    rows = (tuple((heading, cell(heading, query)) for heading in headings) for query in queries)
    return QuestionTable(headings, tuple(rows))


def _heading(column: ListColumn, sort: str) -> Heading:
    if not (sort and column.sort):
        return Heading(column, "", "")
    if sort.removeprefix("-") != column.name:
        return Heading(column, column.name, "")
    if sort.startswith("-"):
        return Heading(column, column.name, "descending")
    return Heading(column, f"-{column.name}", "ascending")
