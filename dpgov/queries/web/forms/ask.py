"""The ask form: what a person chose, as a raw plan, and the plan's refusals back at their fields.

It translates only. Whether a plan is allowed and what it costs is decided elsewhere; it never sees
data.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.language.translation import translated
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import CategoryDomain, DatasetSchema, DateDomain, PrivacyUnit
from dpgov.queries.web.forms.computed import Computed
from dpgov.queries.web.forms.dates import DateGroupingRow
from dpgov.queries.web.forms.groupings import CategoryGroupingRow, NumericGroupingRow
from dpgov.queries.web.forms.price import PricedForm, PriceForm
from dpgov.queries.web.forms.rows import TEXT, RowForm
from dpgov.queries.web.forms.state import PER_UNIT, row_ids
from dpgov.queries.web.forms.statistics import StatisticRow
from dpgov.queries.web.forms.where import Where, known_rows
from dpgov.queries.wording.words import counted_in_rows
from dpgov.web.typed import TypedWholeNumber


class PerUnitForm(forms.Form):
    """What one question uses of each unit: fewer groups, and fewer rows in each, than declared.

    Each is left empty for what is declared.
    """

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
        return any(self[name].value() for name in PER_UNIT.values())

    def limits(self) -> dict[str, Any]:
        """The plan's form of it; nothing where nothing is typed. Only when valid."""
        typed = {name: self.cleaned_data.get(field) for name, field in PER_UNIT.items()}
        found = {name: most for name, most in typed.items() if most is not None}
        return {"per_unit": found} if found else {}

    @staticmethod
    def field_for(path: str) -> str | None:
        """Where a refusal of the plan belongs; None where it is about something else."""
        first, _dot, name = path.partition(".")
        return PER_UNIT.get(name, "unit_rows") if first == "per_unit" else None


class AskForm(PricedForm):
    """The whole form over posted data: `price` and the rows, each a Django form.

    `allocations` are the ids and names of what the person may charge.
    """

    # Of which statistics the error needs a guess, as the page shows or hides its field.
    with_guess = StatisticRow.with_guess
    # Those whose error is typed in rows, as the page names them.
    in_rows = staticmethod(counted_in_rows)

    def __init__(
        self,
        data: QueryDict,
        schema: DatasetSchema,
        *,
        dataset: str,
        allocations: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(data)
        self.computed = Computed(data, schema)
        schema = self.computed.schema
        self.schema, self.dataset = schema, dataset
        self.statistics = [
            StatisticRow(data, prefix=f"statistic-{i}", row_id=i, schema=schema)
            for i in row_ids(data, "statistic")
        ]
        self.where = Where(data, schema)
        known, refusals = known_rows(data, "group", schema)
        gone = (i for i in row_ids(data, "group") if i not in known)
        self.gone_groups = [(i, data.get(f"group-{i}-column", "")) for i in gone]
        self.groupings = [self._grouping(i) for i in known]
        self.general_errors += [*self.where.refusals, *refusals]
        self.per_unit = _limits_offered(data, schema.unit)
        self.price = PriceForm(
            data,
            mode=schema.mode,
            allocations=allocations,
            statistics=[(row.row_id, row.name) for row in self.statistics],
            in_rows=[row.row_id for row in self.statistics if row.in_rows],
        )

    def body(self) -> dict[str, Any] | None:
        valid = [form.is_valid() for form in self._forms()]
        self._check_together(all(valid))
        if self.general_errors or not all(form.is_valid() for form in self._forms()):
            return None
        return {
            "dataset": self.dataset,
            **self.computed.formulas(),
            "statistics": [row.statistic() for row in self.statistics],
            "where": self.where.filters(),
            "group_by": [row.grouping() for row in self.groupings],
            **(self.per_unit.limits() if self.per_unit else {}),
            **self.price.amount(),
        }

    def place(self, refusal: InvalidPlan) -> None:
        for problem in refusal.problems:
            kind, *rest = problem.path.split(".")
            field = self.price.field_for(problem.path)
            row, inside = self._row_at(kind, rest)
            if field is not None:
                self.price.add_error(field, translated(problem.message))
            elif self.per_unit and (limit := self.per_unit.field_for(problem.path)):
                self.per_unit.add_error(limit, translated(problem.message))
            elif row is not None:
                row.add_error(row.field_for(inside), translated(problem.message))
            else:
                self.general_errors.append(translated(problem.message))

    def problems(self) -> list[tuple[str, str]]:
        found = [("", message) for message in self.general_errors]
        for form in self._forms():
            for name, errors in form.errors.items():
                target = "" if name == "__all__" else form[name].id_for_label or form[name].auto_id
                found += [(target, f"{_title(form, name)}{message}") for message in errors]
        return found

    def _forms(self) -> Iterable[forms.Form]:
        limits = [self.per_unit] if self.per_unit else []
        return [
            *self.computed.rows,
            *self.statistics,
            *self.where.rows,
            *self.groupings,
            *limits,
            self.price,
        ]

    def _check_together(self, each_is_valid: bool) -> None:
        if not self.statistics:
            self.general_errors.append(_("Choose what to compute: add a statistic."))
        if not each_is_valid or self.groupings:
            return
        for row in self.statistics:
            if message := row.needs_grouping:
                row.add_error("kind", message)

    def _row_at(self, kind: str, rest: list[str]) -> tuple[RowForm | None, list[str]]:
        """The row of a refusal; one of a list as a whole is shown where it can be mended."""
        if kind == "where":
            return self.where.row_at(rest)
        known: dict[str, Sequence[RowForm]] = {
            "computed": self.computed.rows,
            "statistics": self.statistics,
            "group_by": self.groupings,
        }
        rows = known.get(kind, [])
        if rest and rest[0].isdigit() and int(rest[0]) < len(rows):
            return rows[int(rest[0])], rest[1:]
        locked = [row for row in rows if isinstance(row, StatisticRow) and row.is_locked]
        return next(reversed([*rows, *locked]), None), []

    def _grouping(self, row_id: str) -> CategoryGroupingRow | DateGroupingRow | NumericGroupingRow:
        prefix = f"group-{row_id}"
        index = self.schema.index_of(self.data.get(f"{prefix}-column", ""))
        spec = self.schema.columns[index or 0]
        if isinstance(spec.domain, CategoryDomain):
            return CategoryGroupingRow(self.data, prefix=prefix, row_id=row_id, spec=spec)
        if isinstance(spec.domain, DateDomain):
            return DateGroupingRow(self.data, prefix=prefix, row_id=row_id, spec=spec)
        return NumericGroupingRow(self.data, prefix=prefix, row_id=row_id, spec=spec)


def _title(form: forms.Form, name: str) -> str:
    return f"{form.title}: " if isinstance(form, RowForm) and form.title else ""


def _limits_offered(data: Any, unit: PrivacyUnit) -> PerUnitForm | None:
    """The form where units are named and may have several rows; None where there is no choice."""
    several = unit.private_id is not None and unit.max_rows_per_unit > 1
    return PerUnitForm(data, unit) if several else None
