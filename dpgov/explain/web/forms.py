"""The question that a reader of the pages about ε looks at; sent by GET, and nothing is asked."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.web.forms import DeltaField, EpsilonField
from dpgov.budgets.words import question
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import most_per_question
from dpgov.explain.comparison import DEFAULT_DELTA
from dpgov.explain.densities import STATISTICS, Sides, sides
from dpgov.explain.promise import Promise
from dpgov.language.translation import translated
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.web.typed import as_typed

_QUESTIONS = 20


class ExampleForm(forms.Form):
    """A statistic, a column for it and an ε; what is left out is as it was offered."""

    statistic = forms.ChoiceField(
        choices=[(kind.value, _(kind.facts.label)) for kind in STATISTICS],
        label=_("Statistic"),
        required=False,
    )
    column = forms.ChoiceField(
        label=_("Column (for a sum or a mean)"),
        required=False,
        widget=forms.Select(attrs={"translate": "no"}),
    )
    epsilon = EpsilonField(
        label=_("Pure ε of the question"),
        help_text=_("Nothing is asked and nothing is spent by looking."),
    )
    # What is left out is as it was offered.
    use_required_attribute = False

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

    limit = EpsilonField(
        label=_("ε of all answers together"),
        help_text=_("Of an invented dataset. Try 0.1, 1 and 10."),
    )
    use_required_attribute = False

    def __init__(self, data: QueryDict) -> None:
        super().__init__({"limit": data.get("limit") or "1"})


class QuestionForm(forms.Form):
    """The ε of one question about a dataset; left out, it is the most that one may cost."""

    epsilon = EpsilonField(label=_("Pure ε of one question to look at"), required=False)

    def __init__(self, data: QueryDict, dataset: Dataset) -> None:
        super().__init__(data)
        self.most_nano = most_per_question(dataset)
        self.currency = dataset.budget.currency
        offered = as_text(self.currency.question(self.most_nano))
        self.fields["epsilon"].widget.attrs["placeholder"] = as_typed(offered)
        self.fields["epsilon"].help_text = gettext(
            "Left empty: {price}, the most that one question may cost here. Nothing is spent by "
            "looking."
        ).format(price=question(self.most_nano, self.currency))

    @property
    def question_nano(self) -> int:
        """What it costs in the dataset's currency; the most, where what is typed is refused."""
        typed = self.cleaned_data.get("epsilon") if self.is_valid() else None
        return self.most_nano if typed is None else self.currency.price_of(typed)


class DeltaForm(forms.Form):
    """The δ that accounts are compared at."""

    delta = DeltaField(
        label=_("δ to compare at"),
        help_text=_(
            "The probability that comes on top of what ε allows. Nothing is spent or changed by "
            "looking."
        ),
    )
    use_required_attribute = False

    def __init__(self, data: QueryDict, dataset: Dataset) -> None:
        super().__init__(
            {"delta": data.get("delta") or as_typed(dataset.budget.delta or DEFAULT_DELTA)}
        )
