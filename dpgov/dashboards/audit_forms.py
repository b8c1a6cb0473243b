"""The filter over the audit log. Reads names as the log wrote them; changes nothing."""

from typing import Any

from django import forms

from dpgov.audit.selectors import EntryFilter
from dpgov.dashboards.audit_words import WORDS

_ACTIONS = [("", "Anything"), *((code.value, words) for code, words in WORDS.items())]
_MOMENT_FORMATS = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d"]


def _moment() -> forms.DateTimeInput:
    return forms.DateTimeInput({"type": "datetime-local"}, format=_MOMENT_FORMATS[0])


class AuditFilterForm(forms.Form):
    """Who did what, to which dataset, when. All fields may stay empty."""

    actor = forms.CharField(
        label="Who", max_length=254, required=False, widget=forms.TextInput({"list": "actors"})
    )
    action = forms.ChoiceField(label="What", choices=_ACTIONS, required=False)
    dataset = forms.CharField(
        label="Dataset", max_length=200, required=False, help_text="Its short name."
    )
    since = forms.DateTimeField(
        label="From", required=False, widget=_moment(), input_formats=_MOMENT_FORMATS
    )
    until = forms.DateTimeField(
        label="Until", required=False, widget=_moment(), input_formats=_MOMENT_FORMATS
    )

    def clean(self) -> dict[str, Any]:
        """Refuses a span that ends before it begins."""
        cleaned: dict[str, Any] = super().clean() or {}
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and until <= since:
            self.add_error("until", "The end must be later than the beginning.")
        return cleaned

    def chosen(self) -> EntryFilter:
        """The filter; everything when a field is wrong, whose message is then shown."""
        return EntryFilter(**self.cleaned_data) if self.is_valid() else EntryFilter()


class ConsistencyForm(forms.Form):
    """Two checkpoints, by their number of entries."""

    old = forms.IntegerField(label="Earlier checkpoint (entries)", min_value=1, max_value=10**17)
    new = forms.IntegerField(label="Later checkpoint (entries)", min_value=1, max_value=10**17)

    def clean(self) -> dict[str, Any]:
        """Refuses a later one that is not later."""
        cleaned: dict[str, Any] = super().clean() or {}
        if "old" in cleaned and "new" in cleaned and cleaned["new"] < cleaned["old"]:
            self.add_error("new", "The later checkpoint must have more entries.")
        return cleaned
