"""A ready-made question as a form: for analysts to fill in, for owners to publish.

Shows declared metadata and what an owner wrote; never data.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.budgets.web.forms import EpsilonField
from dpgov.language.translation import translated
from dpgov.privacy.plan.blanks import KEY, Blank, blanks_of, with_value
from dpgov.privacy.plan.parameters import Parameter
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import CategoryDomain, DatasetSchema, DateDomain
from dpgov.queries.web.forms.rows import plain
from dpgov.queries.web.forms.state import new_key
from dpgov.queries.wording.words import in_words
from dpgov.web.typed import Lines, TypedNumber, TypedWholeNumber, as_typed

_TEXT = {"autocomplete": "off"}
_LONGEST = 60
_MOST_TIMES = 1_000_000


class FillForm(forms.Form):
    """The blanks of one ready-made question; names of fields are their places."""

    key = forms.CharField(widget=forms.HiddenInput, required=False, max_length=200)

    def __init__(
        self,
        data: Mapping[str, Any] | None,
        *,
        plan: Mapping[str, Any],
        parameters: Sequence[Parameter],
        schema: DatasetSchema,
        allocations: Sequence[tuple[str, str]] = (),
        **options: Any,
    ) -> None:
        super().__init__(data, initial={"key": new_key()}, **options)
        several = {blank.parameter for blank in blanks_of(plan) if blank.several}
        self._parameters = list(parameters)
        for place, one in enumerate(self._parameters):
            self.fields[f"p{place}"] = _blank_field(one, schema, several=one.name in several)
        if len(allocations) > 1:
            self.fields["allocation"] = forms.ChoiceField(
                label=_("Charged to"), choices=list(allocations)
            )

    @property
    def shown(self) -> list[forms.BoundField]:
        """The fields that a person fills in."""
        return [self[name] for name in self.fields if name != "key"]

    def values(self) -> dict[str, Any]:
        """What was chosen, by the name of each parameter; only after `is_valid`."""
        return {
            one.name: self.cleaned_data[f"p{place}"] for place, one in enumerate(self._parameters)
        }

    def place(self, refusal: InvalidPlan) -> None:
        """Each problem at the field of its parameter, else above them all."""
        places = {f"values.{one.name}": f"p{n}" for n, one in enumerate(self._parameters)}
        for problem in refusal.problems:
            # "values.age 2" is no place within "values.age"; no name has a dot.
            path = ".".join(problem.path.split(".")[:2])
            self.add_error(places.get(path), translated(problem.message))


def _blank_field(one: Parameter, schema: DatasetSchema, *, several: bool) -> forms.Field:
    if one.choices:
        choices = [(name, name) for name in one.choices]
        if several:
            return forms.MultipleChoiceField(
                label=one.name,
                choices=choices,
                initial=list(one.choices),
                widget=forms.SelectMultiple,
                error_messages={"required": _("Choose at least one.")},
            )
        return forms.ChoiceField(label=one.name, choices=choices)
    span = _("From {low} to {high}.").format(low=as_typed(one.lowest), high=as_typed(one.highest))
    kind = forms.CharField if _holds_dates(one.column, schema) else TypedNumber
    widget = forms.TextInput(_TEXT)
    return kind(label=one.name, max_length=_LONGEST, widget=widget, help_text=span)


def _holds_dates(column: str, schema: DatasetSchema) -> bool:
    index = schema.index_of(column)
    return index is not None and isinstance(schema.columns[index].domain, DateDomain)


class PublishForm(forms.Form):
    """What an owner says of a ready-made question besides its blanks."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=80, widget=forms.TextInput(_TEXT))
    purpose = forms.CharField(
        label=gettext_lazy("What it is for"),
        max_length=300,
        widget=Lines({"rows": 2}),
        help_text=gettext_lazy("Every analyst reads it. Goes into the audit log."),
    )
    price = EpsilonField(
        label=gettext_lazy("Price, in ε"),
        help_text=gettext_lazy("Fixed: each answer takes this from the budget."),
    )
    per_analyst = TypedWholeNumber(
        label=gettext_lazy("Times that each analyst may ask it"),
        required=False,
        min_value=1,
        max_value=_MOST_TIMES,
        widget=forms.TextInput(_TEXT),
        help_text=gettext_lazy("Leave it empty for as often as the budget admits."),
    )
    altogether = TypedWholeNumber(
        label=gettext_lazy("Times that it may be asked by all together"),
        required=False,
        min_value=1,
        max_value=_MOST_TIMES,
        widget=forms.TextInput(_TEXT),
        help_text=gettext_lazy("Leave it empty for as often as the budget admits."),
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, unit: str, **options: Any) -> None:
        super().__init__(data, **options)
        price = self.fields["price"]
        if unit == "rho" and isinstance(price, EpsilonField):
            price.label, price.symbol = _("Price, in ρ"), "ρ"


