"""What one question uses of each unit: fewer groups, and fewer rows in each, than declared."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from dpgov.privacy.plan.schema import PrivacyUnit
from dpgov.queries.web.forms.rows import TEXT
from dpgov.web.typed import TypedWholeNumber

# The fields by what they are called in a plan.
FIELDS = {"groups": "unit_groups", "rows_per_group": "unit_rows"}


class PerUnitForm(forms.Form):
    """Both limits, each left empty for what is declared."""

    unit_rows = TypedWholeNumber(
        required=False,
        label=gettext_lazy("Rows of each privacy unit in a group, at most"),
        widget=forms.TextInput(attrs={**TEXT, "inputmode": "numeric"}),
    )
    unit_groups = TypedWholeNumber(
        required=False,
        label=gettext_lazy("Groups of each privacy unit, at most"),
        widget=forms.TextInput(attrs={**TEXT, "inputmode": "numeric"}),
    )

    def __init__(self, data: Any, unit: PrivacyUnit) -> None:
        super().__init__(data)
        self.most_rows = unit.max_rows_per_unit

    @property
    def is_used(self) -> bool:
        """Whether something is typed in."""
        return any(self[name].value() for name in FIELDS.values())

    def limits(self) -> dict[str, Any]:
        """The plan's form of it; nothing where nothing is typed. Only when valid."""
        typed = {name: self.cleaned_data.get(field) for name, field in FIELDS.items()}
        found = {name: most for name, most in typed.items() if most is not None}
        return {"per_unit": found} if found else {}

    @staticmethod
    def field_for(path: str) -> str | None:
        """Where a refusal of the plan belongs; None where it is about something else."""
        first, _dot, name = path.partition(".")
        return FIELDS.get(name, "unit_rows") if first == "per_unit" else None


def offered(data: Any, unit: PrivacyUnit) -> PerUnitForm | None:
    """The form where units are named and may have several rows; None where there is no choice."""
    several = unit.private_id is not None and unit.max_rows_per_unit > 1
    return PerUnitForm(data, unit) if several else None
