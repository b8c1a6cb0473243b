"""What people type when they request, decide or confirm. Each text goes into the audit log."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.errors import NotRaised
from dpgov.budgets.models import Budget
from dpgov.budgets.web.forms import EpsilonField, count_in
from dpgov.budgets.words import limit_said
from dpgov.web.typed import Lines

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

_LOGGED = _("Goes into the audit log.")


def _reason(label: "StrOrPromise") -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=500,
        widget=Lines({"rows": 2}),
        help_text=_LOGGED,
        error_messages={"required": _("Give a reason. It goes into the audit log.")},
    )


class DecisionForm(forms.Form):
    """Why a request is approved or rejected."""

    reason = _reason(_("Your reason"))


class RefundForm(forms.Form):
    """Why a question should be refunded."""

    reason = _reason(_("Why should this be refunded?"))


class RaiseForm(forms.Form):
    """A limit higher than the present one, and why."""

    epsilon_limit = EpsilonField(label=_("New limit on ε"))
    reason = _reason(_("Why is a higher limit needed?"))

    def __init__(self, *args: Any, budget: Budget, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._budget = budget
        count_in(self, budget.currency)

    def clean_epsilon_limit(self) -> int:
        """Refuses what is not higher."""
        wanted: int = self.cleaned_data["epsilon_limit"]
        if wanted <= self._budget.limit_epsilon_nano:
            raise forms.ValidationError(str(NotRaised(limit=limit_said(self._budget))))
        return wanted


class ConfirmForm(forms.Form):
    """That a frozen balance was compared, and what the backup did not know, in its currency."""

    missing = EpsilonField(
        label=_("ε that is missing here"),
        required=False,
        help_text=_("What was answered after the backup was taken. Leave it empty if nothing was."),
    )
    reports = forms.ChoiceField(
        label=_("Reports that came after the backup"),
        choices=[
            ("close", _("Some may be missing: close it for good")),
            ("take", _("None is missing: take reports again")),
        ],
        initial="close",
        required=False,
        widget=forms.RadioSelect,
        help_text=_("Whoever sent one that is missing here could send another, and lose ε twice."),
    )
    questions = forms.ChoiceField(
        label=_("Questions that waited when the backup was made"),
        choices=[
            ("end", _("Some may have been answered since: end and charge them")),
            ("go_on", _("None was answered anywhere else: let them be answered")),
        ],
        initial="end",
        required=False,
        widget=forms.RadioSelect,
        help_text=_(
            "One that was answered and is answered again would count twice for the people in the "
            "data. What these questions cost is reserved here: do not add it to what is missing."
        ),
    )
    reason = _reason(_("What did you compare?"))

    def __init__(
        self, *args: Any, budget: Budget, has_surveys: bool, has_waiting: bool, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["missing"].label = _("{symbol} that is missing here").format(
            symbol=budget.currency.symbol
        )
        if budget.kind == Budget.Kind.SURVEY:
            # All of it was charged when the survey opened.
            del self.fields["missing"]
        if not has_surveys:
            del self.fields["reports"]
        if not has_waiting:
            del self.fields["questions"]

    @property
    def ends_questions(self) -> bool:
        """Of a valid form: also where nothing was chosen, or nothing was seen to wait."""
        return self.cleaned_data.get("questions") != "go_on"

    @property
    def closes_surveys(self) -> bool:
        """Of a valid form: also where nothing was chosen, as that is safe."""
        return "reports" in self.fields and self.cleaned_data["reports"] != "take"
