"""The whole registration page: the dataset's form and one form for each column of the file."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dpgov.budgets.web.forms import declared_currency
from dpgov.datasets.declaration import Declaration
from dpgov.datasets.models import Column, Dataset
from dpgov.datasets.web.forms.columns import WITHIN_A_LINE, ColumnForm
from dpgov.datasets.web.forms.computed import (
    ComputedForm,
    at,
    computed_are_valid,
    computed_forms,
    computed_in,
    typed_computed,
)
from dpgov.datasets.web.forms.dataset import DatasetForm
from dpgov.datasets.web.forms.filling import of_column
from dpgov.datasets.web.forms.unit import UnitForm
from dpgov.privacy.plan.calendar import DateStep
from dpgov.privacy.plan.schema import ColumnSpec, DatasetSchema, Neighbouring, PrivacyUnit
from dpgov.web.typed import as_typed

# The columns of a wider table scroll by themselves, and the parts around them are folded: with both
# open, forty columns are five screens, and no button is in sight.
_WIDE = 20


class RegistrationForm:
    """Reads a declaration. Column names come from the upload, never from what was posted.

    `typed` is what was left there earlier: first contents to look at.
    """

    def __init__(
        self,
        headers: Sequence[str],
        data: QueryDict | None = None,
        *,
        typed: Mapping[str, str] | None = None,
    ) -> None:
        left = dict(typed or {})
        self.dataset: forms.Form = DatasetForm(data, initial=left or None, headers=headers)
        self.columns = [
            ColumnForm(
                data,
                prefix=f"column-{place}",
                column=name,
                initial=of_column(left, place) or None,
            )
            for place, name in enumerate(headers)
        ]
        self.computed = computed_forms(self.columns, data, left)

    @property
    def is_wide(self) -> bool:
        """Whether its columns are more than a screen shows."""
        return len(self.columns) > _WIDE

    @property
    def is_folded(self) -> bool:
        """Whether what is about the whole dataset begins folded; never what has a problem."""
        return self.is_wide and not self.dataset.errors

    def is_valid(self) -> bool:
        """Look at every form, so that all that is wrong is shown at once."""
        whole = all([self.dataset.is_valid(), *(column.is_valid() for column in self.columns)])
        return computed_are_valid(self.computed, self._identity()) and whole

    def _identity(self) -> str:
        """The column that names people, if one was chosen to."""
        data = self.dataset.cleaned_data
        return str(data.get("private_id", "")) if data.get("unit") == "person" else ""

    def specs(self) -> tuple[ColumnSpec, ...]:
        """The columns that were declared, computed ones last; only after `is_valid`."""
        return tuple(form.spec for form in self._of_columns() if form.spec)

    def _of_columns(self) -> list[ColumnForm | ComputedForm]:
        return [*self.columns, *self.computed]

    def declaration(self) -> Declaration:
        """What was declared; only after `is_valid`."""
        data, currency = self.dataset.cleaned_data, declared_currency(self.dataset)
        return Declaration(
            name=data["name"],
            description=data["description"],
            schema=DatasetSchema(
                columns=self.specs(),
                unit=_unit_of(self.dataset),
                neighbouring=Neighbouring(data["neighbouring"]),
                group_size=data["group_size"],
                max_rows=data["max_rows"],
                public_rows=data["public_rows"],
                mode=currency.mode,
            ),
            limit_nano=data["epsilon_limit"],
            per_query_limit_nano=data["epsilon_per_query"],
            partition_column=data["partition_column"],
            needs_allocation=data["needs_allocation"],
            named_only=data["named_only"],
            delta=currency.delta,
        )

    def refuse(self, message: str, *, field: str = "", column: str = "") -> None:
        """Show a refusal where it belongs: at a column's type, at a field, or at the top."""
        for form in self._of_columns():
            if column and form.column == column:
                form.add_error("kind" if "kind" in form.fields else "formula", message)
                return
        self.dataset.add_error(field if field in self.dataset.fields else None, message)

    def problems(self) -> Iterator[dict[str, Any]]:
        """Every refusal with the id of its input, for the list at the top of the page."""
        for form in (self.dataset, *self._of_columns()):
            where = getattr(form, "column", "")
            for name, messages in form.errors.items():
                yield from (self._problem(form, name, where, str(text)) for text in messages)

    @staticmethod
    def _problem(form: forms.Form, name: str, where: str, message: str) -> dict[str, Any]:
        if name not in form.fields:
            return {"target": "", "label": "", "message": message}
        field = form[name]
        label = f"{where}, {WITHIN_A_LINE[name]}" if where else field.label
        return {"target": field.id_for_label or field.auto_id, "label": label, "message": message}


