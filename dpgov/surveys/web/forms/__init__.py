"""What an owner types about a survey."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Any
from uuid import uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.models import Budget
from dpgov.budgets.web.forms import EpsilonField
from dpgov.budgets.words import limit_text
from dpgov.language.translation import translated
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import InvalidNumber, decimal_text, read_decimal
from dpgov.privacy.local.randomiser import FEWEST_ANSWERS, MOST_ANSWERS
from dpgov.surveys.services import SurveyDraft
from dpgov.surveys.services.drafting import LONGEST_QUESTION, MOST_EXPECTED
from dpgov.surveys.services.letters import MOST_ADDRESSES
from dpgov.web.typed import Lines, TypedNumber, TypedWholeNumber, as_typed

_DAYS = 30
_MOST_TOLD = 20
_IN_RANGES = ("lower", "upper", "ranges")
_SO_MANY_TOKENS = _("Make 1 to 10000 tokens at once.")


class _Bound(TypedNumber):
    """An end of the ranges, kept exact; None where it is left out."""

    def __init__(self, label: Any) -> None:
        widget = forms.TextInput({"autocomplete": "off"})
        super().__init__(label=label, required=False, max_length=30, widget=widget)

    def clean(self, value: Any) -> Decimal | None:
        """Raises ValidationError with what to type instead."""
        text = super().clean(value)
        try:
            return read_decimal(text) if text else None
        except InvalidNumber as problem:
            raise ValidationError(translated(problem.args[0])) from problem


class SurveyForm(forms.Form):
    """The question, its answers in lines or a number in ranges, and what it costs."""

    question = forms.CharField(label=_("Question"), max_length=LONGEST_QUESTION)
    answers = forms.CharField(
        label=_("Answers"),
        required=False,
        widget=Lines({"rows": 4}),
        help_text=_("One a line, 2 to 50. Each person chooses one."),
    )
    lower, upper = _Bound(_("From")), _Bound(_("To"))
    ranges = TypedWholeNumber(
        label=_("Ranges"),
        required=False,
        min_value=FEWEST_ANSWERS,
        max_value=MOST_ANSWERS,
    )
    epsilon = EpsilonField(
        label=_("Privacy loss ε per answer"),
        initial=lambda: as_typed("1.1"),
        help_text=_("At ε 1.1 a yes-or-no answer is true with about 3 chances in 4."),
    )
    expected = TypedWholeNumber(
        label=_("Expected answers"),
        min_value=1,
        max_value=MOST_EXPECTED,
        initial=200,
        help_text=_("Says how exact the estimates will be, before it opens."),
    )
    closes_on = forms.DateField(
        label=_("Last day"), widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d")
    )
    shared_budget = forms.ChoiceField(
        label=_("Charged to"),
        required=False,
        help_text=_(
            "Name the shared budget of these people if questions are asked about them too: an "
            "officer then has to agree."
        ),
    )
    by_token = forms.TypedChoiceField(
        label=_("Who may answer"),
        choices=[
            ("yes", _("anyone with a one-time token")),
            ("no", _("everybody who has the address")),
        ],
        coerce=lambda value: value == "yes",
    )

    def __init__(self, *args: Any, budgets: Sequence[Budget], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._budgets = {str(budget.pk): budget for budget in budgets}
        self.fields["closes_on"].initial = clock.now().date() + timedelta(days=_DAYS)
        named = [(key, f"{each.label} ({limit_text(each)})") for key, each in self._budgets.items()]
        choices = [("", gettext("a budget of its own")), *named]
        self.fields["shared_budget"].choices = choices  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Lines or ranges, not both and not neither."""
        typed = self.cleaned_data
        lines = [line.strip() for line in typed.get("answers", "").splitlines() if line.strip()]
        said = [typed.get(name) is not None for name in _IN_RANGES]
        if not self.errors.keys().isdisjoint(_IN_RANGES):
            lines = []  # what is wrong is told at its field, and is no answer left out
        elif bool(lines) == any(said) or (any(said) and not all(said)):
            self.add_error(
                "answers", gettext("Write the answers, or say from, to and how many ranges.")
            )
        elif not lines:
            lines = self._in_ranges()
        typed["lines"] = lines
        return typed

    def _in_ranges(self) -> list[str]:
        """Equal ranges with decimal edges; below and above belong to the first and last."""
        lower, upper, ranges = (self.cleaned_data[name] for name in _IN_RANGES)
        if upper <= lower:
            self.add_error("upper", gettext("Give a number above the first one."))
            return []
        edges = [
            as_typed(decimal_text((lower + (upper - lower) * at / ranges).normalize()))
            for at in range(ranges + 1)
        ]
        between = gettext("from {low} to below {high}")
        middle = [between.format(low=low, high=high) for low, high in pairwise(edges[1:-1])]
        return [
            gettext("below {high}").format(high=edges[1]),
            *middle,
            gettext("{low} or more").format(low=edges[-2]),
        ]

    def asked(self) -> SurveyDraft:
        """What was typed, for the service."""
        typed = self.cleaned_data
        return SurveyDraft(
            question=typed["question"],
            answers=typed["lines"],
            epsilon_nano=typed["epsilon"],
            expected=typed["expected"],
            closes_on=typed["closes_on"],
            by_token=typed["by_token"],
            shared_budget=self._budgets.get(typed["shared_budget"]),
        )


class TokensForm(forms.Form):
    """How many tokens."""

    number = TypedWholeNumber(
        min_value=1,
        max_value=10_000,
        error_messages=dict.fromkeys(
            ("required", "invalid", "min_value", "max_value"), _SO_MANY_TOKENS
        ),
    )


class LettersForm(forms.Form):
    """Who gets a token by e-mail: one address a line; what is wrong is said for each line."""

    addresses = forms.CharField(
        label=_("E-mail addresses"),
        max_length=MOST_ADDRESSES * 260,
        widget=Lines({"rows": 4, "autocomplete": "off", "spellcheck": "false"}),
        help_text=_(
            "One a line. Each gets a token of its own, an address that you name again another one."
        ),
    )

    key = forms.CharField(
        max_length=32, required=False, widget=forms.HiddenInput, initial=lambda: uuid4().hex
    )

    def clean_addresses(self) -> list[str]:
        """The addresses, each once. Raises ValidationError with one sentence for each bad line."""
        found: dict[str, int] = {}
        wrong: list[str] = []
        for number, line in enumerate(self.cleaned_data["addresses"].splitlines(), start=1):
            address = line.strip()
            try:
                if address:
                    validate_email(address)
                    earlier = found.setdefault(address.casefold(), number)
                    if earlier != number:
                        told = gettext("Line {number}: the same address as in line {earlier}.")
                        wrong.append(told.format(number=number, earlier=earlier))
            except ValidationError:
                wrong.append(gettext("Line {number}: no e-mail address.").format(number=number))
        if wrong:
            more = len(wrong) - _MOST_TOLD
            if more > 0:
                told = ngettext("{number} more line.", "{number} more lines.", more)
                wrong[_MOST_TOLD:] = [told.format(number=more)]
            raise ValidationError(wrong)
        lines = self.cleaned_data["addresses"].splitlines()
        return [line.strip() for line in lines if line.strip()]


class OpenSurveyForm(forms.Form):
    """Why a shared budget is charged."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        widget=Lines({"rows": 2}),
        help_text=_("Goes into the audit log."),
        error_messages={"required": _("Give a reason. It goes into the audit log.")},
    )
