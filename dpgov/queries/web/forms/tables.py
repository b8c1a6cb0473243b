"""The form of a set of tables: which columns, in which bins, and which tables of them.

Bins are proposed out of the declared domains, never out of data. It translates only.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.language.translation import translated
from dpgov.privacy.answer.covers import IN_ROUNDS, Method
from dpgov.privacy.plan.by_calendar import PARTS
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema, DateDomain, NumericDomain
from dpgov.queries.web.forms.dates import usual_part
from dpgov.queries.web.forms.price import PricedForm, PriceForm
from dpgov.queries.web.forms.rows import (
    SELECT,
    TEXT,
    RowForm,
    even_edges,
    number_list,
    plain,
    proposed_width,
)
from dpgov.queries.web.forms.where import Where
from dpgov.queries.wording.dates import PARTS_IN_WORDS
from dpgov.web.typed import Lines, TypedWholeNumber, as_typed

OWN, ALL = "own", "all"
_USUAL_ROUNDS = "8"
_SIZES = [
    ("2", gettext_lazy("every pair of the columns")),
    ("1", gettext_lazy("each column by itself")),
    ("3", gettext_lazy("every three of the columns")),
    (ALL, gettext_lazy("all columns together, in one table")),
    (OWN, gettext_lazy("only the tables that I name")),
]


class ColumnRow(RowForm):
    """One column: whether it is in the tables, and its bins where it has no categories."""

    use = forms.BooleanField(required=False)
    edges = forms.CharField(
        max_length=4000,
        required=False,
        label=gettext_lazy("Edges, separated by commas"),
        widget=forms.TextInput(attrs=TEXT),
    )
    by = forms.ChoiceField(
        required=False,
        label=gettext_lazy("One group for each"),
        widget=forms.Select(attrs=SELECT),
    )

    def __init__(self, *args: Any, spec: ColumnSpec, **kwargs: Any) -> None:
        super().__init__(*args, spec=spec, **kwargs)
        self.fields["use"].label = spec.name
        domain = spec.domain
        self.of_dates = isinstance(domain, DateDomain)
        self.of_numbers = isinstance(domain, NumericDomain) and not self.of_dates
        if isinstance(domain, DateDomain):
            self.fields["by"].choices = [  # type: ignore[attr-defined]
                (part.value, PARTS_IN_WORDS[part]()) for part in PARTS[domain.unit]
            ]

    @property
    def is_used(self) -> bool:
        """Whether it is ticked."""
        return bool(self["use"].value())

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if not self.of_dates:
            self.ignore("by")
        if data.get("use") and self.of_numbers:
            try:
                data["numbers"] = number_list(data.get("edges", ""))
            except forms.ValidationError as error:
                self.add_error("edges", error)
        return data

    def grouping(self) -> dict[str, Any]:
        """The plan's form of it. Only when valid."""
        column = {"column": self.title}
        if self.of_numbers:
            return column | {"edges": self.cleaned_data["numbers"]}
        return column | ({"by": self.cleaned_data["by"]} if self.of_dates else {})

    def field_for(self, rest: list[str]) -> str:
        if self.of_numbers:
            return "edges"
        return "by" if self.of_dates else "use"


class WhichForm(forms.Form):
    """Which tables, and how they are drawn."""

    tables = forms.ChoiceField(
        label=gettext_lazy("Which tables do you want?"),
        choices=_SIZES,
        widget=forms.Select(attrs=SELECT),
    )
    named = forms.CharField(
        label=gettext_lazy("A table on each line: its columns, separated by commas"),
        required=False,
        max_length=20_000,
        widget=Lines(attrs={**TEXT, "rows": 4}),
    )
    method = forms.ChoiceField(
        label=gettext_lazy("How are they drawn?"), required=False, widget=forms.Select(attrs=SELECT)
    )
    rounds = TypedWholeNumber(
        label=gettext_lazy("How many rounds?"),
        required=False,
        widget=forms.TextInput(attrs=TEXT),
    )

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        self.fields["method"].choices = [  # type: ignore[attr-defined]
            ("", _("With the least expected error")),
            *((method.value, _(method.words)) for method in Method),
        ]

    def which(self, columns: int) -> dict[str, Any]:
        """The part of the body. Only when valid."""
        data = self.cleaned_data
        tables: Any = data["tables"]
        if tables == OWN:
            lines = [line for line in data["named"].splitlines() if line.strip()]
            tables = [[name.strip() for name in line.split(",")] for line in lines]
        else:
            tables = columns if tables == ALL else int(tables)
        method = {"method": data["method"]} if data["method"] else {}
        if data["method"] in IN_ROUNDS:
            method["rounds"] = data["rounds"]
        return {"tables": tables} | method

    def field_for(self, kind: str) -> str:
        """Where a refusal of the tables or the method is shown."""
        if kind in ("method", "rounds"):
            return kind
        return "named" if self["tables"].value() == OWN else "tables"


