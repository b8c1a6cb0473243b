"""The statistics of the ask form: what is computed, of which column, at which quantiles."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.privacy.plan.schema import DatasetSchema, NumericDomain
from dpgov.queries.web.forms.rows import SELECT, TEXT, Row
from dpgov.queries.web.forms.text import NumberField, quantile_list

STATISTICS = [
    (
        gettext_lazy("How many"),
        [
            ("count", gettext_lazy("Count: how many rows")),
            ("count_distinct", gettext_lazy("Distinct count: privacy units")),
            ("histogram", gettext_lazy("Histogram: count per group")),
            ("cdf", gettext_lazy("Cumulative: rows up to each edge")),
        ],
    ),
    (
        gettext_lazy("How much"),
        [
            ("sum", gettext_lazy("Sum: total of a column")),
            ("min", gettext_lazy("Minimum: a value near it")),
            ("max", gettext_lazy("Maximum: a value near it")),
        ],
    ),
    (
        gettext_lazy("Typical value"),
        [
            ("mean", gettext_lazy("Mean: average of a column")),
            ("median", gettext_lazy("Median: half lie below it")),
            ("quantiles", gettext_lazy("Quantiles: quartiles and others")),
        ],
    ),
    (
        gettext_lazy("Spread"),
        [
            ("standard_deviation", gettext_lazy("Standard deviation")),
            ("variance", gettext_lazy("Variance: its square")),
        ],
    ),
]
# The same in short.
_NAMES = {
    "count": gettext_lazy("Count"),
    "count_distinct": gettext_lazy("Distinct count"),
    "histogram": gettext_lazy("Histogram"),
    "cdf": gettext_lazy("Cumulative"),
    "sum": gettext_lazy("Sum"),
    "min": gettext_lazy("Minimum"),
    "max": gettext_lazy("Maximum"),
    "mean": gettext_lazy("Mean"),
    "median": gettext_lazy("Median"),
    "quantiles": gettext_lazy("Quantiles"),
    "standard_deviation": gettext_lazy("Standard deviation"),
    "variance": gettext_lazy("Variance"),
}
WITHOUT_COLUMN = ("count", "count_distinct", "histogram", "cdf")
_NEED_GROUPS = {
    "histogram": gettext_lazy("A histogram needs groups: add a column under “Group the answer”."),
    "cdf": gettext_lazy(
        "A cumulative distribution runs along a column of numbers: "
        "add one under “Group the answer”, as the last."
    ),
}

# Column names are the same in every language.
_NAMES_OF_DATA = {**SELECT, "translate": "no"}


class StatisticRow(Row):
    """What is computed."""

    template = "queries/ask/_statistic_row.html"
    kind = forms.ChoiceField(choices=STATISTICS, widget=forms.Select(attrs=SELECT))
    column = forms.ChoiceField(
        required=False,
        label=gettext_lazy("of the column"),
        widget=forms.Select(attrs=_NAMES_OF_DATA),
    )
    quantiles = forms.CharField(
        required=False,
        max_length=2000,
        label=gettext_lazy("Quantiles, as shares between 0 and 1"),
        widget=forms.TextInput(attrs=TEXT),
    )
    share = NumberField(label=gettext_lazy("Share of the price in %"))

    def __init__(self, *args: Any, schema: DatasetSchema, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        numeric = [c.name for c in schema.columns if isinstance(c.domain, NumericDomain)]
        self.fields["column"].choices = [("", _("Choose a column")), *((n, n) for n in numeric)]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        kind = data.get("kind")
        if kind in WITHOUT_COLUMN:
            self.ignore("column")
        else:
            self.need("column", _("Choose the column to compute this for."))
        if kind != "quantiles":
            self.ignore("quantiles")
            return data
        try:
            data["orders"] = quantile_list(data.get("quantiles", ""))
        except forms.ValidationError as error:
            self.add_error("quantiles", error)
            return data
        if not data["orders"]:
            self.add_error("quantiles", _("Type at least one, like 0.25, 0.5, 0.75."))
        return data

    @property
    def needs_grouping(self) -> str:
        """What to say where it has nothing to count by, if it needs that."""
        return str(_NEED_GROUPS.get(str(self.cleaned_data.get("kind")), ""))

    @property
    def name(self) -> str:
        """What is chosen, for a list of the statistics: "Mean of age"."""
        kind, column = str(self["kind"].value()), str(self["column"].value() or "")
        said = str(_NAMES.get(kind, _("Statistic")))
        if kind in WITHOUT_COLUMN or not column:
            return said
        return _("{statistic} of {column}").format(statistic=said, column=column)

    @property
    def in_rows(self) -> bool:
        """Whether its error is counted in rows."""
        return self["kind"].value() in ("median", "quantiles", "min", "max")

    @property
    def is_locked(self) -> bool:
        """Whether a share of the price is typed in."""
        return bool(self["share"].value())

    def statistic(self) -> dict[str, Any]:
        """The plan's form of it. Only when valid."""
        data = self.cleaned_data
        kind, share = data["kind"], data.get("share")
        asked: dict[str, Any] = {"statistic": "count" if kind == "histogram" else kind}
        if kind not in WITHOUT_COLUMN:
            asked["column"] = data["column"]
        if kind == "quantiles":
            asked["quantiles"] = data["orders"]
        return asked if share is None else asked | {"share": share / Decimal(100)}

    def field_for(self, rest: list[str]) -> str:
        for name in ("quantiles", "share"):
            if name in rest:
                return name
        if not rest and self.is_locked:
            return "share"
        return (
            "column" if "column" in rest and self["kind"].value() not in WITHOUT_COLUMN else "kind"
        )
