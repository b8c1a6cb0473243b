"""The question that a reader of the pages about ε looks at; sent by GET, and nothing is asked."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from dpgov.explain.densities import STATISTICS, Sides, sides
from dpgov.explain.promise import Promise
from dpgov.language.translation import translated
from dpgov.privacy.accounting.decimals import InvalidAmount, as_text, parse_epsilon
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.web.typed import TypedNumber, as_typed

_SELECT = {"class": "form-select"}
_QUESTIONS = 20
_BOX = {"class": "form-control", "inputmode": "decimal", "autocomplete": "off"}


class ExampleForm(forms.Form):
    """A statistic, a column for it and an ε; what is left out is as it was offered."""

    statistic = forms.ChoiceField(
        choices=[(kind.value, _(kind.facts.label)) for kind in STATISTICS],
        label=_("Statistic"),
        required=False,
        widget=forms.Select(attrs=_SELECT),
    )
    column = forms.ChoiceField(
        label=_("Column (for a sum or a mean)"),
        required=False,
        widget=forms.Select(attrs=_SELECT | {"translate": "no"}),
    )
    epsilon = TypedNumber(
        label=_("Pure ε of the question"),
        required=False,
        max_length=40,
        widget=forms.TextInput(attrs=_BOX),
        help_text=_("Nothing is asked and nothing is spent by looking."),
    )

    def __init__(self, data: QueryDict, *, promise: Promise) -> None:
        self.policy = promise
        offered = {
            "statistic": STATISTICS[0].value,
            "column": next(iter(promise.numbers), ""),
            "epsilon": as_typed(as_text(promise.currency.question(_usual_nano(promise)))),
        }
        super().__init__(offered | {k: v for k, v in data.items() if k in offered and v})
        self.sides: Sides | None = None
        numbers = self.fields["column"]
        if isinstance(numbers, forms.ChoiceField):
            numbers.choices = [(name, name) for name in promise.numbers]
        if not promise.numbers:
            del self.fields["column"]

    def clean_epsilon(self) -> int:
        """In nano-ε; at most what a question may cost is not asked for: looking is free."""
        try:
            return parse_epsilon(self.cleaned_data["epsilon"])
        except InvalidAmount as problem:
            raise forms.ValidationError(translated(problem.args[0])) from problem

    def clean(self) -> dict[str, Any]:
        """Make the two noises, or say why this could not be asked."""
        data = self.cleaned_data
        kind = StatisticKind(data.get("statistic") or STATISTICS[0])
        if self.errors or (kind.facts.takes_column and not self.policy.numbers):
            if not self.errors:
                words = _("No column of numbers is declared: look at a count.")
                self.add_error("statistic", words)
            return data
        try:
            self.sides = sides(
                self.policy,
                statistic=kind.value,
                column=data.get("column", ""),
                epsilon_nano=data["epsilon"],
            )
        except InvalidPlan as refusal:
            for problem in refusal.problems:
                self.add_error("epsilon", translated(problem.message))
        return data


def _usual_nano(promise: Promise) -> int:
    """A question of which twenty or so fit into the budget, and not more than one may cost."""
    return max(1, min(promise.question_nano, promise.limit_nano // _QUESTIONS))


class InventedForm(forms.Form):
    """The limit of the dataset that there is not yet."""

    limit = TypedNumber(
        label=_("ε of all answers together"),
        required=False,
        max_length=40,
        widget=forms.TextInput(attrs=_BOX),
        help_text=_("Of an invented dataset. Try 0.1, 1 and 10."),
    )

    def __init__(self, data: QueryDict) -> None:
        super().__init__({"limit": data.get("limit") or "1"})

    def clean_limit(self) -> int:
        """In nano-ε."""
        try:
            return parse_epsilon(self.cleaned_data["limit"])
        except InvalidAmount as problem:
            raise forms.ValidationError(translated(problem.args[0])) from problem
