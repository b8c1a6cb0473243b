"""Dates in the ask form: a filter by ISO 8601 periods, and groups by the calendar."""

import re
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.language.translation import translated
from dpgov.privacy.plan.by_calendar import PARTS, CalendarPart, how_many
from dpgov.privacy.plan.calendar import (
    DateStep,
    NotADate,
    number_of,
    period_text,
    span_of,
    start_of,
)
from dpgov.privacy.plan.schema import ColumnSpec, DateDomain
from dpgov.queries.web.forms.filters import MISSING, FilterRow
from dpgov.queries.web.forms.rows import SELECT, TEXT, RowForm
from dpgov.queries.wording.dates import PARTS_IN_WORDS

# The last so many months of the declared range: public, whatever the data holds.
LAST_MONTHS = {"last_3": 3, "last_12": 12, "last_24": 24}
_COMPARED = [
    ("between", gettext_lazy("is between")),
    (">=", gettext_lazy("is at least")),
    ("<=", gettext_lazy("is at most")),
    (">", gettext_lazy("is after")),
    ("<", gettext_lazy("is before")),
    ("=", gettext_lazy("is within")),
    ("!=", gettext_lazy("is not within")),
    ("in", gettext_lazy("is one of")),
    ("last_3", gettext_lazy("is in the last 3 declared months")),
    ("last_12", gettext_lazy("is in the last 12 declared months")),
    ("last_24", gettext_lazy("is in the last 24 declared months")),
]
# Groups that one can still look at.
_EASY = 60
_LEAST_EDGES = 2


def usual_part(domain: DateDomain) -> CalendarPart:
    """The finest periods of which there are not too many: what a new grouping begins with."""
    parts = [part for part in PARTS[domain.unit] if part.in_order]
    return next((part for part in parts if how_many(part, domain) <= _EASY), parts[-1])


def _last(months: int, domain: DateDomain) -> str:
    """The first month of the last so many."""
    end = start_of(domain.unit, domain.first + domain.top + 1) - 1
    first = max(0, int(number_of(DateStep.MONTH, end)) + 1 - months)
    return period_text(DateStep.MONTH, first)


def _domain(spec: ColumnSpec | None) -> DateDomain:
    if spec is None or not isinstance(spec.domain, DateDomain):
        raise TypeError("a row of dates is of a column of dates")
    return spec.domain


def _dates(text: str) -> list[str]:
    """The dates of a list; raises ValidationError with how dates are written."""
    found = [part for part in re.split(r"[,;\s]+", text) if part]
    for part in found:
        try:
            span_of(part)
        except NotADate as problem:
            raise forms.ValidationError(translated(problem.args[0])) from problem
    return found


class DateFilterRow(FilterRow):
    """Rows of a column of dates."""

    template = "queries/dates/_filter_row.html"
    op = forms.ChoiceField(choices=[*_COMPARED, *MISSING], widget=forms.Select(attrs=SELECT))
    value = forms.CharField(
        max_length=4000,
        required=False,
        widget=forms.TextInput(attrs=TEXT | {"placeholder": "2024-01-31"}),
    )
    upper = forms.CharField(
        max_length=40,
        required=False,
        label=gettext_lazy("and"),
        widget=forms.TextInput(attrs=TEXT | {"placeholder": "2024-01-31"}),
    )

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        op = data.get("op")
        if op == "between":
            self._read("upper", _("Type the last date."))
        if op is not None and op not in dict(MISSING) and op not in LAST_MONTHS:
            self._read("value", _("Type a date, like 2024-01-31 or 2024-01."), many=op == "in")
        return data

    def _read(self, field: str, missing: str, *, many: bool = False) -> None:
        try:
            found = _dates(self.cleaned_data.get(field, ""))
        except forms.ValidationError as error:
            self.add_error(field, error)
            return
        if not found:
            self.add_error(field, missing)
        elif len(found) > 1 and not many:
            self.add_error(field, _("Type one date, or choose “is one of”."))
        self.cleaned_data[f"{field}_dates"] = found

    def conditions(self) -> list[dict[str, Any]]:
        """The plan's form of it."""
        data, op = self.cleaned_data, self.cleaned_data["op"]
        condition: dict[str, Any] = {"column": self.title, "op": op}
        if op in dict(MISSING):
            return [condition]
        if op in LAST_MONTHS:
            first = _last(LAST_MONTHS[op], _domain(self.spec))
            return [condition | {"op": ">=", "value": first}]
        dates = data["value_dates"]
        if op == "between":
            return [condition | {"value": [*dates, *data["upper_dates"]]}]
        return [condition | {"value": dates if op == "in" else dates[0]}]

    def field_for(self, rest: list[str]) -> str:
        if "value" in rest:
            return "upper" if rest[-1] == "1" and self["op"].value() == "between" else "value"
        return "op"

    @property
    def declared(self) -> tuple[str, str]:
        """The first and the last date that was declared."""
        domain = _domain(self.spec)
        return domain.text(0), domain.text(domain.top)


class DateGroupingRow(RowForm):
    """One group for each month, each weekday and the like, or bins with edges of one's own."""

    template = "queries/dates/_grouping_row.html"
    OWN = "edges"
    by = forms.ChoiceField(widget=forms.Select(attrs=SELECT))
    edges = forms.CharField(
        max_length=4000,
        required=False,
        label=gettext_lazy("edges"),
        widget=forms.TextInput(attrs=TEXT | {"placeholder": "2024-01, 2024-07, 2025-01"}),
    )

    def __init__(self, *args: Any, spec: ColumnSpec, **kwargs: Any) -> None:
        super().__init__(*args, spec=spec, **kwargs)
        known = PARTS[_domain(spec).unit]
        self.fields["by"].choices = [  # type: ignore[attr-defined]
            *((part.value, PARTS_IN_WORDS[part]()) for part in known),
            (self.OWN, _("bins with my own edges")),
        ]

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("by") != self.OWN:
            self.ignore("edges")
            return data
        try:
            data["dates"] = _dates(data.get("edges", ""))
        except forms.ValidationError as error:
            self.add_error("edges", error)
            return data
        if len(data["dates"]) < _LEAST_EDGES:
            self.add_error("edges", _("Give at least two edges, like 2024-01, 2024-07."))
        return data

    def grouping(self) -> dict[str, Any]:
        """The plan's form of it."""
        data = self.cleaned_data
        if data["by"] == self.OWN:
            return {"column": self.title, "edges": data["dates"]}
        return {"column": self.title, "by": data["by"]}

    def field_for(self, rest: list[str]) -> str:
        return "edges" if self["by"].value() == self.OWN else "by"
