"""The form with which an owner says who sees a dataset."""

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.audience import viewers_of
from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership, Role, User
from dpgov.tenants.roles import having

if TYPE_CHECKING:
    _Members = forms.ModelMultipleChoiceField[Membership]
else:
    _Members = forms.ModelMultipleChoiceField

EVERYBODY, NAMED = "everybody", "named"


class _People(_Members):
    """Members, by name and address."""

    def label_from_instance(self, obj: Any) -> str:
        """Two people may have one name."""
        return f"{obj.user.name} ({obj.user.email})" if obj.user.name else str(obj.user.email)


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
    named = _People(
        queryset=Membership.objects.none(),
        required=False,
        label=_("Named people"),
        widget=forms.CheckboxSelectMultiple({"class": "form-check-input"}),
        error_messages={
            "invalid_choice": _("Only analysts of your organisation can be named."),
            "invalid_pk_value": _("Only analysts of your organisation can be named."),
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
        field.queryset = others.order_by("user__name", "user__email")

    @property
    def named_only(self) -> bool:
        """Whether nobody else shall see it."""
        return bool(self.cleaned_data["who"] == NAMED)

    @property
    def people(self) -> list[UUID]:
        """The memberships that shall be named, by id."""
        return [one.pk for one in self.cleaned_data["named"]]