class TablesForm(PricedForm):
    """The whole form over posted data."""

    def __init__(
        self,
        data: QueryDict,
        schema: DatasetSchema,
        *,
        allocations: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(data)
        self.schema = schema
        self.columns = [
            ColumnRow(data, prefix=f"column-{place}", row_id=str(place), spec=spec)
            for place, spec in enumerate(schema.columns)
        ]
        self.where = Where(data, schema)
        self.general_errors += self.where.refusals
        self.which = WhichForm(data)
        self.price = PriceForm(data, mode=schema.mode, allocations=allocations)

    @property
    def used(self) -> list[ColumnRow]:
        """The ticked columns, in their order."""
        return [row for row in self.columns if row.is_used]

    def body(self) -> dict[str, Any] | None:
        used = self.used
        if not used:
            self.general_errors.append(_("Tick the columns that the tables are about."))
        valid = [form.is_valid() for form in (*used, *self.where.rows, self.which, self.price)]
        if self.general_errors or not all(valid):
            return None
        return {
            "columns": [row.grouping() for row in used],
            "where": self.where.filters(),
            **self.which.which(len(used)),
            **self.price.amount(),
        }

    def place(self, refusal: InvalidPlan) -> None:
        used = self.used
        for problem in refusal.problems:
            kind, *rest = problem.path.split(".")
            said = translated(problem.message)
            if kind == "columns" and rest and int(rest[0]) < len(used):
                row = used[int(rest[0])]
                row.add_error(row.field_for(rest[1:]), said)
            elif kind == "where" and (found := self.where.row_at(rest))[0] is not None:
                found[0].add_error(found[0].field_for(found[1]), said)
            elif kind in ("tables", "method", "rounds"):
                self.which.add_error(self.which.field_for(kind), said)
            elif (field := self.price.field_for(kind)) is not None:
                self.price.add_error(field, said)
            else:
                self.general_errors.append(said)

    def problems(self) -> list[tuple[str, str]]:
        found = [("", message) for message in self.general_errors]
        for row in (*self.used, *self.where.rows):
            for name, errors in row.errors.items():
                target = "" if name == "__all__" else row[name].auto_id
                found += [(target, f"{row.title}: {error}") for error in errors]
        for form in self._others():
            for name, errors in form.errors.items():
                found += [(form[name].auto_id, str(error)) for error in errors]
        return found

    def _others(self) -> Iterable[forms.Form]:
        return self.which, self.price


def blank_tables(schema: DatasetSchema, unit: str, amount: str, key: str) -> QueryDict:
    """A form with proposed bins and no column ticked, for so much of what the dataset counts in."""
    data = QueryDict(mutable=True)
    data.update(
        {"by": unit, unit: as_typed(amount), "key": key, "tables": "2", "rounds": _USUAL_ROUNDS}
    )
    for place, spec in enumerate(schema.columns):
        domain = spec.domain
        if isinstance(domain, DateDomain):
            data[f"column-{place}-by"] = usual_part(domain).value
        elif isinstance(domain, NumericDomain):
            edges = even_edges(domain.lower, domain.upper, proposed_width(domain))
            data[f"column-{place}-edges"] = ", ".join(plain(edge) for edge in edges)
    return data
