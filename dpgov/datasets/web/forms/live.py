"""Forms about a live table: where it is, and the role and password to read it with.

A password goes in and never comes out: after a refusal its field is empty.
"""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.services import LONGEST_PASSWORD, Place
from dpgov.web.typed import TypedWholeNumber

_TEXT = {"class": "form-control", "autocomplete": "off", "spellcheck": "false", "translate": "no"}
_LONGEST_NAME = 63


def _name(label: Any, **options: Any) -> forms.CharField:
    widget = forms.TextInput(attrs=_TEXT)
    return forms.CharField(label=label, max_length=_LONGEST_NAME, widget=widget, **options)


class CredentialsForm(forms.Form):
    """The role that may only read, and its password."""

    role = _name(
        _("Role"),
        help_text=_("It may read this table and write nothing. It must not own the table."),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        max_length=LONGEST_PASSWORD,
        widget=forms.PasswordInput(attrs=_TEXT | {"autocomplete": "new-password"}),
        help_text=_("It is stored encrypted, used to ask this table, and never shown again."),
    )


class PlaceForm(CredentialsForm):
    """A table in a server that this installation allows."""

    field_order = ("host", "port", "database", "schema", "table", "role", "password")
    host = forms.CharField(
        label=_("Host"),
        max_length=253,
        widget=forms.TextInput(attrs=_TEXT),
        help_text=_("As the people who run this installation allowed it."),
    )
    port = TypedWholeNumber(
        label=_("Port"),
        min_value=1,
        max_value=65_535,
        initial=5432,
        widget=forms.TextInput(attrs=_TEXT | {"inputmode": "numeric"}),
    )
    database = _name(_("Database"))
    schema = _name(_("Schema"), initial="public")
    table = _name(_("Table or view"))

    def place(self) -> Place:
        """What was typed; only after `is_valid`."""
        return Place(**self.cleaned_data | {"host": self.cleaned_data["host"].lower()})
