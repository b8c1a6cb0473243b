"""The filters of the ask form: comparisons with numbers, declared categories, fixed ones.

A fixed filter was not made by this form (it is deeper than the form can show); it is said in words
and asked again as it is. Rows that follow each other with “or” between them are alternatives; all
such groups must hold.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.operation.exact_json import UnusableJson, read_json
from dpgov.privacy.plan.schema import ColumnSpec
from dpgov.queries.web.forms.rows import (
    SELECT,
    TEXT,
    NumberField,
    RowForm,
    number_list,
    offer_categories,
    title_of,
)
from dpgov.queries.wording.words import filter_in_words

JOINTS = [("and", gettext_lazy("and")), ("or", gettext_lazy("or"))]
MISSING = [("is_missing", gettext_lazy("is missing")), ("is_present", gettext_lazy("has a value"))]
_NUMERIC = [
    ("between", gettext_lazy("is between")),
    (">=", gettext_lazy("is at least")),
    (">", gettext_lazy("is more than")),
    ("<=", gettext_lazy("is at most")),
    ("<", gettext_lazy("is less than")),
    ("=", gettext_lazy("is exactly")),
    ("!=", gettext_lazy("is not")),
    ("in", gettext_lazy("is one of")),
]
_CATEGORY = [("in", gettext_lazy("is one of")), ("!=", gettext_lazy("is none of"))]


class FilterRow(RowForm):
    """A filter and the word that joins it to the one above: “or” makes the two alternatives."""

    joint = forms.ChoiceField(choices=JOINTS, required=False, widget=forms.Select(attrs=SELECT))

    @property
    def alternative(self) -> bool:
        """Whether it is enough that this filter or the one above holds."""
        return bool(self.cleaned_data.get("joint") == "or")

    def conditions(self) -> list[dict[str, Any]]:
        """The plan's form of it: conditions that all hold. Only when valid."""
        raise NotImplementedError


class NumericFilterRow(FilterRow):
    """Rows of a numeric column."""

    template = "queries/ask/_numeric_filter_row.html"
    op = forms.ChoiceField(choices=[*_NUMERIC, *MISSING], widget=forms.Select(attrs=SELECT))
    value = forms.CharField(
        max_length=4000,
        required=False,
        strip=True,
        widget=forms.TextInput(attrs=TEXT),
    )
    upper = NumberField(label=gettext_lazy("and"))

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        op = data.get("op")
        if op != "between":
            self.ignore("upper")
        if op is None or op in dict(MISSING):
            self.ignore("value")
            return data
        try:
            data["numbers"] = number_list(data.get("value", ""))
        except forms.ValidationError as error:
            self.add_error("value", error)
            return data
        self._check(op, data)
        return data

    def _check(self, op: str, data: dict[str, Any]) -> None:
        if not data["numbers"]:
            self.add_error("value", _("Type a number."))
        elif op != "in" and len(data["numbers"]) > 1:
            self.add_error("value", _("Type one number, or choose “is one of”."))
        if op == "between":
            self.need("upper", _("Type the largest value."))

    def conditions(self) -> list[dict[str, Any]]:
        """The plan's form of it: exact numbers."""
        data, spec = self.cleaned_data, self.spec
        condition: dict[str, Any] = {"column": spec.name if spec else "", "op": data["op"]}
        if data["op"] in dict(MISSING):
            return [condition]
        numbers: list[Decimal] = data["numbers"]
        if data["op"] == "between":
            return [condition | {"value": [numbers[0], data["upper"]]}]
        return [condition | {"value": numbers if data["op"] == "in" else numbers[0]}]

    def field_for(self, rest: list[str]) -> str:
        if "value" in rest:
            return "upper" if rest[-1] == "1" and self["op"].value() == "between" else "value"
        return "op"


