"""What an owner has typed so far about a budget, to say what it would mean. Nothing is declared."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.web.forms import (
    DeltaField,
    EpsilonField,
    check_delta,
    declared_currency,
    mode_field,
)
from dpgov.datasets.choosing import HARMS, Consequences, consequences, place_of
from dpgov.datasets.models import Dataset
from dpgov.datasets.web.forms.unit import LARGEST_BOUND
from dpgov.language.translation import translated
from dpgov.privacy.accounting.decimals import InvalidAmount
from dpgov.privacy.plan.domains import MAX_GROUP_SIZE
from dpgov.privacy.plan.schema import Neighbouring
from dpgov.web.typed import TypedWholeNumber

_QUESTIONS = 20


class ChoosingForm(forms.Form):
    """Part of the registration form, under the same names; all but the limit may be left out."""

    harm = forms.ChoiceField(
        label=_("What harm could come to a person if their data became known?"),
        choices=[("", _("I have not thought about it yet")), *((h.key, h.words) for h in HARMS)],
        required=False,
    )
    epsilon_limit = EpsilonField(label=_("Limit on ε for the dataset"))
    epsilon_per_query = EpsilonField(
        label=_("Limit on ε for one question"),
        required=False,
        help_text=_("A twentieth if left empty."),
    )
    mode = mode_field("")
    delta = DeltaField(label="δ", required=False)
    unit = forms.ChoiceField(
        label=_("Whose privacy is protected?"),
        choices=Dataset.Unit.choices,
        required=False,
    )
    neighbouring = forms.ChoiceField(
        label=_("Neighbouring relation"),
        choices=Dataset.Neighbouring.choices,
        required=False,
    )
    group_size = TypedWholeNumber(
        label=_("Group size"),
        required=False,
        min_value=1,
        max_value=MAX_GROUP_SIZE,
    )
    max_rows_per_unit = TypedWholeNumber(
        label=_("Most rows of one person"),
        required=False,
        min_value=1,
        max_value=LARGEST_BOUND,
    )

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data if "epsilon_limit" in data else None)
        self.meaning: Consequences | None = None
        self.place = ""

    def clean(self) -> dict[str, Any]:
        """Say what it means, where all of it can be read."""
        super().clean()
        check_delta(self)
        if not self.errors:
            self._look()
        return self.cleaned_data

    def _look(self) -> None:
        data = self.cleaned_data
        limit = data["epsilon_limit"]
        question = data.get("epsilon_per_query") or max(1, limit // _QUESTIONS)
        try:
            self.meaning = consequences(
                limit,
                question_nano=question,
                currency=declared_currency(self),
                neighbouring=Neighbouring(data["neighbouring"] or Neighbouring.ADD_REMOVE),
                group_size=data["group_size"] or 1,
                rows_per_unit=data["max_rows_per_unit"] or 1,
                # What holds of a person holds of a row, and not the other way round.
                of_rows=data["unit"] != Dataset.Unit.PERSON,
            )
        except InvalidAmount as problem:
            self.add_error("epsilon_limit", translated(problem.args[0]))
        self.place = next((place_of(limit, h) for h in HARMS if h.key == data["harm"]), "")
        self.place += next(
            (f" {h.advice}" for h in HARMS if h.key == data["harm"] and h.advice), ""
        )

    @property
    def first_problem(self) -> str:
        """One sentence on what cannot be read yet."""
        for messages in self.errors.values():
            return str(messages[0])
        return ""
