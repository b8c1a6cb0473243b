"""Whose privacy a dataset protects, as fields of a form: each row, or whom a column names."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from dpgov.datasets.models import Dataset
from dpgov.privacy.plan.schema import PrivacyUnit
from dpgov.web.typed import TypedWholeNumber

LARGEST_BOUND = 100_000


class UnitBoundsForm(forms.Form):
    """How much one person may add: the part of the unit that a new version may change."""

    max_rows_per_unit = TypedWholeNumber(
        label=_("Most rows of one person"),
        required=False,
        min_value=1,
        max_value=LARGEST_BOUND,
        help_text=_(
            "Of a person with more rows only so many are used, chosen by chance. The noise "
            "of every answer grows with this number, so take what most people have, not the most "
            "that anybody has. It can be changed later, and there is help with choosing it."
        ),
    )
    max_groups_per_unit = TypedWholeNumber(
        label=_("Most groups that one person counts in"),
        required=False,
        min_value=1,
        max_value=LARGEST_BOUND,
        help_text=_(
            "Leave this empty if you are not sure. It makes the noise of counts of people "
            "by group smaller, and of nothing else: a person in more groups is counted in so many "
            "of them, chosen by chance. Other statistics use it only where a question limits the "
            "rows in a group, too."
        ),
    )

    def clean(self) -> dict[str, Any]:
        """More groups than rows cannot be."""
        super().clean()
        rows, groups = (
            self.cleaned_data.get(f"max_{name}_per_unit") for name in ("rows", "groups")
        )
        if rows and groups and groups > rows:
            self.add_error(
                "max_groups_per_unit",
                ngettext(
                    "A person with %(rows)d row is in %(rows)d at most: leave this empty or take "
                    "fewer.",
                    "A person with %(rows)d rows is in %(rows)d at most: leave this empty or take "
                    "fewer.",
                    rows,
                )
                % {"rows": rows},
            )
        return self.cleaned_data

    @property
    def bounds(self) -> tuple[int, int | None]:
        """Rows and groups; only after `is_valid`."""
        data = self.cleaned_data
        return data["max_rows_per_unit"] or 1, data["max_groups_per_unit"]


class UnitForm(UnitBoundsForm):
    """The whole unit, as it is declared once and for all at registration."""

    unit = forms.ChoiceField(
        label=_("Whose privacy is protected?"),
        choices=Dataset.Unit.choices,
        initial=Dataset.Unit.ROW,
        widget=forms.RadioSelect,
        help_text=_(
            "The guarantee hides whether one person is in the data. If a person can have several "
            "rows, such as visits or purchases, and the file says whose each row is, choose the "
            "second: all rows of a person are then protected together. It can never be changed."
        ),
    )
    private_id = forms.CharField(
        label=_("Column that names the person"),
        required=False,
        max_length=200,
        help_text=_(
            "A number or text that is the same in all rows of a person, such as a patient "
            "number. Rows without it are dropped. Nobody can ask about this column."
        ),
    )

    def clean(self) -> dict[str, Any]:
        """A named unit needs its column and its limit; a row needs neither."""
        super().clean()
        data = self.cleaned_data
        named = data.get("unit") == Dataset.Unit.PERSON
        for name, what in _NEEDED.items():
            if named and not data.get(name) and name not in self.errors:
                self.add_error(name, what)
        typed = [name for name in (*_NEEDED, "max_groups_per_unit") if data.get(name)]
        if "unit" in data and not named and typed:
            self.add_error(
                "unit", _("Choose the second, or empty what you typed about the person's column.")
            )
        return data

    def privacy_unit(self) -> PrivacyUnit:
        """What was declared; only after `is_valid`."""
        if self.cleaned_data["unit"] != Dataset.Unit.PERSON:
            return PrivacyUnit()
        return PrivacyUnit(self.cleaned_data["private_id"], *self.bounds)


_NEEDED = {
    "private_id": _("Name the column that says whose row it is."),
    "max_rows_per_unit": _("Say how many rows of one person may be used, such as 5."),
}
