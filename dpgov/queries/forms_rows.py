"""The rows of the ask form: one statistic, one filter, one grouping each.

A row turns what was typed into its piece of the raw plan and back-translates the plan's refusals
to its fields. Choices come from the declared domains, never from the data.
"""

from decimal import Decimal
from typing import Any

from django import forms

from dpgov.privacy.schema import CategoryDomain, ColumnSpec, DatasetSchema, NumericDomain
from dpgov.queries.forms_text import NumberField, even_edges, number_list

STATISTICS = [
    ("count", "Count: how many rows"),
    ("sum", "Sum: total of a column"),
    ("mean", "Mean: average of a column"),
    ("histogram", "Histogram: count per group"),
]
_MISSING = [("is_missing", "is missing"), ("is_present", "has a value")]
_NUMERIC = [
    ("between", "is between"),
    (">=", "is at least"),
    (">", "is more than"),
    ("<=", "is at most"),
    ("<", "is less than"),
    ("=", "is exactly"),
    ("!=", "is not"),
    ("in", "is one of"),
]
_CATEGORY = [("in", "is one of"), ("!=", "is none of")]
_SELECT = {"class": "form-select"}
_TEXT = {"class": "form-control"}


class Row(forms.Form):
    """Shared by all rows: its place in the page and the column that it is about."""

    template = ""
    spec: ColumnSpec | None = None
    row_id = ""

    def field_for(self, rest: list[str]) -> str:
        """The field that a refusal of the plan at this path inside the row belongs to."""
        return next(iter(self.fields))

    def _ignore(self, *fields: str) -> None:
        """What a choice hides may hold anything: nobody could see or mend its message."""
        for field in fields:
            self.errors.pop(field, None)

    def _need(self, field: str, message: str) -> None:
        if self.cleaned_data.get(field) in (None, "", []) and field not in self.errors:
            self.add_error(field, message)


