"""The form of one column, a row of the grid: its type, its domain, what a missing value counts as.

Nothing is ever filled in from the data: what is offered at first is the same for every column.
"""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.declaration import dates_declared
from dpgov.datasets.models import Column
from dpgov.language.said import said
from dpgov.language.translation import translated
from dpgov.privacy.plan.calendar import DateStep
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.layouts import MAX_LAYOUT
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, InvalidDomain, NumericDomain
from dpgov.web.typed import Lines, TypedNumber, plain_number

TEXT = {"class": "form-control form-control-sm", "autocomplete": "off"}
SELECT = {"class": "form-select form-select-sm"}
_FORMAT = TEXT | {"placeholder": "YYYY-MM-DD", "translate": "no"}
_ZONE = TEXT | {"placeholder": "UTC"}
_NUMBER_FIELDS = ("lower", "upper", "step")
# The periods that dates can be counted in.
STEPS = [
    (DateStep.HOUR.value, _("Hour")),
    (DateStep.DAY.value, _("Day")),
    (DateStep.WEEK.value, _("Week")),
    (DateStep.MONTH.value, _("Month")),
    (DateStep.QUARTER.value, _("Quarter")),
    (DateStep.YEAR.value, _("Year")),
]
# What a rule for missing values is called where there is room for a word or two.
_IN_A_CELL: dict[str, Any] = {
    "drop": _("left out of statistics"),
    "impute": _("counts as"),
    "require": _("never missing"),
}


def bound(label: Any, **attributes: str) -> TypedNumber:
    """A cell of the grid for an end or a step."""
    # Ends are also dates and numbers below zero, and a keypad of digits may have no hyphen.
    widget = forms.TextInput(attrs=TEXT | attributes)
    return TypedNumber(label=label, required=False, max_length=60, widget=widget)


def imputed() -> forms.CharField:
    """A cell for what a missing value counts as."""
    widget = forms.TextInput(attrs=TEXT)
    return forms.CharField(
        label=_("Missing counts as"), required=False, max_length=200, widget=widget
    )


class _Offered(forms.ChoiceField):
    """Shows its usual choice where a browser sent none, as of a cell that was not open."""

    def bound_data(self, data: Any, initial: Any) -> Any:
        """What the cell shows."""
        return initial if data is None else data


