"""Forms of the page that helps an owner choose how many rows of each person are used."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from dpgov.budgets.web.forms import EpsilonField
from dpgov.language.translation import percent
from dpgov.privacy.answer.unit_choice import EDGES, SizeBin, size_bins
from dpgov.queries.web.forms.rows import TEXT
from dpgov.web.typed import TypedDecimal, TypedWholeNumber

_DECIMAL = {**TEXT, "inputmode": "decimal", "autocomplete": "off"}
_BINS = size_bins([0.0] * len(EDGES))


class SizesQuestionForm(forms.Form):
    """What the small question about the data may cost."""

    epsilon = EpsilonField(label=gettext_lazy("Pure ε of this question"))
    key = forms.CharField(max_length=200, widget=forms.HiddenInput)


class BeliefForm(forms.Form):
    """What somebody believes without looking, and the questions that they have in mind."""

    people = TypedWholeNumber(
        label=gettext_lazy("About how many people are in the data?"),
        required=False,
        min_value=1,
        max_value=10**10,
        widget=forms.TextInput(attrs={**TEXT, "inputmode": "numeric"}),
        help_text=gettext_lazy("Only a number that you know without looking into the file."),
    )
    epsilon = EpsilonField(label=gettext_lazy("Pure ε of a usual question"))
    part = TypedDecimal(
        label=gettext_lazy("Part of all rows that it is about, in %"),
        min_value=0,
        max_value=100,
        widget=forms.TextInput(attrs=_DECIMAL),
        help_text=gettext_lazy(
            "Noise is the same for few rows and for many; what is left out is not."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for place, one in enumerate(_BINS):
            self.fields[f"share_{place}"] = TypedDecimal(
                label=_rows(one),
                required=False,
                min_value=0,
                max_value=100,
                widget=forms.TextInput(attrs=_DECIMAL),
            )

    @property
    def shares(self) -> list[forms.BoundField]:
        """The fields of the shares, in per cent."""
        return [self[f"share_{place}"] for place in range(len(_BINS))]

    def clean(self) -> dict[str, Any]:
        """Shares make up the whole, if there are any, and need a number of people."""
        added = sum(self._share(place) for place in range(len(_BINS)))
        if added and not 99 <= added <= 101 and not self.errors:
            self.add_error(
                "share_0",
                _("The shares add up to {sum}; make that 100%.").format(sum=percent(f"{added:g}")),
            )
        if added and not self.cleaned_data.get("people") and "people" not in self.errors:
            self.add_error("people", _("Say about how many people there are."))
        return self.cleaned_data

    def believed(self) -> list[float] | None:
        """So many people in each bin; None where nothing is said. Only after `is_valid`."""
        shares = [self._share(place) for place in range(len(_BINS))]
        if not any(shares):
            return None
        return [share / sum(shares) * self.cleaned_data["people"] for share in shares]

    def _share(self, place: int) -> float:
        return float(self.cleaned_data.get(f"share_{place}") or 0)


def _rows(one: SizeBin) -> str:
    if one.high is None:
        return _("more than {number} rows").format(number=one.low - 1)
    if one.low == one.high:
        return ngettext("{number} row", "{number} rows", one.low).format(number=one.low)
    return _("{low} to {high} rows").format(low=one.low, high=one.high)
