"""What only people know about a deployment, typed once for its public record. Stored nowhere."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from dpgov.oversight.record.record import DeploymentFacts, allowed
from dpgov.web.typed import Lines

_AREA = {"rows": 3}
# The registry's sectors, which stay English in the record; people may read them in their language.
SECTORS = (
    gettext_noop("Technology"),
    gettext_noop("Healthcare"),
    gettext_noop("Education"),
    gettext_noop("Government"),
    gettext_noop("Energy"),
    gettext_noop("Finance"),
)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


class RecordForm(forms.Form):
    """The fields of the registry that no declaration holds."""

    curators = forms.CharField(
        label=gettext_lazy("Who publishes the answers, one name a line"),
        max_length=2_000,
        widget=Lines(_AREA),
    )
    intended_use = forms.CharField(
        label=gettext_lazy("What the answers are for"),
        max_length=2_000,
        widget=Lines(_AREA),
        help_text=gettext_lazy("Such as: planning of schools in the region."),
    )
    region = forms.CharField(
        label=gettext_lazy("Region"),
        max_length=200,
        help_text=gettext_lazy("Whom the data describes, or whose laws apply."),
    )
    sector = forms.ChoiceField(label=gettext_lazy("Sector"), required=False)
    published = forms.DateField(
        label=gettext_lazy("First published on"),
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
        help_text=gettext_lazy(
            "The registry takes the first day of a month or year where it is not known."
        ),
    )
    authors = forms.CharField(
        label=gettext_lazy("Who wrote this record, one name a line"),
        max_length=2_000,
        widget=Lines(_AREA),
    )
    justification = forms.CharField(
        label=gettext_lazy("Why these limits"),
        required=False,
        max_length=4_000,
        widget=Lines(_AREA),
        help_text=gettext_lazy("How ε, the unit and the bounds were chosen. It may stay empty."),
    )
    unprotected = forms.CharField(
        label=gettext_lazy("Other figures published without noise"),
        required=False,
        max_length=2_000,
        widget=Lines(_AREA),
        help_text=gettext_lazy("From elsewhere, about the same people. It may stay empty."),
    )
    sources = forms.CharField(
        label=gettext_lazy("Links to read more"),
        required=False,
        max_length=2_000,
        widget=Lines(_AREA),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sectors = allowed("data_product_sector")
        choices = [("", _("Not said")), *((name, _(name)) for name in sectors)]
        self.fields["sector"].choices = choices  # type: ignore[attr-defined]

    def clean_curators(self) -> tuple[str, ...]:
        """At least one name."""
        return _named(self.cleaned_data["curators"])

    def clean_authors(self) -> tuple[str, ...]:
        """At least one name."""
        return _named(self.cleaned_data["authors"])

    def typed(self) -> DeploymentFacts:
        """What was typed; only after `is_valid`."""
        return DeploymentFacts(**self.cleaned_data)


def _named(text: str) -> tuple[str, ...]:
    names = _lines(text)
    if not names:
        raise forms.ValidationError(_("Write at least one name."))
    return names
