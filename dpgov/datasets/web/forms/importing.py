"""A file with column metadata, read; and where what was found is told until the form is sent."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.importing import Filled, UnreadableMetadata, filled, read_metadata
from dpgov.datasets.models import Upload

_KEPT = "imported-columns"


class MetadataForm(forms.Form):
    """One small file; `filled` holds what it says, once the form is valid."""

    file = forms.FileField(
        label=_("YAML, JSON or CSV file"),
        allow_empty_file=True,
        error_messages={"required": _("Choose a file first.")},
        widget=forms.FileInput(attrs={"accept": ".yaml,.yml,.json,.csv"}),
    )

    def __init__(self, *args: Any, headers: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.headers = headers
        self.filled: Filled | None = None

    def clean_file(self) -> Any:
        """Read it, or say at the field why it cannot be read."""
        file = self.cleaned_data["file"]
        try:
            self.filled = filled(read_metadata(file.read()), self.headers)
        except UnreadableMetadata as problem:
            raise forms.ValidationError(str(problem)) from problem
        return file


def keep(request: HttpRequest, upload: Upload, found: Filled) -> None:
    """Remember it for this upload; a session holds the latest only."""
    request.session[_KEPT] = {"upload": str(upload.pk), "found": found.as_json()}


def kept(request: HttpRequest, upload: Upload) -> Filled | None:
    """What was read for this upload, if anything was."""
    stored = request.session.get(_KEPT)
    if not stored or stored["upload"] != str(upload.pk):
        return None
    return Filled(**stored["found"])


def forget(request: HttpRequest) -> None:
    """What stands in a form that is kept goes before what was read."""
    request.session.pop(_KEPT, None)
