"""What all rows of the ask form share: their place in the page and how refusals come back.

A row turns what was typed into its piece of the raw plan and back-translates the plan's refusals
to its fields. Choices come from the declared domains, never from the data.
"""

from typing import Any

from django import forms

from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec

SELECT = {"class": "form-select"}
TEXT = {"class": "form-control"}


class Row(forms.Form):
    """Shared by all rows: its place in the page and the column that it is about."""

    template = ""

    def __init__(
        self, *args: Any, row_id: str = "", spec: ColumnSpec | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.row_id, self.spec = row_id, spec

    @property
    def title(self) -> str:
        """What the row is about, in a word or two."""
        return self.spec.name if self.spec else ""

    def field_for(self, rest: list[str]) -> str:
        """The field that a refusal of the plan at this path inside the row belongs to."""
        return next(iter(self.fields))

    def ignore(self, *fields: str) -> None:
        """What a choice hides may hold anything: nobody could see or mend its message."""
        for field in fields:
            self.errors.pop(field, None)

    def need(self, field: str, message: str) -> None:
        """An empty field gets this message, unless it has one already."""
        if self.cleaned_data.get(field) in (None, "", []) and field not in self.errors:
            self.add_error(field, message)


def offer_categories(field: Any, spec: ColumnSpec) -> tuple[str, ...]:
    """Make the declared categories the choices of a field; they are returned in their order."""
    categories = spec.domain.categories if isinstance(spec.domain, CategoryDomain) else ()
    field.choices = [(category, category) for category in categories]
    return categories
