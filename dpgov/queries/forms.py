"""The ask form: what a person chose, as a raw plan, and the plan's refusals back at their fields.

It translates only. Whether a plan is allowed and what it costs is decided elsewhere; it never
sees data.
"""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict

from dpgov.privacy.plan import InvalidPlan
from dpgov.privacy.schema import CategoryDomain, ColumnSpec, DatasetSchema
from dpgov.queries.forms_rows import (
    CategoryFilterRow,
    CategoryGroupingRow,
    NumericFilterRow,
    NumericGroupingRow,
    Row,
    StatisticRow,
)
from dpgov.queries.forms_state import row_ids

_LARGEST_GUESS = 10**12
_TEXT = {"class": "form-control", "inputmode": "decimal"}


class PriceForm(forms.Form):
    """What is paid, and the guess that expected errors of means are worked out with."""

    epsilon = forms.CharField(
        label="Privacy loss ε",
        max_length=60,
        widget=forms.TextInput(attrs=_TEXT),
        error_messages={"required": "Type how much ε this question may cost, like 0.5."},
    )
    assumed_rows = forms.CharField(
        label="How many rows do you expect to match?",
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs={**_TEXT, "inputmode": "numeric"}),
    )

    allocation = forms.ChoiceField(
        label="Charge it to",
        required=False,
        widget=forms.Select(attrs={"class": "form-select"}),
        error_messages={
            "invalid_choice": "That allocation has ended or was never yours. Choose another one."
        },
    )

    def __init__(self, data: QueryDict, *, allocations: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(data)
        self.is_a_choice = len(allocations) > 1
        self.fields["allocation"].choices = [  # type: ignore[attr-defined]
            ("", "Choose…"),
            *allocations,
        ]

    def clean_allocation(self) -> UUID | None:
        """The chosen allocation, or None for the usual one."""
        text = self.cleaned_data["allocation"]
        return UUID(text) if text else None

    def clean_assumed_rows(self) -> int | None:
        """A whole number, or None when the person has no guess."""
        text = self.cleaned_data["assumed_rows"].strip()
        if not text:
            return None
        if not (text.isascii() and text.isdigit() and 0 < int(text) <= _LARGEST_GUESS):
            raise forms.ValidationError("Type a whole number above zero, like 1000.")
        return int(text)


class AskForm:
    """The whole form over posted data: `price` and the rows, each a Django form.

    `allocations` are the ids and names of what the person may charge.
    """

    def __init__(
        self,
        data: QueryDict,
        schema: DatasetSchema,
        *,
        dataset: str,
        allocations: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.data, self.schema, self.dataset = data, schema, dataset
        self.general_errors: list[str] = []
        self.price = PriceForm(data, allocations=allocations)
        self.statistics = [
            self._row("statistic", i, StatisticRow, schema=schema)
            for i in row_ids(data, "statistic")
        ]
        self.filters = self._column_rows("filter", NumericFilterRow, CategoryFilterRow)
        self.groupings = self._column_rows("group", NumericGroupingRow, CategoryGroupingRow)
        self._row_of_condition: list[Row] = []

    def raw_plan(self) -> dict[str, Any] | None:
        """The plan as the form states it, or None (then every field has its message)."""
        valid = [form.is_valid() for form in self._forms()]
        self._check_together(all(valid))
        if self.general_errors or not all(form.is_valid() for form in self._forms()):
            return None
        conditions = [(row, c) for row in self.filters for c in row.conditions()]  # type: ignore[attr-defined]
        self._row_of_condition = [row for row, _ in conditions]
        return {
            "dataset": self.dataset,
            "statistics": [row.statistic() for row in self.statistics],  # type: ignore[attr-defined]
            "where": [condition for _, condition in conditions],
            "group_by": [row.grouping() for row in self.groupings],  # type: ignore[attr-defined]
            "epsilon": self.price.cleaned_data["epsilon"].strip(),
        }

    @property
    def assumed_rows(self) -> int | None:
        """The reader's guess; only after raw_plan()."""
        guess: int | None = self.price.cleaned_data.get("assumed_rows")
        return guess

    @property
    def allocation_id(self) -> UUID | None:
        """What to charge, if the person chose; only after raw_plan()."""
        chosen: UUID | None = self.price.cleaned_data.get("allocation")
        return chosen

    def place(self, refusal: InvalidPlan) -> None:
        """Put each refusal of the plan at the field that it speaks of."""
        for problem in refusal.problems:
            kind, *rest = problem.path.split(".")
            if kind == "epsilon":
                self.price.add_error("epsilon", problem.message)
            elif row := self._row_at(kind, rest):
                row.add_error(row.field_for(rest[1:]), problem.message)
            else:
                self.general_errors.append(problem.message)

    def problems(self) -> list[tuple[str, str]]:
        """Every message with the id of its field ("" for the form as a whole), in page order."""
        found = [("", message) for message in self.general_errors]
        for form in self._forms():
            for name, errors in form.errors.items():
                target = "" if name == "__all__" else form[name].id_for_label or form[name].auto_id
                found += [(target, f"{_title(form, name)}{message}") for message in errors]
        return found

    def _forms(self) -> Iterable[forms.Form]:
        return [*self.statistics, *self.filters, *self.groupings, self.price]

    def _check_together(self, each_is_valid: bool) -> None:
        if not self.statistics:
            self.general_errors.append("Choose what to compute: add a statistic.")
        if not each_is_valid or self.groupings:
            return
        for row in self.statistics:
            if row.needs_grouping:  # type: ignore[attr-defined]
                row.add_error(
                    "kind", "A histogram needs groups: add a column under “Group the answer”."
                )

    def _row_at(self, kind: str, rest: list[str]) -> Row | None:
        rows = {
            "statistics": self.statistics,
            "where": self._row_of_condition,
            "group_by": self.groupings,
        }.get(kind, [])
        if rest and rest[0].isdigit() and int(rest[0]) < len(rows):
            return rows[int(rest[0])]
        # A refusal of the list as a whole is shown at its last row, where it can be mended.
        return rows[-1] if rows else None

    def _column_rows(self, kind: str, numeric: type[Row], category: type[Row]) -> list[Row]:
        rows = []
        for row_id in row_ids(self.data, kind):
            name = self.data.get(f"{kind}-{row_id}-column", "")
            index = self.schema.index_of(name)
            if index is None:
                self.general_errors.append(f"This dataset has no queryable column “{name[:80]}”.")
                continue
            spec = self.schema.columns[index]
            rows.append(self._column_row(kind, row_id, spec, numeric, category))
        return rows

    def _column_row(
        self, kind: str, row_id: str, spec: ColumnSpec, numeric: type[Row], category: type[Row]
    ) -> Row:
        if isinstance(spec.domain, CategoryDomain):
            return self._row(kind, row_id, category, spec_of_row=spec, spec=spec)
        return self._row(kind, row_id, numeric, spec_of_row=spec)

    def _row(
        self,
        kind: str,
        row_id: str,
        row_class: type[Row],
        *,
        spec_of_row: ColumnSpec | None = None,
        **options: Any,
    ) -> Row:
        row = row_class(self.data, prefix=f"{kind}-{row_id}", **options)
        row.row_id, row.spec = row_id, spec_of_row
        return row


def _title(form: forms.Form, name: str) -> str:
    if isinstance(form, Row) and form.spec is not None:
        return f"{form.spec.name}: "
    return ""
