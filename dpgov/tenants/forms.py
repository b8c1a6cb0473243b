"""What may be typed about members and tokens. Names no field that a visitor must not set."""

from django import forms

from dpgov.tenants.models import Role


class MemberForm(forms.Form):
    """A new member: whose address, and which role."""

    email = forms.EmailField(label="E-mail address", max_length=254)
    name = forms.CharField(label="Name", max_length=120, required=False)
    role = forms.ChoiceField(label="Role", choices=Role.choices, initial=Role.ANALYST)


class RoleForm(forms.Form):
    """Another role for a member."""

    role = forms.ChoiceField(label="Role", choices=Role.choices)


class TokenForm(forms.Form):
    """A new token: only its name is chosen."""

    name = forms.CharField(
        label="Name", max_length=80, help_text="What will use it, such as: nightly report."
    )