class ColumnForm(forms.Form):
    """One column of the file; without a type it is left out and nobody can ask about it."""

    kind = forms.ChoiceField(
        label=_("Type"),
        required=False,
        choices=[("", _("Left out")), *Column.Kind.choices],
        widget=forms.Select(attrs=SELECT),
    )
    lower = bound(_("From"))
    upper = bound(_("To"))
    step = bound(_("Step"), inputmode="decimal", placeholder="1")
    period = _Offered(
        label=_("Step"),
        required=False,
        choices=STEPS,
        initial=DateStep.DAY,
        widget=forms.Select(attrs=SELECT),
    )
    date_format = forms.CharField(
        label=_("Format"),
        required=False,
        max_length=MAX_LAYOUT,
        widget=forms.TextInput(attrs=_FORMAT),
    )
    time_zone = forms.CharField(
        label=_("Time zone"),
        required=False,
        max_length=64,
        widget=forms.TextInput(attrs=_ZONE),
    )
    categories = forms.CharField(
        label=_("Values, one per line"),
        required=False,
        max_length=250_000,
        widget=Lines(attrs=TEXT | {"rows": 1, "translate": "no"}),
    )
    missing = _Offered(
        label=_("Missing"),
        required=False,
        choices=[(rule, _IN_A_CELL.get(rule, words)) for rule, words in Column.Missing.choices],
        initial=Column.Missing.DROP,
        widget=forms.Select(attrs=SELECT),
    )
    impute = imputed()

    def __init__(self, *args: Any, column: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.column = column
        self.spec: ColumnSpec | None = None
        # What a list on one line would be split into, where that was refused.
        self.parts: list[str] = []

    def clean(self) -> dict[str, Any]:
        """Build the column's declaration, or say at each field what is wrong with it."""
        data = self.cleaned_data
        if not data.get("kind"):
            self._refuse_leftovers()
        elif not self.errors:
            try:
                self.spec = column_spec(
                    self.column, self._domain(), data["missing"] or "drop", self._impute()
                )
            except InvalidDomain as problem:
                field = problem.field
                if data["kind"] == Column.Kind.DATE and field == "step":
                    field = "period"
                self.add_error(
                    field if field in self.fields else "kind",
                    translated(problem.args[0]),
                )
        return data

    def _refuse_leftovers(self) -> None:
        typed = [name for name in (*_NUMBER_FIELDS, "categories") if self.cleaned_data.get(name)]
        if typed and "kind" not in self.errors:
            self.add_error(
                "kind", _("Choose a type, or empty what you typed below to leave the column out.")
            )

    def _impute(self) -> str:
        """The value in place of a missing one: a number as it is spelt here, or a category."""
        typed: str = self.cleaned_data["impute"]
        is_number = self.cleaned_data["kind"] != Column.Kind.CATEGORY
        return plain_number(typed) if is_number else typed

    def _domain(self) -> NumericDomain | CategoryDomain:
        data = self.cleaned_data
        if data["kind"] == Column.Kind.CATEGORY:
            lines = [line.strip() for line in data["categories"].splitlines()]
            self.parts = parts_of(data["categories"])
            if self.parts:
                raise InvalidDomain("categories", _ONE_LINE)
            return category_domain([line for line in lines if line])
        if data["kind"] == Column.Kind.DATE:
            self._require_bounds("lower", "upper")
            texts = data["lower"], data["upper"], data["period"] or DateStep.DAY
            return dates_declared(*texts, data["date_format"], data["time_zone"])
        self._require_bounds(*_NUMBER_FIELDS)
        return numeric_domain(data["lower"], data["upper"], data["step"])

    def _require_bounds(self, *names: str) -> None:
        """Each empty field gets its own message, not just the first one."""
        dates = self.cleaned_data["kind"] == Column.Kind.DATE
        words = _EMPTY_DATES if dates else _EMPTY
        empty = [name for name in names if not self.cleaned_data[name]]
        for name in empty[1:]:
            self.add_error(name, translated(words[name]))
        if empty:
            raise InvalidDomain(empty[0], words[empty[0]])


def parts_of(typed: str) -> list[str]:
    """The values of a list that was typed on one line; empty where it is no such list."""
    line = typed.strip()
    marks = [mark for mark in _MARKS if mark in line]
    if not marks or "\n" in line:
        return []
    mark = max(marks, key=line.count)
    return list(dict.fromkeys(part.strip() for part in line.split(mark) if part.strip()))


# The labels within a line, after the name of the column.
WITHIN_A_LINE = {
    "kind": _("type"),
    "name": _("name"),
    "formula": _("formula"),
    "first": _("column"),
    "second": _("second column"),
    "compares": _("compared"),
    "constants": _("edges or values"),
    "lower": _("from"),
    "upper": _("to"),
    "step": _("step"),
    "period": _("step"),
    "date_format": _("format"),
    "time_zone": _("time zone"),
    "categories": _("values"),
    "missing": _("missing"),
    "impute": _("missing counts as"),
}
# One category alone says nothing, so several were meant.
_MARKS = ",;|\t"
_ONE_LINE = said("Put each category on a line of its own; a line is one category as it stands.")
_EMPTY = {
    "lower": said("Give the lowest value that makes sense, such as 0."),
    "upper": said("Give the highest value that makes sense, such as 120 for an age."),
    "step": said("Give the step that values are rounded to, such as 1 or 0.01."),
}
_EMPTY_DATES = {
    "lower": said("Give the first date that makes sense, such as 2020-01-01."),
    "upper": said("Give the last date that makes sense, such as 2024-12-31."),
}