class CategoryFilterRow(FilterRow):
    """Rows of a column with declared categories."""

    template = "queries/ask/_category_row.html"
    op = forms.ChoiceField(choices=[*_CATEGORY, *MISSING], widget=forms.Select(attrs=SELECT))
    values = forms.MultipleChoiceField(
        required=False, label=gettext_lazy("Values"), widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, spec: ColumnSpec, **kwargs: Any) -> None:
        super().__init__(*args, spec=spec, **kwargs)
        offer_categories(self.fields["values"], spec)

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("op") in dict(_CATEGORY):
            self.need("values", _("Choose at least one value."))
        else:
            self.ignore("values")
        return data

    def conditions(self) -> list[dict[str, Any]]:
        """The plan's form of it; “is none of” is one condition for each value."""
        op, column = self.cleaned_data["op"], self.spec.name if self.spec else ""
        values = self.cleaned_data["values"]
        if op in dict(MISSING):
            return [{"column": column, "op": op}]
        if op == "!=":
            return [{"column": column, "op": "!=", "value": value} for value in values]
        if len(values) == 1:
            return [{"column": column, "op": "=", "value": values[0]}]
        return [{"column": column, "op": "in", "value": values}]

    def field_for(self, rest: list[str]) -> str:
        return "values" if "value" in rest else "op"


class FixedFilterRow(FilterRow):
    """A filter as the plan's JSON has it; a person can read it, remove it and keep it."""

    template = "queries/ask/_fixed_filter_row.html"
    fixed = forms.CharField(max_length=100_000, widget=forms.HiddenInput)

    def clean_fixed(self) -> dict[str, Any]:
        """The JSON, exactly; whether it can be asked is decided where plans are read."""
        try:
            found = read_json(self.cleaned_data["fixed"])
        except UnusableJson:
            found = None
        if not isinstance(found, dict):
            raise forms.ValidationError(_("This filter cannot be read any more. Remove it."))
        return found

    @property
    def title(self) -> str:
        """The filter in words."""
        unreadable = _("A filter that cannot be read any more")
        return title_of(self["fixed"].value() or "", filter_in_words) or unreadable

    @property
    def is_gone(self) -> bool:
        """Whether it is one condition, which has a row of its own where its column is there."""
        try:
            return "column" in read_json(self["fixed"].value() or "")
        except (UnusableJson, TypeError):
            return False

    def conditions(self) -> list[dict[str, Any]]:
        """As it was."""
        return [self.cleaned_data["fixed"]]

    def field_for(self, rest: list[str]) -> str:
        return "fixed"


Path = tuple[str, ...]


def where_of(rows: Sequence[FilterRow]) -> tuple[list[dict[str, Any]], dict[Path, FilterRow]]:
    """The plan's filters, and which row each of their paths ("0", "or", "1") belongs to.

    Only when all rows are valid.
    """
    filters: list[dict[str, Any]] = []
    paths: dict[Path, FilterRow] = {}
    for group in _groups(rows):
        if len(group) == 1:
            for condition in group[0].conditions():
                paths[(str(len(filters)),)] = group[0]
                filters.append(condition)
            continue
        for place, row in enumerate(group):
            paths[(str(len(filters)), "or", str(place))] = row
        filters.append({"or": [_one(row.conditions()) for row in group]})
    return filters, paths


def row_at(paths: dict[Path, FilterRow], rest: Sequence[str]) -> tuple[FilterRow | None, list[str]]:
    """The row that a refusal at this path inside the filters is about, and the path inside it."""
    for length in range(len(rest), 0, -1):
        row = paths.get(tuple(rest[:length]))
        if row is not None:
            return row, list(rest[length:])
    return None, []


def _groups(rows: Sequence[FilterRow]) -> list[list[FilterRow]]:
    groups: list[list[FilterRow]] = []
    for row in rows:
        if groups and row.alternative:
            groups[-1].append(row)
        else:
            groups.append([row])
    return groups


def _one(conditions: list[dict[str, Any]]) -> dict[str, Any]:
    return conditions[0] if len(conditions) == 1 else {"and": conditions}
