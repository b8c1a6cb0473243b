"""What people type when they ask for budget, and when they answer. It goes into the audit log."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.budgets.web.forms import EpsilonField, count_in
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import Currency
from dpgov.queries.models import BudgetRequest
from dpgov.web.typed import Lines, as_typed

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

GRANT, PASS_ON, DECLINE = "grant", "pass_on", "decline"


def _text(label: "StrPromise", required: "StrPromise") -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=300,
        widget=Lines({"rows": 2}),
        help_text=gettext_lazy("Goes into the audit log."),
        error_messages={"required": required},
    )


def _count(form: forms.Form, of_one_question: bool, currency: Currency) -> None:
    """Take the amount as a limit of this currency, or as the pure ε of one question."""
    if not of_one_question:
        count_in(form, currency)
        return
    form.fields["epsilon_limit"].label = _("Questions up to this pure ε")
    form.fields["epsilon_limit"].help_text = _("For each question; everything else still holds.")


class AskForBudgetForm(forms.Form):
    """What is wanted, how much of it in all, and what for."""

    about = forms.ChoiceField(
        label=gettext_lazy("What do you ask for?"),
        choices=[
            (about.value, about.label)
            for about in BudgetRequest.About
            if about is not BudgetRequest.About.QUESTION
        ],
        error_messages={"required": gettext_lazy("Choose what you ask for.")},
    )
    epsilon_limit = EpsilonField(
        label=gettext_lazy("Up to ε"),
        help_text=gettext_lazy(
            "In all: what was charged to the same allocation or limit before is part of it. What "
            "was asked without an allocation belongs to none."
        ),
        error_messages={"required": gettext_lazy("Type how much ε you need in all, like 1.")},
    )
    reason = _text(
        gettext_lazy("What is it for?"), gettext_lazy("Say what it is for, in a few words.")
    )

    def __init__(self, *args: Any, currency: Currency, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _count(self, self["about"].value() == BudgetRequest.About.PERMIT, currency)


class AskForApprovalForm(forms.Form):
    """What the owner reads beside the question and its price."""

    purpose = _text(
        gettext_lazy("What is it for?"), gettext_lazy("Say what it is for, in a few words.")
    )


class AskNowForm(forms.Form):
    """What is charged, where there are several allocations to choose from."""

    def __init__(self, *args: Any, allocations: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if len(allocations) > 1:
            self.fields["allocation"] = forms.ChoiceField(
                label=_("Charged to"),
                choices=list(allocations),
            )

    @property
    def allocation_id(self) -> UUID | None:
        """What was chosen, if there was a choice; only after `is_valid`."""
        chosen = self.cleaned_data.get("allocation")
        return UUID(chosen) if chosen else None


class AnswerForm(forms.Form):
    """An owner's answer; the amount is needed to say yes only."""

    decision = forms.ChoiceField(
        choices=[
            (GRANT, gettext_lazy("Grant")),
            (PASS_ON, gettext_lazy("Pass on")),
            (DECLINE, gettext_lazy("Decline")),
        ],
        error_messages={"required": gettext_lazy("Press one of the buttons.")},
    )
    epsilon_limit = EpsilonField(
        label=gettext_lazy("Up to ε"),
        help_text=gettext_lazy(
            "In all: what was charged to the same allocation or limit before is part of it. What "
            "was asked without an allocation belongs to none. You may give less than was asked for."
        ),
        error_messages={"required": gettext_lazy("Type how much ε they may use in all, like 1.")},
    )
    last_day = forms.DateField(
        label=gettext_lazy("Until the end of"),
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        error_messages={"required": gettext_lazy("Say until when they may.")},
    )
    answer = _text(gettext_lazy("Your answer"), gettext_lazy("Give the analyst a reason."))

    def __init__(self, *args: Any, budget_request: BudgetRequest, **kwargs: Any) -> None:
        self.asked_nano = budget_request.epsilon_nano
        self.is_too_late = budget_request.dataset.archived_at is not None
        kwargs.setdefault("initial", {"epsilon_limit": as_typed(as_text(self.asked_nano))})
        super().__init__(*args, **kwargs)
        if budget_request.is_approval:
            del self.fields["epsilon_limit"], self.fields["last_day"]
            return
        _count(self, budget_request.is_of_one_question, budget_request.dataset.budget.currency)
        if not budget_request.is_of_one_question:
            del self.fields["last_day"]

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("decision") == DECLINE:
            self.errors.pop("epsilon_limit", None)
            self.errors.pop("last_day", None)
        elif self.is_too_late:
            self.add_error("decision", _("The dataset is archived: nothing can be granted."))
        elif self.cleaned_data.get("epsilon_limit", 0) > self.asked_nano:
            refusal = _("That is more than the ε {asked} that was asked for.")
            self.add_error("epsilon_limit", refusal.format(asked=as_text(self.asked_nano)))
        return self.cleaned_data
