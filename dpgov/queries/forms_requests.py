"""What people type when they ask for budget, and when they answer. It goes into the audit log."""

from typing import Any

from django import forms

from dpgov.datasets.forms import EpsilonField, count_in
from dpgov.privacy.budget import as_text
from dpgov.privacy.currency import Currency
from dpgov.queries.models import BudgetRequest

GRANT, PASS_ON, DECLINE = "grant", "pass_on", "decline"


def _text(label: str, required: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=300,
        widget=forms.Textarea({"class": "form-control", "rows": 2}),
        help_text="Goes into the audit log.",
        error_messages={"required": required},
    )


class AskForBudgetForm(forms.Form):
    """What is wanted, how much of it in all, and what for."""

    about = forms.ChoiceField(
        label="What do you ask for?",
        choices=BudgetRequest.About.choices,
        widget=forms.Select(attrs={"class": "form-select"}),
        error_messages={"required": "Choose what you ask for."},
    )
    epsilon_limit = EpsilonField(
        label="Up to ε",
        help_text="In all, with what was used before; not on top of it.",
        error_messages={"required": "Type how much ε you need in all, like 1."},
    )
    reason = _text("What is it for?", "Say what it is for, in a few words.")

    def __init__(self, *args: Any, currency: Currency, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        count_in(self, currency)


class AnswerForm(forms.Form):
    """An owner's answer; the amount is needed to say yes only."""

    decision = forms.ChoiceField(
        choices=[(GRANT, "Grant"), (PASS_ON, "Pass on"), (DECLINE, "Decline")],
        error_messages={"required": "Press one of the buttons."},
    )
    epsilon_limit = EpsilonField(
        label="Up to ε",
        help_text="In all, with what was used before. You may give less than was asked for.",
        error_messages={"required": "Type how much ε they may use in all, like 1."},
    )
    answer = _text("Your answer", "Give the analyst a reason.")

    def __init__(self, *args: Any, wish: BudgetRequest, **kwargs: Any) -> None:
        kwargs.setdefault("initial", {"epsilon_limit": as_text(wish.epsilon_nano)})
        super().__init__(*args, **kwargs)
        count_in(self, wish.dataset.budget.currency)

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("decision") == DECLINE:
            self.errors.pop("epsilon_limit", None)
        return self.cleaned_data
