"""Which questions of the list a person wants to see, among those that they may see.

By the public state only: nothing can be filtered by what would tell how long an answer took.
"""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID

import django_filters
from django import forms
from django.db.models import Model, QuerySet
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from dpgov.dashboards.purposes import NONE_STATED, UNSTATED, charged_for, purposes_of
from dpgov.dashboards.travelling import by_keys
from dpgov.datasets.audience import seen
from dpgov.datasets.models import Dataset
from dpgov.privacy.plan.statistics import STATISTICS
from dpgov.queries.answering.tally import analysts_who_asked, kinds_with
from dpgov.queries.kinds import is_kind, kind_in_words
from dpgov.queries.models import Query
from dpgov.queries.selectors import (
    STATE_WORDS,
    PublicState,
    visible_queries,
    with_public_state,
)
from dpgov.tenants.models import Membership, User
from dpgov.tenants.permissions import Permission, may
from dpgov.web.pages import LongSelect
from dpgov.web.picking import PickOne, Suggested

_STATISTICS = [(key, _(facts.label)) for key, facts in STATISTICS.items()]
# Far from where moments end: no time zone leads beyond.
_FIRST_DAY, _LAST_DAY = date(1970, 1, 1), date(9000, 1, 1)


def _date_box() -> forms.DateInput:
    return forms.DateInput(attrs={"type": "date", "class": "form-control"})


def _choice_box() -> forms.Select:
    return LongSelect(attrs={"class": "form-select"})


class _Picked(django_filters.Filter):  # type: ignore[misc]
    """One of the rows that `choose_from` names: out of a select, or typed where they are many."""

    field_class = PickOne

    def __init__(self, model: type[Model], of: Suggested, by: str, **kwargs: Any) -> None:
        super().__init__(queryset=model._default_manager.none(), of=of, by=by, **kwargs)


class HistoryFilter(django_filters.FilterSet):  # type: ignore[misc]
    """Filters over the questions that a membership may see."""

    dataset = _Picked(
        *(Dataset, Suggested.DATASETS, "slug"), label=_("Dataset"), empty_label=_("All datasets")
    )
    analyst = _Picked(
        *(User, Suggested.ANALYSTS, "email"),
        label=pgettext_lazy("person", "Analyst"),
        empty_label=_("Everybody"),
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
    purpose = django_filters.ChoiceFilter(
        method="of_purpose",
        label=_("Purpose"),
        empty_label=pgettext_lazy("purpose", "Any"),
        widget=_choice_box(),
    )
    since = django_filters.DateFilter(method="from_day", label=_("From (UTC)"), widget=_date_box())
    until = django_filters.DateFilter(method="to_day", label=_("To (UTC)"), widget=_date_box())

    tenant_id: UUID

    class Meta:
        model = Query
        fields: tuple[str, ...] = ()

    def of_purpose(self, queries: QuerySet[Query], name: str, value: str) -> QuerySet[Query]:
        """By what the allocation was granted for that they were charged to."""
        return charged_for(queries, self.tenant_id, value)

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
        """By the kinds that were noted and name it; a comparison that an index serves.

        Or by one kind and no other, as the bar of a picture stands for.
        """
        if is_kind(value):
            return queries.filter(kind=value)
        return queries.filter(kind__in=kinds_with(self.tenant_id, value))


def _begin(day: date, *, days: int = 0) -> datetime:
    """In UTC, as pictures count days and refusals are counted; the fields say so.

    A moment, no function of a column: an index leads there.
    """
    day = min(max(day, _FIRST_DAY), _LAST_DAY) + timedelta(days=days)
    return datetime.combine(day, time.min, UTC)


def history_filter(membership: Membership, data: Any) -> HistoryFilter:
    """The filter for this person: choices are limited to what they may see."""
    visible = visible_queries(membership)
    used = Dataset.objects.filter(
        seen(membership), tenant_id=membership.tenant_id, held_at__isnull=True
    )
    everybody = may(membership, Permission.VIEW_ALL_QUERIES)
    people = analysts_who_asked(membership.tenant_id) if everybody else User.objects.none()
    data = by_keys(data, datasets=used, people=people)
    history = HistoryFilter(data, queryset=visible)
    history.tenant_id = membership.tenant_id
    if is_kind(wanted := data.get("statistic", "")):
        only = _("Only %(kind)s") % {"kind": kind_in_words(wanted)}
        history.filters["statistic"].extra["choices"] = [*_STATISTICS, (wanted, only)]
    purposes = _purposes(membership, data.get("purpose", "")) if everybody else []
    if not everybody:
        del history.filters["analyst"]
    if purposes:
        stated = [(words, words) for words in purposes]
        history.filters["purpose"].extra["choices"] = [*stated, (UNSTATED, NONE_STATED)]
    else:
        del history.filters["purpose"]
    _choose_from(history, used, people)
    return history


def _purposes(membership: Membership, wanted: str) -> list[str]:
    """Those to choose from, and the one that a link names, however old."""
    found = purposes_of(membership.tenant_id)
    return found if wanted in ("", UNSTATED, *found) else [*found, wanted]


def _choose_from(
    history: HistoryFilter, datasets: QuerySet[Dataset], people: QuerySet[User]
) -> None:
    fields = history.form.fields
    fields["dataset"].choose_from(datasets.order_by("name", "-created_at").only("name", "slug"))
    if "analyst" in fields:
        fields["analyst"].choose_from(people)
