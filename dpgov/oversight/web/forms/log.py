"""The filter over the audit log: a search box, and a field for each of its words.

Reads names as the log wrote them; changes nothing.
"""

from dataclasses import fields, replace
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.audit.selectors import EntryFilter
from dpgov.operation.moments import MomentInUtc
from dpgov.oversight.log.search import LONGEST, NotUnderstood, parse
from dpgov.oversight.log.words import WORDS
from dpgov.web.picking import Suggested, TypedOne
from dpgov.web.typed import TypedWholeNumber

_ACTIONS = [("", gettext_lazy("Anything")), *((code.value, words) for code, words in WORDS.items())]
_MOMENT_FORMATS = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d"]


class _Moment(forms.DateTimeInput):
    """A moment; a day alone, as addresses may name one, is shown as its midnight."""

    def format_value(self, value: Any) -> str | None:
        text = super().format_value(value)
        return f"{text}T00:00" if text and len(text) == len("2026-11-25") else text


class _MomentField(MomentInUtc):
    """As browsers send it, or a day alone."""

    def __init__(self, **options: Any) -> None:
        widget = _Moment({"type": "datetime-local"}, format=_MOMENT_FORMATS[0])
        super().__init__(widget=widget, input_formats=_MOMENT_FORMATS, **options)


class AuditFilterForm(forms.Form):
    """Who did what, to which dataset, when. All fields may stay empty.

    What the search box says and what the fields say must both hold.
    """

    q = forms.CharField(
        label=gettext_lazy("Search"),
        max_length=LONGEST,
        required=False,
        widget=forms.TextInput(
            {
                "class": "form-control",
                "placeholder": "actor:anna@example.org dataset:visits on:2026-11-21 ε:>0.5",
                "spellcheck": "false",
                "translate": "no",
                "autocapitalize": "none",
            }
        ),
    )
    actor = forms.CharField(
        label=gettext_lazy("Who"),
        max_length=254,
        required=False,
        widget=TypedOne(Suggested.ACTORS),
    )
    action = forms.ChoiceField(label=gettext_lazy("What"), choices=_ACTIONS, required=False)
    dataset = forms.CharField(
        label=gettext_lazy("Dataset"),
        max_length=200,
        required=False,
        widget=TypedOne(Suggested.DATASETS),
        help_text=gettext_lazy("Its short name."),
    )
    since = _MomentField(label=gettext_lazy("From"), required=False)
    until = _MomentField(label=gettext_lazy("Until"), required=False)

    def clean(self) -> dict[str, Any]:
        """Refuses a span that ends before it begins."""
        cleaned: dict[str, Any] = super().clean() or {}
        since, until = cleaned.get("since"), cleaned.get("until")
        if since and until and until <= since:
            self.add_error("until", _("The end must be later than the beginning."))
        for name in self._contradicted(cleaned):
            label = self.fields[name].label
            words = _("The search says something else than “%(label)s”: use one of them.")
            self.add_error(name, words % {"label": label})
        return cleaned

    def _contradicted(self, cleaned: dict[str, Any]) -> list[str]:
        searched = _of(cleaned["q"]) if "q" in cleaned else {}
        both = [name for name in cleaned if searched.get(name) and cleaned[name]]
        return [name for name in both if searched[name] != cleaned[name]]

    def clean_q(self) -> EntryFilter:
        """The search as a filter, or what is wrong with it and where."""
        try:
            return parse(self.cleaned_data["q"])
        except NotUnderstood as problem:
            raise forms.ValidationError(str(problem)) from problem

    def chosen(self) -> EntryFilter:
        """The filter; everything when a field is wrong, whose message is then shown."""
        if not self.is_valid():
            return EntryFilter()
        typed = dict(self.cleaned_data)
        searched: EntryFilter = typed.pop("q")
        given = {name: value for name, value in typed.items() if value not in ("", None)}
        return replace(searched, **(_of(searched) | given))

    def chips(self) -> list[tuple[str, str, str]]:
        """What is chosen now, for one chip each: label, value in words, the search without it."""
        words = {code.value: str(text) for code, text in WORDS.items()}
        found = []
        for name, field in self.fields.items():
            if value := str(self.data.get(name, "")).strip():
                others = {key: kept for key, kept in self._typed().items() if key != name}
                found.append((str(field.label), words.get(value, value), f"?{urlencode(others)}"))
        return found

    def _typed(self) -> dict[str, str]:
        return {name: value for name in self.fields if (value := self.data.get(name))}

    def narrowed(self) -> bool:
        """Whether one of the fields is in use, so that the page should show them."""
        return any(self.data.get(name) for name in self.fields if name != "q")


def _of(searched: EntryFilter) -> dict[str, Any]:
    return {each.name: getattr(searched, each.name) for each in fields(searched)}


class ConsistencyForm(forms.Form):
    """Two checkpoints, by their number of entries."""

    old = TypedWholeNumber(
        label=gettext_lazy("Earlier checkpoint (entries)"), min_value=1, max_value=10**17
    )
    new = TypedWholeNumber(
        label=gettext_lazy("Later checkpoint (entries)"), min_value=1, max_value=10**17
    )

    def clean(self) -> dict[str, Any]:
        """Refuses a later one that is not later."""
        cleaned: dict[str, Any] = super().clean() or {}
        if "old" in cleaned and "new" in cleaned and cleaned["new"] < cleaned["old"]:
            self.add_error("new", _("The later checkpoint must have more entries."))
        return cleaned
