"""The history of questions: filters, the table and the CSV file over the same rows.

Shows what `queries.selectors` lets a person see, with the public state only; it can't be sorted or
filtered by anything that would tell how long an answer took.
"""

import csv
import io
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from functools import cached_property, partial
from typing import Any

import django_filters
import django_tables2 as tables
from django import forms
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext, pgettext_lazy

from dpgov.budgets.standing import grants_charged
from dpgov.budgets.words import question
from dpgov.dashboards.history.lines import QuestionLine, lines_of_table
from dpgov.datasets.models import Dataset
from dpgov.language.translation import english
from dpgov.privacy.accounting.budget import as_text
from dpgov.privacy.plan.statistics import STATISTICS
from dpgov.queries.answering.tally import kinds_asked
from dpgov.queries.models import Query
from dpgov.queries.selectors import (
    PublicState,
    analysts_of,
    public_state,
    visible_queries,
    with_public_state,
)
from dpgov.queries.wording.words import in_english, in_words
from dpgov.tenants.models import Membership, User
from dpgov.tenants.permissions import Permission, may
from dpgov.web.long_select import LongSelect
from dpgov.web.spreadsheet import safe_cell

STATE_WORDS = {
    PublicState.WAITING: _("Waiting"),
    PublicState.RELEASED: _("Answered"),
    PublicState.FAILED: _("Failed, charged"),
    PublicState.VOIDED: _("Not run, not charged"),
    PublicState.EXPIRED: _("Expired, not charged"),
}
_STATISTICS = [(one.name, capfirst(_(one.name))) for one in STATISTICS.values()]
# Far from where moments end: no time zone leads beyond.
_FIRST_DAY, _LAST_DAY = date(1970, 1, 1), date(9000, 1, 1)
_SORTS = ("submitted_at", "dataset", "analyst", "cost_nano")
_CSV_HEADINGS = (
    *("submitted", "dataset", "analyst", "question"),
    *("epsilon", "rho", "epsilon_at_delta", "delta"),
    *("state", "id"),
)


def _date_box() -> forms.DateInput:
    return forms.DateInput(attrs={"type": "date", "class": "form-control"})


def _choice_box() -> forms.Select:
    return LongSelect(attrs={"class": "form-select"})


class HistoryFilter(django_filters.FilterSet):  # type: ignore[misc]
    """Filters over the questions that a membership may see."""

    dataset = django_filters.ModelChoiceFilter(
        queryset=Dataset.objects.none(),
        label=_("Dataset"),
        empty_label=_("All datasets"),
        widget=_choice_box(),
    )
    analyst = django_filters.ModelChoiceFilter(
        queryset=User.objects.none(),
        label=pgettext_lazy("person", "Analyst"),
        empty_label=_("Everybody"),
        widget=_choice_box(),
    )
    state = django_filters.ChoiceFilter(
        choices=[(state.value, text) for state, text in STATE_WORDS.items()],
        method="of_state",
        label=_("State"),
        empty_label=_("Any state"),
        widget=_choice_box(),
    )
    statistic = django_filters.ChoiceFilter(
        choices=_STATISTICS,
        method="of_statistic",
        label=_("Statistic"),
        empty_label=pgettext_lazy("statistic", "Any"),
        widget=_choice_box(),
    )
    since = django_filters.DateFilter(
        method="from_day", label=pgettext_lazy("day", "From"), widget=_date_box()
    )
    until = django_filters.DateFilter(
        method="to_day", label=pgettext_lazy("day", "To"), widget=_date_box()
    )

    kinds: Callable[[], set[str]] = set

    class Meta:
        model = Query
        fields: tuple[str, ...] = ()

    def from_day(self, queries: QuerySet[Query], name: str, value: date) -> QuerySet[Query]:
        """From the beginning of that day."""
        return queries.filter(submitted_at__gte=_begin(value))

    def to_day(self, queries: QuerySet[Query], name: str, value: date) -> QuerySet[Query]:
        """To the end of that day."""
        return queries.filter(submitted_at__lt=_begin(value, days=1))

    def of_state(self, queries: QuerySet[Query], name: str, value: str) -> QuerySet[Query]:
        """By the public state, so that the filter tells no more than the page."""
        return with_public_state(queries, PublicState(value))

    def of_statistic(self, queries: QuerySet[Query], name: str, value: str) -> QuerySet[Query]:
        """By the kinds that were noted and name it; a comparison that an index serves."""
        return queries.filter(kind__in=[k for k in self.kinds() if value in k.lower()])


