"""The rows of statistics of the ask form: what is computed, of which column, by what else.

A row translates only: whether a statistic is allowed is decided where plans are read.
"""

from collections.abc import Callable
from decimal import Decimal
from itertools import groupby
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.privacy.plan.schema import DatasetSchema, NumericDomain
from dpgov.privacy.plan.statistics import HISTOGRAM, STATISTICS, Facts, Recipe, StatisticKind
from dpgov.queries.web.forms.rows import SELECT, TEXT, NumberField, RowForm, quantile_list

OFFERED = [
    (gettext_lazy(section), [(kind, gettext_lazy(facts.option)) for kind, facts in of_one])
    for section, of_one in groupby(STATISTICS.items(), key=lambda one: one[1].section)
]


def _where(holds: Callable[[Facts], bool]) -> str:
    """The statistics of which it holds, as the page shows or hides a part for them."""
    return " ".join(kind for kind, facts in STATISTICS.items() if holds(facts))


# Column names are the same in every language.
_NAMES_OF_DATA = {**SELECT, "translate": "no"}


_ENDS = {"from": "clip_from", "to": "clip_to"}


class ClippedRow(RowForm):
    """A row that may clip its column; an end that is left empty is the declared one."""

    with_clip = " ".join(kind for kind, facts in STATISTICS.items() if facts.can_be_clipped)
    clip_from = NumberField(label=gettext_lazy("Clip from"))
    clip_to = NumberField(label=gettext_lazy("Clip to"))

    @property
    def is_clipped(self) -> bool:
        """Whether an end is typed in."""
        return any(self[name].value() for name in _ENDS.values())

    def ignore_clip(self, kind: str | None) -> None:
        """Of statistics that take none it is hidden."""
        if kind is None or not STATISTICS[kind].can_be_clipped:
            self.ignore(*_ENDS.values())

    def clip(self) -> dict[str, Any]:
        """The plan's form of it; nothing where nothing is typed or none is taken."""
        data = self.cleaned_data
        typed = {end: data.get(name) for end, name in _ENDS.items()}
        ends = {end: number for end, number in typed.items() if number is not None}
        return {"clip": ends} if ends and STATISTICS[data["kind"]].can_be_clipped else {}

    @staticmethod
    def clip_field(rest: list[str]) -> str | None:
        """Where a refusal of the plan belongs; None where it is about something else."""
        return _ENDS.get(rest[-1], "clip_from") if "clip" in rest else None


class StatisticRow(ClippedRow):
    """What is computed."""

    template = "queries/ask/_statistic_row.html"
    with_column = _where(lambda facts: facts.takes_column)
    with_orders = StatisticKind.QUANTILES.value
    with_predictors = _where(lambda facts: facts.takes_predictors)
    near_the_end = _where(lambda facts: facts.recipe is Recipe.EXTREME)
    with_guess = _where(
        lambda facts: facts.recipe in (Recipe.MEAN, Recipe.SPREAD) or facts.takes_predictors
    )
    kind = forms.ChoiceField(choices=OFFERED, widget=forms.Select(attrs=SELECT))
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
    predictors = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Predictors"),
        widget=forms.CheckboxSelectMultiple,
    )
    share = NumberField(label=gettext_lazy("Share of the price in %"))

    def __init__(self, *args: Any, schema: DatasetSchema, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        parted = [(c.name, isinstance(c.domain, NumericDomain)) for c in schema.columns]
        of_numbers, others = (
            [(name, name) for name, is_number in parted if is_number is wanted]
            for wanted in (True, False)
        )
        apart = (
            [(_("Categories, for distinct values and logistic regressions"), others)]
            if others
            else []
        )
        self.fields["column"].choices = [("", _("Choose a column")), *of_numbers, *apart]  # type: ignore[attr-defined]
        every = [(c.name, c.name) for c in schema.columns]
        self.fields["predictors"].choices = every  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        kind = data.get("kind")
        self.ignore_clip(kind)
        if kind and not STATISTICS[kind].takes_column:
            self.ignore("column")
        else:
            self.need("column", _("Choose the column to compute this for."))
        if kind and STATISTICS[kind].takes_predictors:
            self.need("predictors", _("Choose the columns that explain the outcome."))
        else:
            self.ignore("predictors")
        if kind != StatisticKind.QUANTILES:
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
        facts = STATISTICS.get(str(self.cleaned_data.get("kind")))
        return _(facts.ungrouped) if facts and facts.ungrouped else ""

    @property
    def name(self) -> str:
        """What is chosen, for a list of the statistics: "Mean of age"."""
        facts, column = self._facts, str(self["column"].value() or "")
        words = _(facts.label) if facts else _("Statistic")
        if not (facts and facts.takes_column and column):
            return words
        return _("{statistic} of {column}").format(statistic=words, column=column)

    @property
    def in_rows(self) -> bool:
        """Whether its error is counted in rows."""
        facts = self._facts
        return facts is not None and facts.error_in_rows

    @property
    def is_locked(self) -> bool:
        """Whether a share of the price is typed in."""
        return bool(self["share"].value())

    def statistic(self) -> dict[str, Any]:
        """The plan's form of it. Only when valid."""
        data = self.cleaned_data
        kind, share = data["kind"], data.get("share")
        name = StatisticKind.COUNT.value if kind == HISTOGRAM else kind
        asked: dict[str, Any] = {"statistic": name}
        if STATISTICS[kind].takes_column:
            asked |= {"column": data["column"]} | self.clip()
        if kind == StatisticKind.QUANTILES:
            asked["quantiles"] = data["orders"]
        if STATISTICS[kind].takes_predictors:
            asked["predictors"] = data["predictors"]
        return asked if share is None else asked | {"share": share / Decimal(100)}

    def field_for(self, rest: list[str]) -> str:
        for name in ("quantiles", "predictors", "share"):
            if name in rest:
                return name
        if clipped := self.clip_field(rest):
            return clipped
        if not rest and self.is_locked:
            return "share"
        facts = self._facts
        return "column" if "column" in rest and facts and facts.takes_column else "kind"

    @property
    def _facts(self) -> Facts | None:
        """Of what is chosen; None where that is no statistic."""
        return STATISTICS.get(str(self["kind"].value()))