class BlankForm(forms.Form):
    """One value of the question: fixed, or left open under a name within what is ticked here."""

    open = forms.BooleanField(
        label=gettext_lazy("Analysts choose this"),
        required=False,
    )
    name = forms.CharField(
        label=gettext_lazy("Called"),
        required=False,
        max_length=40,
        widget=forms.TextInput(_TEXT),
    )

    def __init__(
        self, data: Mapping[str, Any] | None, *, blank: Blank, schema: DatasetSchema, place: int
    ) -> None:
        # Two values of one column, like the ends of a range, need two names.
        name = f"{blank.column} 2" if blank.last else blank.column
        super().__init__(data, prefix=f"blank-{place}", initial={"name": name})
        self.blank = blank
        index = schema.index_of(blank.column)
        domain = None if index is None else schema.columns[index].domain
        if isinstance(domain, CategoryDomain):
            self.fields["choices"] = forms.MultipleChoiceField(
                label=_("Choices"),
                required=False,
                choices=[(name, name) for name in domain.categories],
                initial=list(domain.categories),
                widget=forms.SelectMultiple,
            )
            return
        low, high = ("", "")
        if isinstance(domain, DateDomain):
            low, high = domain.text(0), domain.text(domain.top)
        elif domain is not None:
            low, high = plain(domain.lower), plain(domain.upper)
        kind = forms.CharField if isinstance(domain, DateDomain) else TypedNumber
        for field, label, begin in (("low", _("From"), low), ("high", _("To"), high)):
            self.fields[field] = kind(
                label=label,
                required=False,
                max_length=_LONGEST,
                initial=begin,
                widget=forms.TextInput(_TEXT),
            )

    @property
    def shown(self) -> str:
        """What stands there now."""
        value = self.blank.value
        return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

    def declared(self) -> dict[str, Any] | None:
        """The parameter as declared, unless the value is fixed; only after `is_valid`."""
        data = self.cleaned_data
        if not data["open"]:
            return None
        head = {"name": " ".join(data["name"].split()), "column": self.blank.column}
        if "choices" in self.fields:
            return head | {"choices": data["choices"]}
        return head | {"from": data["low"], "to": data["high"]}


def opened(
    plan: Mapping[str, Any], blanks: Sequence[BlankForm]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The plan with its blanks, and their parameters as declared; after `is_valid` of each."""
    made, parameters = dict(plan), []
    for form in blanks:
        if (declared := form.declared()) is not None:
            made = with_value(made, form.blank.path, {KEY: declared["name"]})
            parameters.append(declared)
    return made, parameters


def template_in_words(plan: Mapping[str, Any]) -> str:
    """The question as a sentence, with the names of its blanks in brackets."""
    named = dict(plan)
    for blank in blanks_of(plan):
        if (name := blank.parameter) is not None:
            value = [f"[{name}]"] if blank.several else f"[{name}]"
            named = with_value(named, blank.path, value)
    return in_words(named)
