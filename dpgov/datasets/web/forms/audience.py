"""The form with which an owner says who sees a dataset."""

from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.audience import viewers_of
from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership, Role, User
from dpgov.tenants.roles import having
from dpgov.tenants.web.forms import PickMembers
from dpgov.web.picking import Suggested

EVERYBODY, NAMED = "everybody", "named"
_ONLY_ANALYSTS = _("Only analysts of your organisation can be named.")


class AudienceForm(forms.Form):
    """Everybody or named people only, and who is named; `owner` does not name themselves."""

    who = forms.ChoiceField(
        label=_("Who sees this dataset"),
        choices=[
            (EVERYBODY, _("Everybody in the organisation")),
            (NAMED, _("Only named people")),
        ],
        widget=forms.RadioSelect,
    )
    named = PickMembers(
        of=Suggested.ANALYSTS,
        required=False,
        label=_("Named people"),
        help_text=_("This list counts while only named people see the dataset."),
        widget=forms.CheckboxSelectMultiple({"class": "form-check-input"}),
        error_messages={
            "invalid_choice": _ONLY_ANALYSTS,
            "invalid_pk_value": _ONLY_ANALYSTS,
            "unknown": _ONLY_ANALYSTS,
        },
    )

    def __init__(self, data: Any, *, dataset: Dataset, owner: User) -> None:
        """It begins with what holds now."""
        now = [one.membership_id for one in viewers_of(dataset)]
        known = {"who": NAMED if dataset.named_only else EVERYBODY, "named": now}
        super().__init__(data, initial=known)
        analysts = Membership.objects.filter(having(Role.ANALYST), tenant=dataset.tenant_id)
        others = analysts.filter(~Q(user=owner) | Q(pk__in=now)).select_related("user")
        field: Any = self.fields["named"]
        field.choose_from(others.order_by("user__name", "user__email"))

    @property
    def named_only(self) -> bool:
        """Whether nobody else shall see it."""
        return bool(self.cleaned_data["who"] == NAMED)

    @property
    def people(self) -> list[UUID]:
        """The memberships that shall be named, by id."""
        return [one.pk for one in self.cleaned_data["named"]]
