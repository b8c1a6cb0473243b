"""The groupings of the ask form: declared categories, or bins of a numeric column."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.privacy.plan.schema import ColumnSpec
from dpgov.queries.web.forms.rows import (
    SELECT,
    TEXT,
    NumberField,
    RowForm,
    even_edges,
    number_list,
    offer_categories,
)


class CategoryGroupingRow(RowForm):
    """One group for each category, and one for everything else."""

    template = "queries/ask/_category_row.html"
    which = forms.ChoiceField(
        choices=[
            ("all", gettext_lazy("all declared categories")),
            ("some", gettext_lazy("only these, the rest as “other”")),
        ],
        widget=forms.Select(attrs=SELECT),
    )
    values = forms.MultipleChoiceField(
        required=False, label=gettext_lazy("Categories"), widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, spec: ColumnSpec, **kwargs: Any) -> None:
        super().__init__(*args, spec=spec, **kwargs)
        self.everything = offer_categories(self.fields["values"], spec)

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("which") == "some":
            self.need("values", _("Choose at least one category."))
        else:
            self.ignore("values")
        return data

    def grouping(self) -> dict[str, Any]:
        """The plan's form of it, with every category written out."""
        data, column = self.cleaned_data, self.spec.name if self.spec else ""
        chosen = self.everything if data["which"] == "all" else data["values"]
        return {"column": column, "categories": list(chosen)}

    def field_for(self, rest: list[str]) -> str:
        return "values" if "categories" in rest else "which"


class NumericGroupingRow(RowForm):
    """Bins of a numeric column: of equal width, or with edges of one's own."""

    template = "queries/ask/_numeric_grouping_row.html"
    mode = forms.ChoiceField(
        choices=[
            ("width", gettext_lazy("bins of equal width")),
            ("edges", gettext_lazy("bins with my own edges")),
        ],
        widget=forms.Select(attrs=SELECT),
    )
    lower = NumberField(label=gettext_lazy("from"))
    upper = NumberField(label=gettext_lazy("to"))
    width = NumberField(label=gettext_lazy("width"))
    edges = forms.CharField(
        max_length=4000,
        required=False,
        label=gettext_lazy("edges"),
        widget=forms.TextInput(attrs=TEXT),
    )

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        mode = data.get("mode")
        self.ignore(*(("lower", "upper", "width") if mode == "edges" else ("edges",)))
        if mode == "edges":
            self._read("edges", lambda: number_list(data.get("edges", "")))
        elif mode == "width":
            for name in ("lower", "upper", "width"):
                self.need(name, _("Type a number."))
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
            self.add_error(field, _("Give at least two edges, like 20, 40, 60."))
        self.cleaned_data["numbers"] = numbers

    def grouping(self) -> dict[str, Any]:
        """The plan's form of it."""
        name = self.spec.name if self.spec else ""
        return {"column": name, "edges": self.cleaned_data["numbers"]}

    def field_for(self, rest: list[str]) -> str:
        return "edges" if self["mode"].value() == "edges" else "width"
