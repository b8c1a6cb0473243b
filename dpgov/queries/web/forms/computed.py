"""What the ask form computes of two declared columns, as rows that are added and taken away whole.

A row says what it is and cannot be changed, so that no other part of the page offers a column that
is not there any more. It translates only: what can be computed is decided where plans are read.
"""

from typing import Any

from django import forms
from django.http import QueryDict

from dpgov.privacy.plan.computed.asked import SIGNS, in_order, name_of
from dpgov.privacy.plan.formula import Formula, FormulaKind
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema, NumericDomain
from dpgov.queries.web.forms.rows import RowForm
from dpgov.queries.web.forms.state import COMPUTED, computed_in, row_ids, seen_in

_SIGNS = [(kind.value, sign) for kind, sign in SIGNS.items()]


class ComputedRow(RowForm):
    """One formula; `spec` is the column that it makes, if it makes one."""

    kind = forms.ChoiceField(choices=_SIGNS, widget=forms.HiddenInput)
    first = forms.CharField(max_length=200, widget=forms.HiddenInput)
    second = forms.CharField(max_length=200, widget=forms.HiddenInput)

    @property
    def shown(self) -> str:
        """The column's name, or what was chosen where it makes none."""
        chosen = [self[part].value() or "" for part in ("first", "kind", "second")]
        return self.spec.name if self.spec else " ".join(map(str, chosen))

    def formula(self) -> dict[str, Any]:
        """The plan's form of it. Only when valid."""
        data = self.cleaned_data
        return {"formula": data["kind"], "of": [data["first"], data["second"]]}

    def field_for(self, rest: list[str]) -> str:
        return "second" if rest == ["of", "1"] else "first"


class Computed:
    """The rows in their order, and the schema with what they make; `operands` are what is offered.

    `signs` are the choices of the line below them.
    """

    signs = _SIGNS

    def __init__(self, data: QueryDict, schema: DatasetSchema) -> None:
        self.schema = seen_in(data, schema)
        self.rows = [
            ComputedRow(data, prefix=f"{COMPUTED}-{i}", row_id=i, spec=self._spec(data, i))
            for i in row_ids(data, COMPUTED)
        ]
        self.operands = [
            spec.name
            for spec in schema.columns
            if spec.formula is None and isinstance(spec.domain, NumericDomain)
        ]

    def formulas(self) -> dict[str, Any]:
        """Their part of the plan. Only when all rows are valid."""
        return {"computed": [row.formula() for row in self.rows]} if self.rows else {}

    def _spec(self, data: QueryDict, row_id: str) -> ColumnSpec | None:
        raw = computed_in(data, row_id)
        if raw["formula"] not in [kind.value for kind in SIGNS]:
            return None
        kind, known = FormulaKind(raw["formula"]), [spec.name for spec in self.schema.columns]
        place = self.schema.index_of(name_of(Formula(kind, in_order(kind, raw["of"], known))))
        return None if place is None else self.schema.columns[place]
