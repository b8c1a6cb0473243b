"""Forms about a live table: where it is, and what it is read with, by the fields of its kind.

A password goes in and never comes out: after a refusal its field is empty.
"""

from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.models import LiveTable
from dpgov.datasets.services import LONGEST_PASSWORD, SourceKind, TablePlace, TypedField
from dpgov.language.translation import translated
from dpgov.web.typed import TypedWholeNumber

_ADDRESS = ("host", "port")
_TEXT = {"class": "form-control", "autocomplete": "off", "spellcheck": "false", "translate": "no"}


class CredentialsForm(forms.Form):
    """What it is read with: all that may be replaced."""

    def __init__(self, kind: SourceKind, *posted: Any, **options: Any) -> None:
        super().__init__(*posted, **options)
        self.kind = kind
        for typed in self._typed():
            self.fields[typed.name] = _field(typed)
        self.fields[kind.secret.name] = forms.CharField(
            label=translated(kind.secret.label),
            strip=False,
            max_length=LONGEST_PASSWORD,
            widget=forms.PasswordInput(attrs=_TEXT | {"autocomplete": "new-password"}),
            help_text=_("It is stored encrypted, used to ask this table, and never shown again."),
        )

    def _typed(self) -> list[TypedField]:
        return [typed for typed in self.kind.fields if typed.may_change]


class PlaceForm(CredentialsForm):
    """Rows in a server that this installation allows."""

    def _typed(self) -> list[TypedField]:
        return list(self.kind.fields)

    def place(self) -> TablePlace:
        """What was typed; only after `is_valid`."""
        values = dict(self.cleaned_data)
        return TablePlace(kind=self.kind, password=values.pop(self.kind.secret.name), values=values)


class RefreshForm(forms.Form):
    """Since which version the rows are others: the newest one that the page showed."""

    version = forms.IntegerField(min_value=1, max_value=10**9, widget=forms.HiddenInput)


def facts(kind: SourceKind, live: LiveTable) -> list[tuple[str, Any]]:
    """What was said of the place, by its labels."""
    stays = (typed for typed in kind.fields if not typed.may_change and typed.name not in _ADDRESS)
    return [
        (gettext("Server"), live.address),
        *((translated(typed.label), getattr(live, typed.name)) for typed in stays),
    ]


def _field(typed: TypedField) -> forms.Field:
    said: dict[str, Any] = {
        "label": translated(typed.label),
        "help_text": translated(typed.help) if typed.help else "",
    }
    if typed.how == "tick":
        return forms.BooleanField(required=False, **said)
    if typed.how == "number":
        widget = forms.TextInput(attrs=_TEXT | {"inputmode": "numeric"})
        most = {"min_value": 1, "max_value": 65_535}
        return TypedWholeNumber(initial=typed.initial, widget=widget, **most, **said)
    widget = forms.TextInput(attrs=_TEXT)
    return forms.CharField(initial=typed.initial, max_length=typed.longest, widget=widget, **said)
