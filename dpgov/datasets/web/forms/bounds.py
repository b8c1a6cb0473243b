"""What an owner has typed about a column's bounds, and other bounds to compare. Nothing is kept."""

from contextlib import suppress
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.web.forms import EpsilonField
from dpgov.datasets.bounds import BoundsEffects, Setting, priced, twice_as_wide
from dpgov.datasets.models import Column, Dataset
from dpgov.datasets.web.forms.unit import LARGEST_BOUND
from dpgov.language.translation import translated
from dpgov.privacy.accounting.decimals import NANO, as_text
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.plan.domains import MAX_GROUP_SIZE, numeric_domain
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import InvalidDomain, MissingRule, Neighbouring, NumericDomain
from dpgov.web.typed import TypedNumber, TypedWholeNumber, as_typed, plain_number

_HIDDEN = forms.HiddenInput
# Below zero, too: a keypad of digits may have no minus sign.
_BOUND = {"autocomplete": "off"}
_QUESTIONS = 20
_OF_NUMBERS = ("lower", "upper", "step")
_OF_A_ROW = (*_OF_NUMBERS, "missing")
_FALLBACK_NANO = NANO // 10


class BoundsForm(forms.Form):
    """The declared bounds, as hidden fields, beside others and an ε that can be changed."""

    column = forms.CharField(required=False, max_length=200, widget=_HIDDEN)
    lower = TypedNumber(max_length=60, widget=_HIDDEN)
    upper = TypedNumber(max_length=60, widget=_HIDDEN)
    step = TypedNumber(max_length=60, widget=_HIDDEN)
    missing = forms.ChoiceField(choices=Column.Missing.choices, required=False, widget=_HIDDEN)
    neighbouring = forms.ChoiceField(
        choices=Dataset.Neighbouring.choices, required=False, widget=_HIDDEN
    )
    mode = forms.ChoiceField(choices=[(m, m) for m in Mode], required=False, widget=_HIDDEN)
    group_size = TypedWholeNumber(
        required=False, min_value=1, max_value=MAX_GROUP_SIZE, widget=_HIDDEN
    )
    max_rows_per_unit = TypedWholeNumber(
        required=False, min_value=1, max_value=LARGEST_BOUND, widget=_HIDDEN
    )
    other_lower = TypedNumber(label=_("From"), max_length=60, widget=forms.TextInput(attrs=_BOUND))
    other_upper = TypedNumber(label=_("To"), max_length=60, widget=forms.TextInput(attrs=_BOUND))
    epsilon = EpsilonField(label=_("ε of one question"))

    def __init__(self, data: QueryDict | dict[str, str]) -> None:
        super().__init__(data, auto_id="bounds-%s")
        self.prices: tuple[BoundsEffects, ...] = ()

    def clean(self) -> dict[str, Any]:
        """Price both pairs, or say at its field what cannot be priced."""
        super().clean()
        if not self.errors:
            self._price()
        return self.cleaned_data

    def _price(self) -> None:
        pairs = self._pair(), self._pair("other_")
        if pairs[0] is None or pairs[1] is None:
            return
        data = self.cleaned_data
        setting = Setting(
            epsilon_nano=data["epsilon"],
            mode=Mode(data["mode"] or Mode.PURE),
            neighbouring=Neighbouring(data["neighbouring"] or Neighbouring.ADD_REMOVE),
            group_size=data["group_size"] or 1,
            rows_per_unit=data["max_rows_per_unit"] or 1,
            missing=MissingRule(data["missing"] or MissingRule.DROP),
        )
        try:
            self.prices = priced((pairs[0], pairs[1]), setting)
        except InvalidPlan as refusal:
            self.add_error("epsilon", translated(refusal.problems[0].message))

    def _pair(self, which: str = "") -> NumericDomain | None:
        data = self.cleaned_data
        try:
            return numeric_domain(data[f"{which}lower"], data[f"{which}upper"], data["step"])
        except InvalidDomain as problem:
            field = which + problem.field
            self.add_error(field if field in self.fields else "step", translated(problem.args[0]))
        return None

    @property
    def first_problem(self) -> str:
        """One sentence on what cannot be priced."""
        return next((str(messages[0]) for messages in self.errors.values()), "")

    @property
    def declared_problem(self) -> str:
        """What is wrong with the declared bounds, which stand in the grid and not here."""
        hidden = [name for name in self.errors if name in self.fields and self[name].is_hidden]
        if any(name in ("lower", "upper", "step") and not self[name].value() for name in hidden):
            return gettext("Fill in from, to and step of this column first.")
        return next((str(self.errors[name][0]) for name in hidden), "")


def asked_of_a_row(sent: QueryDict, dataset: Dataset | None) -> dict[str, str]:
    """What the form is first filled with: a row of the grid, "column-3 age" in the button `bounds`.

    Of a new version's grid the rest is what its dataset has declared.
    """
    row, _between, column = sent.get("bounds", "").partition(" ")
    asked = {name: sent.get(f"{row}-{name}", "") for name in _OF_A_ROW}
    asked |= {"column": column} | _around(sent, dataset)
    try:
        domain = numeric_domain(*(plain_number(asked[name]) for name in _OF_NUMBERS))
    except (InvalidDomain, forms.ValidationError):
        return asked
    lower, upper = map(as_typed, twice_as_wide(domain))
    return asked | {"other_lower": lower, "other_upper": upper}


def _around(sent: QueryDict, dataset: Dataset | None) -> dict[str, str]:
    if dataset is not None:
        version = dataset.versions.order_by("-number").first()
        return {
            "neighbouring": dataset.neighbouring,
            "mode": dataset.budget.currency.mode.value,
            "group_size": str(dataset.group_size),
            "max_rows_per_unit": str(version.max_rows_per_unit if version else 1),
            "epsilon": as_typed(as_text(dataset.per_query_limit_nano)),
        }
    alone = sent.get("unit") != Dataset.Unit.PERSON
    return {
        "neighbouring": sent.get("neighbouring", ""),
        "mode": sent.get("mode", ""),
        "group_size": sent.get("group_size", ""),
        "max_rows_per_unit": "" if alone else sent.get("max_rows_per_unit", ""),
        "epsilon": as_typed(as_text(_typical_nano(sent))),
    }


def _typical_nano(sent: QueryDict) -> int:
    """The largest question, else a twentieth of the limit, as far as they are typed."""
    for name, part in (("epsilon_per_query", 1), ("epsilon_limit", _QUESTIONS)):
        with suppress(forms.ValidationError):
            typed: int = EpsilonField().clean(sent.get(name, ""))
            return max(1, typed // part)
    return _FALLBACK_NANO
