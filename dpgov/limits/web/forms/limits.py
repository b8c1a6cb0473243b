"""Forms of the limits page. Each keeps what was typed when something is refused."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.standing import Rate
from dpgov.budgets.web.forms import EpsilonField, count_in
from dpgov.datasets.audience import analysts_of
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import as_text
from dpgov.privacy.accounting.loss import Currency
from dpgov.tenants.models import Membership, Project, ProjectMember, User
from dpgov.web.picking import FEW, UNKNOWN, Suggested, TypedOne, is_key
from dpgov.web.typed import as_typed


def _reason() -> forms.CharField:
    return forms.CharField(
        max_length=500,
        label=_("Reason"),
        help_text=_("Goes into the audit log."),
        error_messages={"required": _("Say why, in a few words.")},
    )


class AllocationForm(forms.Form):
    """How much somebody may use, and why; `holder` only for a new allocation.

    `owner` decides nothing that they would use themselves: it is not in the list.
    """

    holder = forms.ChoiceField(
        label=_("Analyst or project"),
        error_messages={"required": _("Choose who gets the allocation.")},
    )
    epsilon_limit = EpsilonField(
        label=_("May use up to ε"),
        help_text=_("In all, not each day. What was used under an earlier allocation counts."),
        error_messages={"required": _("Type how much ε they may use, like 1.")},
    )
    reason = _reason()

    def __init__(self, *args: Any, dataset: Dataset, owner: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        count_in(self, dataset.budget.currency)
        self._analysts, self._projects = _analysts(dataset), _projects(dataset)
        people, projects = list(self._analysts[: FEW + 1]), list(self._projects[: FEW + 1])
        self.has_holders = bool(people or projects)
        if len(people) + len(projects) > FEW:
            typed = self.fields["holder"]
            self.fields["holder"] = forms.CharField(
                label=typed.label,
                widget=TypedOne(Suggested.HOLDERS),
                error_messages={"required": typed.error_messages["required"]},
            )
            return
        field: Any = self.fields["holder"]
        field.choices = _choices(people, projects)
        mine = projects_with(owner)
        others = [one for one in people if one.user_id != owner.pk]
        without = [one for one in projects if one.pk not in mine]
        field.widget.choices = _choices(others, without)
        self.is_for_oneself = self.has_holders and not (others or without)

    def clean_holder(self) -> User | Project:
        """The person or project itself: by key, by e-mail, or by the name of a project."""
        text = self.cleaned_data["holder"].strip()
        if is_key(text):
            person, project = self._analysts.filter(user=text), self._projects.filter(pk=text)
        else:
            person = self._analysts.filter(user__email__iexact=text)
            project = self._projects.filter(name__iexact=text)
        if found := person.first():
            return found.user
        if named := project.first():
            return named
        raise forms.ValidationError(UNKNOWN, code="unknown", params={"value": text[:100]})


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
        known = rate.limit_nano
        shown = "" if known is None else as_typed(as_text(currency.together(known)))
        super().__init__(*args, **kwargs)
        self.initial = {"epsilon_limit": shown}
        count_in(self, currency)


def projects_with(user: User) -> set[UUID]:
    """Those that this person works on."""
    mine = ProjectMember.objects.present().filter(user=user)
    return set(mine.values_list("project_id", flat=True))


def _choices(people: Sequence[Membership], projects: Sequence[Project]) -> list[Any]:
    return [
        ("", _("Choose…")),
        (_("Analysts"), [(str(one.user_id), str(one.user)) for one in people]),
        (_("Projects"), [(str(one.pk), str(one)) for one in projects]),
    ]


def _analysts(dataset: Dataset) -> QuerySet[Membership]:
    """Those who may ask."""
    people = analysts_of(dataset).select_related("user")
    return people.order_by("user__name", "user__email")


def _projects(dataset: Dataset) -> QuerySet[Project]:
    """Every project: of its people those who may ask use it."""
    running = Project.objects.filter(tenant=dataset.tenant_id, ended_at__isnull=True)
    return running.order_by("name")