def _begin(day: date, *, days: int = 0) -> datetime:
    """A moment and no function of a column, so that an index leads there."""
    day = min(max(day, _FIRST_DAY), _LAST_DAY) + timedelta(days=days)
    return timezone.make_aware(datetime.combine(day, time.min))


def history_filter(membership: Membership, data: Any) -> HistoryFilter:
    """The filter for this person: choices are limited to what they may see."""
    visible = visible_queries(membership)
    history = HistoryFilter(data, queryset=visible)
    history.kinds = partial(kinds_asked, membership.tenant_id)
    used = Dataset.objects.filter(tenant_id=membership.tenant_id, held_at__isnull=True)
    history.filters["dataset"].queryset = used.order_by("name", "-created_at")
    if may(membership, Permission.VIEW_ALL_QUERIES):
        history.filters["analyst"].queryset = analysts_of(visible)
    else:
        del history.filters["analyst"]
    return history


class QuestionTable(tables.Table):  # type: ignore[misc]
    """One row a question. Sorted by when, dataset, analyst or ε, never by state."""

    submitted_at = tables.Column(verbose_name=_("Asked"), attrs={"td": {"class": "when"}})
    dataset = tables.Column(accessor="dataset__name", verbose_name=_("Dataset"))
    analyst = tables.Column(
        order_by=("analyst__name", "analyst__email"), verbose_name=pgettext_lazy("person", "By")
    )
    question = tables.Column(
        empty_values=(),
        orderable=False,
        verbose_name=_("Question"),
        attrs={"td": {"class": "question"}},
    )
    cost_nano = tables.Column(
        verbose_name="ε", attrs={"th": {"class": "number"}, "td": {"class": "number"}}
    )
    state = tables.Column(orderable=False, verbose_name=_("State"))

    class Meta:
        template_name = "dashboards/_table.html"

    def before_render(self, request: Any) -> None:
        """Look at what was charged, once for the whole page."""
        self.grants = grants_charged(record.pk for record in self._records())

    def _records(self) -> list[Query]:
        rows = self.page.object_list if hasattr(self, "page") else self.rows
        return [row.record for row in rows]

    @cached_property
    def paginated_rows(self) -> list[QuestionLine]:
        """The rows of the page that is shown."""
        made = {
            "submitted_at": lambda query: self.render_submitted_at(query.submitted_at),
            "question": self.render_question,
            "cost_nano": lambda query: self.render_cost_nano(query.cost_nano, query),
            "state": self.render_state,
        }
        return lines_of_table(self.columns, self._records(), made)

    def render_submitted_at(self, value: datetime) -> str:
        """Day and time in the zone of the page."""
        moment = timezone.localtime(value)
        return date_format(moment, pgettext("date format", "j M Y, H:i"))

    def render_question(self, record: Query) -> str:
        """The plan in words, as the link to its answer, and the allocation that was charged."""
        href = reverse("queries:detail", args=[record.pk])
        link = format_html('<a href="{}">{}</a>', href, in_words(record.plan))
        if grant := self.grants.get(record.pk):
            said = _("(allocation: %(holder)s)") % {"holder": grant}
            return format_html('{} <small class="text-body-secondary">{}</small>', link, said)
        return link

    def render_cost_nano(self, value: int, record: Query) -> str:
        """What it cost, exactly; ρ, which is the exception, says so."""
        currency = record.dataset.budget.currency
        return as_text(value) if currency.delta is None else question(value, currency)

    def render_state(self, record: Query) -> str:
        """The public state as a word and a mark."""
        state = public_state(record)
        return format_html('<span class="state state-{}">{}</span>', state, STATE_WORDS[state])


def sorting(text: str) -> str:
    """The wanted order if it is one of those on offer, else the newest first."""
    return text if text.removeprefix("-") in _SORTS else "-submitted_at"


def csv_lines(queries: QuerySet[Query]) -> Iterator[str]:
    """A heading and one line a question; texts that a spreadsheet would run are made harmless."""
    yield _line(_CSV_HEADINGS)
    for query in queries.iterator(chunk_size=500):
        with english():
            line = _line(_cells(query))
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
    csv.writer(line).writerow([safe_cell(cell) for cell in cells])
    return line.getvalue()


def hidden_columns(membership: Membership) -> tuple[str, ...]:
    """Who sees only their own questions needs no column that says so."""
    return () if may(membership, Permission.VIEW_ALL_QUERIES) else ("analyst",)
