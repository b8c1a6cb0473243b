"""The policy of a dataset as a form, templates to begin with, and permits for larger questions."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.models import Budget
from dpgov.budgets.web.forms import EpsilonField
from dpgov.datasets.audience import analysts_of
from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import Rules
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import PURE, Currency
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.tenants.models import User
from dpgov.tenants.web.forms import PickMember
from dpgov.web.picking import Suggested
from dpgov.web.typed import TypedWholeNumber, as_typed

_CHOICES = [(kind.value, _(kind.facts.label)) for kind in StatisticKind]
# What one question may cost, and from where on a permit is needed, as parts of the limit.
TEMPLATES: Mapping[str, tuple[str | Promise, int, int | None, tuple[str, ...], int | None]] = {
    "open": (_("Open: only one question is bounded"), 5, None, (), None),
    "careful": (_("Careful: small questions, larger ones by permit"), 10, 50, (), None),
    "strict": (
        _("Strict: counts, sums and means only, never very exact"),
        20,
        100,
        ("count", "count_distinct", "sum", "mean"),
        5,
    ),
}


class PolicyForm(forms.Form):
    """The rules that every question about the dataset must keep; begins with those of `before`."""

    per_query = EpsilonField(
        label=_("Most that one question may cost, in ε"),
        help_text=_("So that a single question cannot use everything up."),
    )
    approval_above = EpsilonField(
        label=_("Questions above this ε need your permit"),
        required=False,
        help_text=_(
            "Leave it empty if none does. You give permits below, person by person, or approve "
            "single questions when analysts ask you to."
        ),
    )
    approve_every = forms.BooleanField(
        label=_("Every question needs your permit or approval"),
        required=False,
        help_text=_("Whatever it costs. Ready-made questions are approved already."),
    )
    least_price = EpsilonField(
        label=_("Least that one question costs, in ε"),
        required=False,
        help_text=_(
            "Never less than the least price of this installation. Leave it empty for that one. "
            "What cannot be hidden of the work for an answer is little for each question; a "
            "higher price means fewer of them."
        ),
    )
    least_error = TypedWholeNumber(
        label=_("Least error bound of a count, in rows"),
        required=False,
        min_value=1,
        max_value=10**9,
        widget=forms.TextInput({"inputmode": "numeric"}),
        help_text=_(  # xgettext:no-python-format
            "With 95% confidence, as the price says before asking. A more exact count is "
            "refused, whatever remains of the budget. Leave it empty for no such rule."
        ),
    )
    only_ready_made = forms.BooleanField(
        label=_("Only ready-made questions may be asked"),
        required=False,
        help_text=_(
            "Everything else is refused at every door, free answers too: the form, SQL, batches, "
            "the API. You publish ready-made questions in the settings of the dataset."
        ),
    )
    statistics = forms.MultipleChoiceField(
        label=_("Statistics that may be asked"),
        required=False,
        choices=_CHOICES,
        widget=forms.CheckboxSelectMultiple({"class": "form-check-input"}),
        help_text=_("Tick none to allow every statistic."),
    )

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        budget: Budget,
        before: Rules,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data, initial=typed(before, budget.currency) | dict(initial or {}))
        self._currency = budget.currency
        self._before = before
        if self._currency.delta is not None:
            self.fields["per_query"].label = _("Most that one question may cost, in pure ε")
            self.fields["approval_above"].label = _("Questions above this pure ε need your permit")

    def rules(self) -> Rules:
        """What was typed, in the dataset's currency; only after `is_valid`."""
        data, before = self.cleaned_data, self._before
        above = self._amount("approval_above", before.approval_above_nano)
        return Rules(
            self._amount("per_query", before.per_query_nano) or 0,
            0 if data["approve_every"] else above,
            tuple(data["statistics"]),
            data["least_error"],
            self._amount("least_price", before.least_nano),
            data["only_ready_made"],
        )

    def _amount(self, name: str, before_nano: int | None) -> int | None:
        """The price of what was typed; what stands as it was shown stays to the last billionth."""
        epsilon = self.cleaned_data[name]
        if epsilon is None:
            return None
        if before_nano and epsilon == _shown(name, before_nano, self._currency):
            return before_nano
        return self._currency.price_of(epsilon)


class PermitForm(forms.Form):
    """Who may ask larger questions, how large, until when, and why; `owner` permits others."""

    person = PickMember(
        of=Suggested.ANALYSTS, label=_("Analyst"), empty_label=_("Choose an analyst")
    )
    limit = EpsilonField(label=_("Questions up to this ε"))
    last_day = forms.DateField(
        label=_("Until the end of"),
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
    )
    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        help_text=_("Goes into the audit log."),
    )

    def __init__(self, *args: Any, dataset: Dataset, owner: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if dataset.currency.delta is not None:
            self.fields["limit"].label = _("Questions up to this pure ε")
        field: Any = self.fields["person"]
        people = analysts_of(dataset).select_related("user").order_by("user__name", "user__email")
        field.choose_from(people, offered=people.exclude(user=owner))


def typed(rules: Rules, currency: Currency = PURE) -> dict[str, Any]:
    """Rules as they are typed in."""
    amounts = {
        "per_query": rules.per_query_nano,
        "approval_above": rules.approval_above_nano,
        "least_price": rules.least_nano,
    }
    return {
        **{
            name: as_typed(as_text(_shown(name, nano, currency))) if nano else ""
            for name, nano in amounts.items()
        },
        "approve_every": rules.approval_above_nano == 0,
        "least_error": rules.least_error,
        "statistics": list(rules.statistics),
        "only_ready_made": rules.only_ready_made,
    }


def _shown(name: str, nano: int, currency: Currency) -> int:
    """The ε of an amount, by four digits and to the safe side: a most down, a least up."""
    return currency.question_for(nano) if name == "least_price" else currency.question(nano)


def template(name: str, limit_epsilon_nano: int) -> dict[str, Any]:
    """A template filled in for a limit, as typed; empty for a name that is none."""
    if name not in TEMPLATES:
        return {}
    _words, question, above, statistics, error = TEMPLATES[name]
    return {
        "per_query": _part(limit_epsilon_nano, question),
        "approve_every": False,
        "approval_above": "" if above is None else _part(limit_epsilon_nano, above),
        "least_error": error,
        "statistics": list(statistics),
    }


def _part(limit_nano: int, parts: int) -> str:
    return as_typed(as_text(max(1, limit_nano // parts)))
