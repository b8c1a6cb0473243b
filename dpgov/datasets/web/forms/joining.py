"""How a public table is joined to an uploaded file: by which key, and which of its columns."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.models import Upload
from dpgov.datasets.services import own_headers
from dpgov.datasets.web.forms.file import DECIMALS


class PublicJoinForm(forms.Form):
    """The two keys and the columns; their names come from the files, never from what was posted."""

    key = forms.ChoiceField(
        label=_("Key in your file"),
        help_text=_("Not the column that names people."),
    )
    public_key = forms.ChoiceField(
        label=_("Key in the public table"),
        help_text=_("Each value may stand there once."),
    )
    columns = forms.MultipleChoiceField(
        label=_("Columns to take"),
        widget=forms.CheckboxSelectMultiple({"class": "form-check-input"}),
        error_messages={"required": _("Choose at least one column to take.")},
    )
    decimal = forms.ChoiceField(
        label=_("Numbers in the public table are written with"),
        choices=list(DECIMALS.items()),
    )

    def __init__(self, upload: Upload, public: Upload, data: Any = None) -> None:
        own, theirs = own_headers(upload), list(public.headers)
        super().__init__(data, initial=_first(upload, public, own))
        self._choices("key", own)
        self._choices("public_key", theirs)
        self._choices("columns", theirs)
        if public.format == "parquet":
            del self.fields["decimal"]

    def _choices(self, name: str, names: list[str]) -> None:
        field = self.fields[name]
        if isinstance(field, forms.ChoiceField):
            field.choices = [(one, one) for one in names]

    def wanted(self) -> dict[str, Any]:
        """What was chosen; only after `is_valid`."""
        return dict(self.cleaned_data)

    def refuse(self, words: str, field: str) -> None:
        """At the input that is wrong, or above them all."""
        self.add_error(field if field in self.fields else None, words)


def _first(upload: Upload, public: Upload, own: list[str]) -> dict[str, Any]:
    """What is joined already, or a column that both have as the key."""
    first = {"decimal": public.reading.get("decimal", ".")}
    if upload.joined:
        return first | {name: upload.joined[name] for name in ("key", "public_key", "columns")}
    both = [name for name in own if name in public.headers]
    if both:
        first |= {"key": both[0], "public_key": both[0]}
    return first
