"""The form of one computed column: its name, a formula over declared columns of the file.

Nothing is filled in from the data, and nothing is declared that does not follow from declarations.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.computed import COMPARISONS, FORMULAS, typed_formula
from dpgov.datasets.declaration import name_taken
from dpgov.datasets.models import Column
from dpgov.datasets.web.forms.columns import SELECT, TEXT, ColumnForm, bound, imputed
from dpgov.language.said import said
from dpgov.language.translation import translated
from dpgov.privacy.plan.computed.declared import (
    MAX_COMPUTED,
    TWO,
    domain_of,
    formula_of,
    not_declared,
)
from dpgov.privacy.plan.computed.spans import ratio_bounds
from dpgov.privacy.plan.domains import column_spec, numeric_domain
from dpgov.privacy.plan.formula import Comparison, FormulaKind
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DateDomain,
    InvalidDomain,
    NumericDomain,
)
from dpgov.web.pages import LongSelect
from dpgov.web.typed import Lines, as_typed, plain_number

_LINES = TEXT | {"rows": 3, "translate": "no"}
_FIELD = re.compile(r"computed-([0-9]{1,2})-[a-z]+", re.ASCII)


def _lines(label: Any, help_text: Any) -> forms.CharField:
    widget = Lines(attrs=_LINES)
    return forms.CharField(
        label=label, required=False, max_length=250_000, widget=widget, help_text=help_text
    )


class ComputedForm(forms.Form):
    """One computed column; `spec` is its declaration once the form is valid.

    A form in which nothing is typed declares nothing. `columns` are the forms of the file's own.
    """

    name = forms.CharField(
        label=_("Name of the new column"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs=TEXT | {"translate": "no"}),
    )
    formula = forms.ChoiceField(
        label=_("Formula"),
        required=False,
        choices=[("", _("Choose")), *((kind.value, words) for kind, words in FORMULAS.items())],
        widget=forms.Select(attrs=SELECT),
    )
    first = forms.CharField(label=_("Column"), required=False, max_length=200)
    second = forms.CharField(label=_("Second column"), required=False, max_length=200)
    compares = forms.ChoiceField(
        label=_("Compared"),
        required=False,
        choices=[("", _("Choose")), *((one.value, words) for one, words in COMPARISONS.items())],
        widget=forms.Select(attrs=SELECT),
    )
    constants = _lines(
        _("Edges, or what to compare with"),
        _("One per line, such as 18 and 65. An edge begins the bin above it."),
    )
    lower = bound(_("From"))
    upper = bound(_("To"))
    step = bound(_("Step"), inputmode="decimal")
    categories = _lines(
        _("Names of the results"),
        _(
            "One per line in their order, or none: bins are then named by their ends, flags yes "
            "and no."
        ),
    )
    missing = forms.ChoiceField(
        label=_("Missing"),
        required=False,
        choices=Column.Missing.choices,
        initial=Column.Missing.DROP,
        widget=forms.Select(attrs=SELECT),
    )
    impute = imputed()

    def __init__(self, *args: Any, columns: Sequence[ColumnForm], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.columns = columns
        self.identity = ""
        self.spec: ColumnSpec | None = None
        choices = [("", _("Choose")), *((one.column, one.column) for one in columns)]
        for name in ("first", "second"):
            widget = LongSelect(attrs=SELECT | {"translate": "no"}, choices=choices)
            self.fields[name].widget = widget

    @property
    def column(self) -> str:
        """What it is called in the list of what is wrong."""
        typed = str(self["name"].value() or "").strip()
        return typed or gettext("Computed column")

    def clean(self) -> dict[str, Any]:
        """Build the column's declaration, or say at each field what is wrong with it."""
        data = self.cleaned_data
        typed = [name for name in self.fields if name != "missing" and data.get(name)]
        if not typed and not self.errors:
            return data
        if not data.get("name") and "name" not in self.errors:
            self.add_error("name", _("Give the new column a name."))
        if not data.get("formula") and "formula" not in self.errors:
            self.add_error("formula", _("Choose how it is computed, or remove this column."))
        if not self.errors:
            try:
                self.spec = self._declared(FormulaKind(data["formula"]))
            except InvalidDomain as problem:
                field = problem.field if problem.field in self.fields else "formula"
                self.add_error(field, translated(problem.args[0]))
        return data

    def _declared(self, kind: FormulaKind) -> ColumnSpec:
        data = self.cleaned_data
        if data["name"] in {one.column for one in self.columns}:
            raise InvalidDomain("name", name_taken(data["name"]))
        fields = ("first", "second") if kind in TWO else ("first",)
        operands = [self._operand(field) for field in fields]
        compares = Comparison(data["compares"]) if data["compares"] else None
        constants = _split(data["constants"])
        if not isinstance(operands[0].domain, CategoryDomain | DateDomain):
            constants = [self._plain("constants", text) for text in constants]
        formula = formula_of(kind, operands, compares, constants)
        bounds = self._bounds(operands) if kind is FormulaKind.RATIO else None
        named = _split(data["categories"])
        domain = domain_of(formula, operands, names=named, bounds=bounds)
        impute = data["impute"]
        if isinstance(domain, NumericDomain):
            impute = self._plain("impute", impute)
        return column_spec(data["name"], domain, data["missing"] or "drop", impute, formula)

    def _operand(self, field: str) -> ColumnSpec:
        """A declared column of the file, and never the one that names people."""
        name = self.cleaned_data[field]
        if not name:
            raise InvalidDomain(field, said("Choose a column of the file."))
        if name == self.identity:
            words = said(
                "“{column}” says whose row it is: nothing is computed from it.", column=name
            )
            raise InvalidDomain(field, words)
        found = next((one for one in self.columns if one.column == name), None)
        if found is None:
            raise InvalidDomain(field, said("The file has no column “{column}”.", column=name))
        found.is_valid()
        if found.spec is None:
            raise InvalidDomain(field, not_declared(name))
        return found.spec

    def _bounds(self, operands: Sequence[ColumnSpec]) -> NumericDomain:
        """As declared; with a step alone, as they follow from both columns."""
        empty = [name for name in ("lower", "upper", "step") if not self.cleaned_data[name]]
        ranges = [one.domain for one in operands if isinstance(one.domain, NumericDomain)]
        if empty == ["lower", "upper"]:
            return ratio_bounds(ranges[0], ranges[1], self.cleaned_data["step"])
        if empty:
            words = said("A ratio needs its bounds and its step: they are what you know of it.")
            raise InvalidDomain(empty[0], words)
        return numeric_domain(*(self.cleaned_data[name] for name in ("lower", "upper", "step")))

    @staticmethod
    def _plain(field: str, typed: str) -> str:
        try:
            return plain_number(typed)
        except forms.ValidationError as problem:
            raise InvalidDomain(field, problem.messages[0]) from problem


