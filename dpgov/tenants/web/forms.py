"""What may be typed about members and tokens. Names no field that a visitor must not set."""

from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from dpgov.tenants.models import Membership, Role, User
from dpgov.tenants.roles import choices
from dpgov.tenants.tokens import DAYS
from dpgov.web.picking import PickOne, PickSeveral, Suggested
from dpgov.web.typed import Lines

_DAYS = (7, 30, DAYS, 365)


class InvitationForm(forms.Form):
    """Whom to invite, and as what; `reason` is for the officer who has to agree."""

    email = forms.EmailField(label=_("E-mail address"), max_length=254)
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.ANALYST)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        required=False,
        help_text=_(
            "For a data owner or a compliance officer: an officer reads it and has to agree. It "
            "goes into the audit log."
        ),
    )


class JoinForm(forms.Form):
    """A new person's name and password; checked against the rules for passwords by the service."""

    name = forms.CharField(label=_("Your name"), max_length=120, required=False)
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label=_("Password, once more"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean(self) -> dict[str, Any]:
        """Both must be the same."""
        typed: dict[str, Any] = super().clean() or {}
        if "again" in typed and typed.get("password") != typed["again"]:
            self.add_error("again", _("The two passwords differ. Type them again."))
        return typed


class RoleForm(forms.Form):
    """Another role for a member, or two; `reason` is for the officer who has to agree.

    `sure` says that what is lost with the present role was read.
    """

    role = forms.ChoiceField(label=_("Role"), choices=choices)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=500,
        required=False,
        widget=Lines({"rows": 2, "required": True}),
    )
    sure = forms.BooleanField(required=False)

    def has_reason(self) -> bool:
        """Whether something was given for the officer to read."""
        return bool(self.cleaned_data.get("reason"))


class TokenForm(forms.Form):
    """A new token: its name, and how long it works."""

    name = forms.CharField(
        label=_("Name"), max_length=80, help_text=_("What will use it, such as: nightly report.")
    )
    days = forms.TypedChoiceField(label=_("Works for"), coerce=int, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        longest = settings.DPGOV_TOKEN_DAYS
        days = sorted({n for n in _DAYS if n < longest} | {min(longest, _DAYS[-1])})
        choices = [(n, ngettext("%(n)d day", "%(n)d days", n) % {"n": n}) for n in days]
        self.fields["days"].choices = choices  # type: ignore[attr-defined]
        self.fields["days"].initial = self._usual = min(DAYS, longest)

    def clean_days(self) -> int:
        """As many as usual where nothing was chosen."""
        return int(self.cleaned_data["days"] or self._usual)


class ProjectForm(forms.Form):
    """A new project: only its name is chosen."""

    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        help_text=_("What people work on, such as: Commuting study."),
    )


class PickMember(PickOne):
    """A member, by name and address."""

    def __init__(self, *, of: Suggested, **kwargs: Any) -> None:
        super().__init__(of=of, by="user__email", queryset=Membership.objects.none(), **kwargs)

    def label_from_instance(self, obj: Any) -> str:
        """Two people may have one name."""
        return named(obj.user)


class PickMembers(PickSeveral):
    """Several of them."""

    def __init__(self, *, of: Suggested, **kwargs: Any) -> None:
        super().__init__(of=of, by="user__email", queryset=Membership.objects.none(), **kwargs)

    def label_from_instance(self, obj: Any) -> str:
        """The same."""
        return named(obj.user)


def named(user: User) -> str:
    """Name and address."""
    return f"{user.name} ({user.email})" if user.name else str(user.email)


class ProjectMemberForm(forms.Form):
    """Somebody who joins a project; only members of the tenant can be chosen."""

    person = PickMember(of=Suggested.MEMBERS, label=_("Person"), empty_label=_("Choose"))

    def __init__(self, *args: Any, people: QuerySet[Membership], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["person"].choose_from(people)  # type: ignore[attr-defined]
