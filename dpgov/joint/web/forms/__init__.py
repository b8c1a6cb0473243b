"""What an owner types about a joint question."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from dpgov.datasets.models import Dataset
from dpgov.joint.services.proposing import LONGEST_TITLE
from dpgov.privacy.joint.noise import FEWEST_PARTIES, MOST_PARTIES
from dpgov.privacy.plan.by_calendar import PARTS
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import (
    CategoryDomain,
    ColumnSpec,
    DatasetSchema,
    DateDomain,
    NumericDomain,
)
from dpgov.queries.web.forms.rows import even_edges, number_list, proposed_width
from dpgov.queries.wording.dates import PARTS_IN_WORDS
from dpgov.web.typed import Lines, TypedAmount, TypedWholeNumber, as_typed

_CODE = {"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}


def _reason() -> forms.CharField:
    return forms.CharField(
        label=_("Reason"),
        max_length=500,
        widget=Lines({"rows": 2}),
        help_text=_("The officer who decides reads it, and it goes into the audit log."),
        error_messages={"required": _("Give a reason. It goes into the audit log.")},
    )


@dataclass(frozen=True, slots=True)
class _Grouping:
    """A column by which the total can be grouped; `domain` of numbers, which need edges."""

    key: str
    label: str
    grouping: dict[str, Any]
    domain: NumericDomain | None = None


def _groupings(spec: ColumnSpec) -> list[_Grouping]:
    name, domain = spec.name, spec.domain
    if isinstance(domain, CategoryDomain):
        return [_Grouping(name, name, {"column": name})]
    if isinstance(domain, DateDomain):
        parts = [(part.value, str(PARTS_IN_WORDS[part]())) for part in PARTS[domain.unit]]
        return [
            _Grouping(
                json.dumps([name, part]),
                gettext("%(column)s by %(part)s") % {"column": name, "part": words},
                {"column": name, "by": part},
            )
            for part, words in parts
        ]
    if isinstance(domain, NumericDomain):
        label = gettext("%(column)s in ranges") % {"column": name}
        return [_Grouping(name, label, {"column": name}, domain)]
    return []


def _even(domain: NumericDomain) -> list[Decimal]:
    return even_edges(domain.lower, domain.upper, proposed_width(domain))


def _field_of(path: str) -> str | None:
    """Where a problem of the plan is mended on the page."""
    places = {"rho": "rho", "group_by": "edges" if "edges" in path else "group"}
    return places.get(path.partition("[")[0].partition(".")[0])


class ProposalForm(forms.Form):
    """What is asked of all together, how many there are, and how many may collude."""

    title = forms.CharField(
        label=_("Title"),
        max_length=LONGEST_TITLE,
        help_text=_("Every organisation that takes part reads it."),
    )
    column = forms.ChoiceField(label=_("Total of"), required=False)
    group = forms.ChoiceField(label=_("In groups of"), required=False)
    edges = forms.CharField(
        label=_("Edges of the groups"),
        required=False,
        max_length=4000,
        help_text=_(
            "For a column of numbers: rising, like 20, 40, 60; a group takes its lower edge. Left "
            "empty, about ten of equal width are made out of the declared bounds."
        ),
    )
    rho = TypedAmount(
        label=_("Privacy loss ρ for each organisation"), initial=lambda: as_typed("0.01")
    )
    parties = TypedWholeNumber(
        label=_("Organisations"),
        min_value=2,
        max_value=MOST_PARTIES,
        initial=FEWEST_PARTIES,
    )
    colluders = TypedWholeNumber(
        label=_("Of whom may collude"),
        min_value=0,
        max_value=MOST_PARTIES,
        initial=1,
        help_text=_("So many may collude and learn no more than the price says."),
    )

    def __init__(self, *args: Any, schema: DatasetSchema, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        numbers = [
            (spec.name, gettext("sum of %(column)s") % {"column": spec.name})
            for spec in schema.columns
            if isinstance(spec.domain, NumericDomain) and not isinstance(spec.domain, DateDomain)
        ]
        self._groupings = {one.key: one for spec in schema.columns for one in _groupings(spec)}
        named = [(one.key, one.label) for one in self._groupings.values()]
        choices: dict[str, Any] = {
            "column": [("", gettext("number of rows")), *numbers],
            "group": [("", gettext("none: one number")), *named],
        }
        for name, offered in choices.items():
            self.fields[name].choices = offered  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Edges belong to numbers, and are read as every page reads numbers."""
        data = self.cleaned_data
        grouping = self._groupings.get(data.get("group", ""))
        if grouping is None or grouping.domain is None:
            if data.get("edges"):
                self.add_error("edges", _("Only columns of numbers are grouped by edges."))
            return data
        try:
            data["numbers"] = number_list(data.get("edges", "")) or _even(grouping.domain)
        except forms.ValidationError as error:
            self.add_error("edges", error)
        return data

    def plan(self) -> dict[str, Any]:
        """The plan, without a dataset."""
        typed = self.cleaned_data
        column, by = typed["column"], self._groupings.get(typed["group"])
        statistic = {"statistic": "sum", "column": column} if column else {"statistic": "count"}
        edges = {"edges": typed["numbers"]} if by is not None and by.domain is not None else {}
        return {
            "statistics": [statistic],
            "group_by": [by.grouping | edges] if by is not None else [],
            "rho": typed["rho"],
        }

    def refuse(self, refusal: Exception) -> None:
        """Show it where it can be mended, else above the fields."""
        if isinstance(refusal, InvalidPlan):
            for problem in refusal.problems:
                self.add_error(_field_of(problem.path), problem.message)
            return
        self.add_error(getattr(refusal, "field", "") or None, str(refusal))


class JointCodeForm(forms.Form):
    """A code of another organisation."""

    code = forms.CharField(label=_("Code"), max_length=60, widget=forms.TextInput(_CODE))


class TakePartForm(forms.Form):
    """With which dataset, and why."""

    code = forms.CharField(max_length=60, required=False, widget=forms.HiddenInput)
    dataset = forms.ChoiceField(label=_("Your dataset"))
    reason = _reason()

    def __init__(self, *args: Any, datasets: Sequence[Dataset], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._datasets = {dataset.slug: dataset for dataset in datasets}
        offered = [(slug, dataset.name) for slug, dataset in self._datasets.items()]
        self.fields["dataset"].choices = offered  # type: ignore[attr-defined]

    def chosen(self) -> Dataset:
        """The dataset."""
        return self._datasets[self.cleaned_data["dataset"]]