class StatisticRow(Row):
    """What is computed."""

    template = "queries/_statistic_row.html"
    kind = forms.ChoiceField(choices=STATISTICS, widget=forms.Select(attrs=_SELECT))
    column = forms.ChoiceField(
        required=False, label="of the column", widget=forms.Select(attrs=_SELECT)
    )

    def __init__(self, *args: Any, schema: DatasetSchema, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        numeric = [c.name for c in schema.columns if isinstance(c.domain, NumericDomain)]
        self.fields["column"].choices = [("", "Choose a column"), *((n, n) for n in numeric)]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("kind") in ("sum", "mean"):
            self._need("column", "Choose the column to compute this for.")
        else:
            self._ignore("column")
        return data

    @property
    def needs_grouping(self) -> bool:
        """A histogram is a count, and needs something to count by."""
        return self.cleaned_data.get("kind") == "histogram"

    def statistic(self) -> dict[str, Any]:
        """The plan's form of it."""
        kind = self.cleaned_data["kind"]
        if kind in ("count", "histogram"):
            return {"statistic": "count"}
        return {"statistic": kind, "column": self.cleaned_data["column"]}

    def field_for(self, rest: list[str]) -> str:
        return "column" if "column" in rest and self["kind"].value() in ("sum", "mean") else "kind"


class NumericFilterRow(Row):
    """Rows of a numeric column."""

    template = "queries/_numeric_filter_row.html"
    op = forms.ChoiceField(choices=[*_NUMERIC, *_MISSING], widget=forms.Select(attrs=_SELECT))
    value = forms.CharField(
        max_length=4000,
        required=False,
        strip=True,
        widget=forms.TextInput(attrs=_TEXT),
    )
    upper = NumberField(label="and")

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        op = data.get("op")
        if op != "between":
            self._ignore("upper")
        if op is None or op in dict(_MISSING):
            self._ignore("value")
            return data
        try:
            data["numbers"] = number_list(data.get("value", ""))
        except forms.ValidationError as error:
            self.add_error("value", error)
            return data
        self._check(op, data)
        return data

    def _check(self, op: str, data: dict[str, Any]) -> None:
        if not data["numbers"]:
            self.add_error("value", "Type a number.")
        elif op != "in" and len(data["numbers"]) > 1:
            self.add_error("value", "Type one number, or choose “is one of”.")
        if op == "between":
            self._need("upper", "Type the largest value.")

    def conditions(self) -> list[dict[str, Any]]:
        """The plan's form of it: exact numbers."""
        data, spec = self.cleaned_data, self.spec
        condition: dict[str, Any] = {"column": spec.name if spec else "", "op": data["op"]}
        if data["op"] in dict(_MISSING):
            return [condition]
        numbers: list[Decimal] = data["numbers"]
        if data["op"] == "between":
            return [condition | {"value": [numbers[0], data["upper"]]}]
        return [condition | {"value": numbers if data["op"] == "in" else numbers[0]}]

    def field_for(self, rest: list[str]) -> str:
        if "value" in rest:
            return "upper" if rest[-1] == "1" and self["op"].value() == "between" else "value"
        return "op"


class CategoryFilterRow(Row):
    """Rows of a column with declared categories."""

    template = "queries/_category_row.html"
    op = forms.ChoiceField(choices=[*_CATEGORY, *_MISSING], widget=forms.Select(attrs=_SELECT))
    values = forms.MultipleChoiceField(
        required=False, label="Values", widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, spec: ColumnSpec, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _offer_categories(self.fields["values"], spec)

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("op") in dict(_CATEGORY):
            self._need("values", "Choose at least one value.")
        else:
            self._ignore("values")
        return data

    def conditions(self) -> list[dict[str, Any]]:
        """The plan's form of it; “is none of” is one condition for each value."""
        op, column = self.cleaned_data["op"], self.spec.name if self.spec else ""
        values = self.cleaned_data["values"]
        if op in dict(_MISSING):
            return [{"column": column, "op": op}]
        if op == "!=":
            return [{"column": column, "op": "!=", "value": value} for value in values]
        if len(values) == 1:
            return [{"column": column, "op": "=", "value": values[0]}]
        return [{"column": column, "op": "in", "value": values}]

    def field_for(self, rest: list[str]) -> str:
        return "values" if "value" in rest else "op"


class CategoryGroupingRow(Row):
    """One group for each category, and one for everything else."""

    template = "queries/_category_row.html"
    which = forms.ChoiceField(
        choices=[("all", "all declared categories"), ("some", "only these, the rest as “other”")],
        widget=forms.Select(attrs=_SELECT),
    )
    values = forms.MultipleChoiceField(
        required=False, label="Categories", widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, spec: ColumnSpec, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.everything = _offer_categories(self.fields["values"], spec)

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("which") == "some":
            self._need("values", "Choose at least one category.")
        else:
            self._ignore("values")
        return data

    def grouping(self) -> dict[str, Any]:
        """The plan's form of it, with every category written out."""
        data, column = self.cleaned_data, self.spec.name if self.spec else ""
        chosen = self.everything if data["which"] == "all" else data["values"]
        return {"column": column, "categories": list(chosen)}

    def field_for(self, rest: list[str]) -> str:
        return "values" if "categories" in rest else "which"


class NumericGroupingRow(Row):
    """Bins of a numeric column: of equal width, or with edges of one's own."""

    template = "queries/_numeric_grouping_row.html"
    mode = forms.ChoiceField(
        choices=[("width", "bins of equal width"), ("edges", "bins with my own edges")],
        widget=forms.Select(attrs=_SELECT),
    )
    lower = NumberField(label="from")
    upper = NumberField(label="to")
    width = NumberField(label="width")
    edges = forms.CharField(
        max_length=4000, required=False, label="edges", widget=forms.TextInput(attrs=_TEXT)
    )

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        mode = data.get("mode")
        self._ignore(*(("lower", "upper", "width") if mode == "edges" else ("edges",)))
        if mode == "edges":
            self._read("edges", lambda: number_list(data.get("edges", "")))
        elif mode == "width":
            for name in ("lower", "upper", "width"):
                self._need(name, "Type a number.")
            if not self.errors:
                self._read("width", lambda: even_edges(data["lower"], data["upper"], data["width"]))
        return data

    def _read(self, field: str, read: Any) -> None:
        try:
            numbers = read()
        except forms.ValidationError as error:
            self.add_error(field, error)
            return
        if len(numbers) < 2:
            self.add_error(field, "Give at least two edges, like 20, 40, 60.")
        self.cleaned_data["numbers"] = numbers

    def grouping(self) -> dict[str, Any]:
        """The plan's form of it."""
        name = self.spec.name if self.spec else ""
        return {"column": name, "edges": self.cleaned_data["numbers"]}

    def field_for(self, rest: list[str]) -> str:
        return "edges" if self["mode"].value() == "edges" else "width"


def _offer_categories(field: Any, spec: ColumnSpec) -> tuple[str, ...]:
    categories = spec.domain.categories if isinstance(spec.domain, CategoryDomain) else ()
    field.choices = [(category, category) for category in categories]
    return categories
