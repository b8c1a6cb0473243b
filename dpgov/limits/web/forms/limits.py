"""Forms of the limits page. Each keeps what was typed when something is refused."""

from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.standing import Rate
from dpgov.datasets.audience import analysts_of
from dpgov.datasets.models import Dataset
from dpgov.datasets.web.forms.dataset import EpsilonField, count_in
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import Currency
from dpgov.tenants.models import Project, User

_TEXT = {"class": "form-control"}


def _reason() -> forms.CharField:
    return forms.CharField(
        max_length=500,
        widget=forms.TextInput(attrs=_TEXT),
        label=_("Reason"),
        help_text=_("Goes into the audit log."),
        error_messages={"required": _("Say why, in a few words.")},
    )


class AllocationForm(forms.Form):
    """How much somebody may use, and why; `holder` only for a new allocation."""

    holder = forms.ChoiceField(
        label=_("Analyst or project"),
        widget=forms.Select(attrs={"class": "form-select"}),
        error_messages={"required": _("Choose who gets the allocation.")},
    )
    epsilon_limit = EpsilonField(
        label=_("May use up to ε"),
        help_text=_("In all, not each day. What was used under an earlier allocation counts."),
        error_messages={"required": _("Type how much ε they may use, like 1.")},
    )
    reason = _reason()

    def __init__(self, *args: Any, dataset: Dataset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        count_in(self, dataset.budget.currency)
        self._holders = _holders(dataset)
        self.fields["holder"].choices = [  # type: ignore[attr-defined]
            ("", _("Choose…")),
            (_("Analysts"), _choices(self._holders, User)),
            (_("Projects"), _choices(self._holders, Project)),
        ]

    @property
    def has_holders(self) -> bool:
        """Whether there is anybody to grant something to."""
        return bool(self._holders)

    def clean_holder(self) -> User | Project:
        """The person or project itself."""
        return self._holders[UUID(self.cleaned_data["holder"])]


class AmountForm(forms.Form):
    """A new amount for an allocation that exists."""

    epsilon_limit = EpsilonField(
        label=_("May use up to ε"),
        help_text=_("Not below what is used already."),
        error_messages={"required": _("Type how much ε they may use, like 1.")},
    )
    reason = _reason()

    def __init__(self, *args: Any, currency: Currency, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        count_in(self, currency)


class ReasonForm(forms.Form):
    """Why something ends."""

    reason = _reason()


class RateForm(forms.Form):
    """The most that may be used in a period; empty lifts the rate."""

    epsilon_limit = EpsilonField(
        label=_("At most ε"),
        required=False,
        help_text=_("Leave it empty for no limit of this kind."),
    )
    reason = _reason()

    def __init__(self, *args: Any, rate: Rate, currency: Currency, **kwargs: Any) -> None:
        """What the rate is now, as ε, is what the form shows first."""
        shown = "" if rate.limit_nano is None else as_text(currency.together(rate.limit_nano))
        super().__init__(*args, **kwargs)
        self.initial = {"epsilon_limit": shown}
        count_in(self, currency)


def _holders(dataset: Dataset) -> dict[UUID, User | Project]:
    """Those who may ask, and every project: of its people those who may ask use it."""
    people = analysts_of(dataset).select_related("user")
    analysts = people.order_by("user__name", "user__email")
    found: dict[UUID, User | Project] = {member.user_id: member.user for member in analysts}
    projects = Project.objects.filter(tenant=dataset.tenant_id, ended_at__isnull=True).order_by(
        "name"
    )
    return found | {project.pk: project for project in projects}


def _choices(
    holders: dict[UUID, User | Project], kind: type[User] | type[Project]
) -> list[tuple[str, str]]:
    return [(str(key), str(one)) for key, one in holders.items() if isinstance(one, kind)]
