"""The form with which two datasets are put together: what is taken of each, and how much."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.web.forms import EpsilonField, count_in
from dpgov.datasets.models import Dataset, DatasetVersion
from dpgov.datasets.services import DeclaredParent, Derivation
from dpgov.datasets.web.forms.unit import LARGEST_BOUND
from dpgov.privacy.accounting.decimals import as_text
from dpgov.web.typed import Lines, TypedWholeNumber, as_typed

# Each choice is written by itself, past the template of fields.
_TICK = {"class": "form-check-input"}


class WithForm(forms.Form):
    """With which dataset."""

    other = forms.ChoiceField(label=_("Other dataset"), widget=forms.RadioSelect(_TICK))

    def __init__(self, data: Any, *, others: Iterable[Dataset]) -> None:
        super().__init__(data)
        field: Any = self.fields["other"]
        field.choices = [(one.slug, one.name) for one in others]


def _rows() -> TypedWholeNumber:
    return TypedWholeNumber(
        label=_("Rows of one person"),
        min_value=1,
        max_value=LARGEST_BOUND,
    )


def _prefix() -> forms.CharField:
    return forms.CharField(
        label=_("Prefix of its column names"),
        required=False,
        max_length=40,
        strip=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


def _columns() -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        label=_("Columns to take"), required=False, widget=forms.CheckboxSelectMultiple(_TICK)
    )


class DeriveForm(forms.Form):
    """Everything about a dataset that is derived from these two versions."""

    name = forms.CharField(label=_("Name"), max_length=120)
    description = forms.CharField(
        label=_("Description"),
        required=False,
        max_length=4000,
        widget=Lines(attrs={"rows": 3}),
    )
    columns_first = _columns()
    rows_first = _rows()
    prefix_first = _prefix()
    columns_second = _columns()
    rows_second = _rows()
    prefix_second = _prefix()
    rows_of_unit = TypedWholeNumber(
        label=_("Most joined rows of one person"),
        min_value=1,
        max_value=LARGEST_BOUND,
        help_text=_(
            "Each row of a person in one dataset is put beside each of their rows in the other; so "
            "many of these pairs are kept. The noise of every answer grows with this number."
        ),
    )
    epsilon_limit = EpsilonField(
        label=_("Limit on ε"),
        help_text=_(
            "How much of both budgets may go through the derived dataset. Every question is "
            "charged to both in any case."
        ),
    )
    epsilon_per_query = EpsilonField(label=_("Most ε of one question"))

    def __init__(self, data: Any, *, first: DatasetVersion, second: DatasetVersion) -> None:
        self._versions = first, second
        super().__init__(data, initial=_initial(first, second))
        for side, version in (("first", first), ("second", second)):
            field: Any = self.fields[f"columns_{side}"]
            field.choices = [(column.name, column.name) for column in version.columns.all()]
        count_in(self, first.dataset.currency)

    def derivation(self) -> Derivation:
        """What was declared; only after `is_valid`."""
        data = self.cleaned_data
        return Derivation(
            name=data["name"],
            description=data["description"],
            first=self._side("first", self._versions[0]),
            second=self._side("second", self._versions[1]),
            rows_of_unit=data["rows_of_unit"],
            limit_nano=data["epsilon_limit"],
            per_query_limit_nano=data["epsilon_per_query"],
        )

    def _side(self, side: str, version: DatasetVersion) -> DeclaredParent:
        data = self.cleaned_data
        return DeclaredParent(
            slug=version.dataset.slug,
            rows_of_unit=data[f"rows_{side}"],
            columns=tuple(data[f"columns_{side}"]),
            prefix=data[f"prefix_{side}"],
        )


def _initial(first: DatasetVersion, second: DatasetVersion) -> dict[str, object]:
    """All rows that both declare; the smaller limits."""
    rows = first.max_rows_per_unit, second.max_rows_per_unit
    budgets = first.dataset.budget, second.dataset.budget
    currency = first.dataset.currency
    most = min(one.dataset.per_query_limit_nano for one in (first, second))
    return {
        "rows_first": rows[0],
        "rows_second": rows[1],
        "rows_of_unit": min(rows[0] * rows[1], LARGEST_BOUND),
        "epsilon_limit": as_typed(as_text(min(budget.limit_epsilon_nano for budget in budgets))),
        "epsilon_per_query": as_typed(as_text(currency.question(most))),
    }