def as_posted(typed: Mapping[str, str]) -> QueryDict:
    """What was kept, as if it were sent again."""
    posted = QueryDict(mutable=True)
    posted.update(dict(typed))
    return posted


def _unit_of(form: forms.Form) -> PrivacyUnit:
    return form.privacy_unit() if isinstance(form, UnitForm) else PrivacyUnit()


class AddingForm(forms.Form):
    """What the file of a new version holds; everything, unless it says otherwise.

    `without` names the columns that are declared now and may be missing from the new version.
    """

    EVERYTHING, NEW_ROWS = "everything", "new_rows"

    holds = forms.ChoiceField(
        label=_("What does the file hold?"),
        choices=[
            (EVERYTHING, _("All rows: they take the place of those that are there")),
            (NEW_ROWS, _("New rows only: they are added to those that are there")),
        ],
        initial=EVERYTHING,
        required=False,
        widget=forms.RadioSelect,
    )
    without = forms.CharField(label=_("Columns that would be missing"), required=False)


class VersionForm(RegistrationForm):
    """The columns of a new version. What earlier ones declared is filled in: it is public.

    What was `typed` for this version goes before it. `missing` are, after `is_valid`, the columns
    that are declared now and would not be in the new version.
    """

    def __init__(
        self,
        headers: Sequence[str],
        data: QueryDict | None = None,
        *,
        earlier: Iterable[Column],
        typed: Mapping[str, str] | None = None,
    ) -> None:
        known, left = list(earlier), dict(typed or {})
        self.headers, self.known, self.missing = headers, known, list[str]()
        declared = {column.name: typed_column(column) for column in known if not column.formula}
        self.dataset = AddingForm(data, initial=left or None)
        self.columns = [
            ColumnForm(
                data,
                prefix=f"column-{place}",
                column=name,
                initial=of_column(left, place) or declared.get(name),
            )
            for place, name in enumerate(headers)
        ]
        computed = [typed_computed(column, known) for column in known if column.formula]
        stood = {k: v for at_, one in enumerate(computed) for k, v in at(at_, one).items()}
        # Whoever saw them there and removed them wants none; a template alone says nothing of them.
        is_said = "computed" in left or computed_in(left)
        self.computed = computed_forms(self.columns, data, left if is_said else stood)

    def is_valid(self) -> bool:
        """Nobody loses a declared column by a slip: whoever wants that says so, by its name.

        Rows are added to the very columns that are there, so that there it is never the question.
        """
        if not super().is_valid():
            return False
        kept = {spec.name for spec in self.specs()}
        gone = [column.name for column in self.known if column.name not in kept]
        self.missing = [] if self.append_rows else gone
        if self.missing and not self.is_agreed:
            words = gettext("Declared now, and missing from this version: {names}. Is that meant?")
            self.refuse(words.format(names=", ".join(self.missing)), field="without")
        return not self.dataset.errors

    @property
    def without(self) -> str:
        """What the tick says that stands for all the missing columns and no others."""
        return json.dumps(self.missing)

    @property
    def is_agreed(self) -> bool:
        """Whether it was ticked; of other columns it would say nothing about these."""
        return bool(self.dataset.cleaned_data.get("without") == self.without)

    def compared(self, dataset: Dataset) -> dict[str, list[str]]:
        """Which declared columns the file lacks, and which of its own are not declared so far.

        Names alone, which are the owner's metadata; the one that names people is declared too.
        """
        declared = {column.name for column in self.known} | {dataset.private_id}
        of_file = [column.name for column in self.known if not column.formula]
        return {
            "gone": [name for name in of_file if name not in self.headers],
            "new": [name for name in self.headers if name not in declared],
        }

    @property
    def append_rows(self) -> bool:
        """Whether the file holds new rows only; after `is_valid`."""
        return bool(self.dataset.cleaned_data["holds"] == AddingForm.NEW_ROWS)


def typed_column(column: Column) -> dict[str, str]:
    """A declared column as one types it."""
    spelt = as_typed if column.kind == Column.Kind.NUMBER else str
    return {
        "kind": column.kind,
        "lower": spelt(column.lower),
        "upper": spelt(column.upper),
        "step": spelt(column.step),
        "period": column.step if column.kind == Column.Kind.DATE else DateStep.DAY.value,
        "date_format": column.date_format,
        "time_zone": column.time_zone,
        "categories": "\n".join(column.categories),
        "missing": column.missing,
        "impute": spelt(column.impute),
    }