def _split(typed: str) -> list[str]:
    return [line.strip() for line in typed.splitlines() if line.strip()]


def places_of(typed: Iterable[str]) -> list[int]:
    """The numbers of the computed columns that stand in a form."""
    found = (_FIELD.fullmatch(name) for name in typed)
    return sorted({int(match[1]) for match in found if match})[:MAX_COMPUTED]


def at(place: int, fields: Mapping[str, str]) -> dict[str, str]:
    """The fields of one computed column under the names that they have in the whole form."""
    return {f"computed-{place}-{field}": text for field, text in fields.items()}


def computed_in(typed: Mapping[str, str]) -> dict[int, dict[str, str]]:
    """What stands in a form of each of them."""
    return {
        place: {
            name.removeprefix(f"computed-{place}-"): text
            for name, text in typed.items()
            if name.startswith(f"computed-{place}-")
        }
        for place in places_of(typed)
    }


def computed_forms(
    columns: Sequence[ColumnForm], data: Mapping[str, Any] | None, left: Mapping[str, str]
) -> list[ComputedForm]:
    """A form for each that was sent, or else stands there already."""
    begun = computed_in(left)
    return [
        ComputedForm(
            data, prefix=f"computed-{place}", columns=columns, initial=begun.get(place) or None
        )
        for place in (begun if data is None else places_of(data))
    ]


def computed_are_valid(computed: Sequence[ComputedForm], identity: str) -> bool:
    """Look at all of them; no two may have one name. `identity` names the person, if any does."""
    taken: set[str] = set()
    for form in computed:
        form.identity = identity
        if form.is_valid() and form.spec is not None:
            if form.spec.name in taken:
                form.add_error("name", translated(name_taken(form.spec.name)))
            taken.add(form.spec.name)
    return not any(form.errors for form in computed)


def typed_computed(column: Column, beside: Iterable[Column]) -> dict[str, str]:
    """A declared computed column as one types it, `beside` the others of its version."""
    kind, formula = column.formula["kind"], typed_formula(column.formula)
    is_ratio = kind == FormulaKind.RATIO
    bounds = {
        name: as_typed(getattr(column, name)) if is_ratio else ""
        for name in ("lower", "upper", "step")
    }
    if formula["first"] in {one.name for one in beside if one.kind == Column.Kind.NUMBER}:
        formula["constants"] = as_typed(formula["constants"])
    return {
        "name": column.name,
        **formula,
        **bounds,
        "categories": "\n".join(column.categories),
        "missing": column.missing,
        "impute": as_typed(column.impute) if kind in TWO else column.impute,
    }
