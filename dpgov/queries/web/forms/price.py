"""What the person who asks pays, or how exact they want it, and the guess that errors need.

Both ways to a price end in the same plan. Never looks at data.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.language.translation import percent
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS, USUAL_STATED
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.web.forms.rows import SELECT, TEXT, NumberField
from dpgov.queries.wording.words import lower_first
from dpgov.web.typed import TypedAmount, TypedNumber

_LARGEST_GUESS = 10**12
_WAYS = [
    ("epsilon", gettext_lazy("I choose ε")),
    ("error", gettext_lazy("Set a target accuracy")),
    ("relative", gettext_lazy("Set a target accuracy relative to the answer")),
]
_BY_RHO = ("rho", gettext_lazy("I choose ρ"))
_BY_PURE_EPSILON = ("epsilon", gettext_lazy("I choose the pure ε of this question"))
_USUAL_LEVEL = str(USUAL_STATED)
# Where refusals of an accuracy are shown.
_FIELDS = {
    "epsilon": "epsilon",
    "rho": "rho",
    "assumed_rows": "assumed_rows",
    "accuracy": "value",
    "accuracy.value": "value",
    "accuracy.relative": "percent",
    "accuracy.at_least": "least",
    "accuracy.confidence_level": "level",
    "accuracy.statistic": "target",
}


def _levels() -> list[tuple[str, str]]:
    return [(str(float(level)), percent(int(level * 100))) for level in CONFIDENCE_LEVELS]


class PriceForm(forms.Form):
    """An amount, or the error to live with; only what the chosen way needs has to be there.

    An amount stays text: the plan reads it, as it reads what the API is sent.
    """

    by = forms.ChoiceField(
        label=gettext_lazy("How do you want to set the price?"),
        required=False,
        widget=forms.Select(attrs=SELECT),
    )
    epsilon = TypedAmount(label=gettext_lazy("Privacy loss ε"), kept=True, required=False)
    rho = TypedAmount(label=gettext_lazy("Privacy loss ρ"), kept=True, required=False)
    value = NumberField(label=gettext_lazy("Off by at most"))
    percent = NumberField(label=gettext_lazy("Off by at most, in %"))
    least = NumberField(label=gettext_lazy("if the answer is at least"))
    level = forms.ChoiceField(
        choices=_levels,
        required=False,
        label=gettext_lazy("in this share of answers"),
        widget=forms.Select(attrs=SELECT),
    )
    target = forms.ChoiceField(
        required=False, label=gettext_lazy("This is about"), widget=forms.Select(attrs=SELECT)
    )
    assumed_rows = TypedNumber(
        whole=True,
        label=gettext_lazy("How many rows do you expect to match?"),
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs={**TEXT, "inputmode": "numeric"}),
    )
    allocation = forms.ChoiceField(
        label=gettext_lazy("Charge it to"),
        required=False,
        widget=forms.Select(attrs=SELECT),
        error_messages={
            "invalid_choice": gettext_lazy(
                "That allocation has ended or was never yours. Choose another one."
            )
        },
    )

    def __init__(
        self,
        data: QueryDict,
        *,
        mode: Mode = Mode.PURE,
        allocations: Sequence[tuple[str, str]] = (),
        statistics: Sequence[tuple[str, str]] = (),
        in_rows: Collection[str] = (),
    ) -> None:
        if not data.get("level"):
            data = data.copy()
            data["level"] = _USUAL_LEVEL
        super().__init__(data)
        self.is_a_choice = len(allocations) > 1
        self.statistics, self.in_rows = list(statistics), in_rows
        self.places = [row_id for row_id, _ in statistics]
        ways = _WAYS if mode is Mode.PURE else [_BY_RHO, _BY_PURE_EPSILON, *_WAYS[1:]]
        if mode is not Mode.PURE:
            self.fields["epsilon"].label = _("Pure ε of this question")
        for name, choices in (
            ("by", ways),
            ("allocation", [("", _("Choose…")), *allocations]),
            ("target", list(statistics)),
        ):
            self.fields[name].choices = choices  # type: ignore[attr-defined]

    @property
    def way(self) -> str:
        """How the price is set; ε where nothing was chosen."""
        return str(self.data.get("by") or "epsilon")

    def clean(self) -> dict[str, Any]:
        data, way = self.cleaned_data, self.way
        if way == "error":
            self._need("value", _("Type how far the answer may be off, like 50."))
        elif way == "relative":
            self._need("percent", _("Type how many percent the answer may be off, like 5."))
            self._need("least", _("Type the smallest answer that this is meant for, like 1000."))
        elif way == "rho":
            self._need("rho", _("Type how much ρ this question may cost, like 0.005."))
        else:
            self._need("epsilon", _("Type how much ε this question may cost, like 0.5."))
        for name in {"value", "percent", "least", "epsilon", "rho"} - set(_NEEDED.get(way, ())):
            self.errors.pop(name, None)
        return data

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
            raise forms.ValidationError(_("Type a whole number above zero, like 1000."))
        return int(text)

    def amount(self) -> dict[str, Any]:
        """The price as the raw plan has it: an amount, or an accuracy. Only when valid."""
        data, way = self.cleaned_data, self.way
        if way in ("epsilon", "rho"):
            return {way: data[way].strip()}
        wanted: dict[str, Any] = {"confidence_level": Decimal(data["level"])}
        if data["target"] in self.places:
            wanted["statistic"] = self.places.index(data["target"])
        if way == "error":
            return {"accuracy": wanted | {"value": data["value"]}}
        part = {"relative": data["percent"] / Decimal(100), "at_least": data["least"]}
        return {"accuracy": wanted | part}

    @property
    def wanted(self) -> str:
        """A sentence on how exact the answer was asked to be, if that sets the price.

        Only when valid.
        """
        data, way = self.cleaned_data, self.way
        if way not in ("error", "relative"):
            return ""
        target = data["target"] or self.places[0]
        return _wanted(self.way, counted_in_rows=target in self.in_rows).format(
            statistic=lower_first(dict(self.statistics)[target]),
            bound=percent(data["percent"]) if way == "relative" else data["value"],
            share=dict(_levels())[data["level"]],
            least=data["least"],
        )

    def field_for(self, path: str) -> str | None:
        """The field that a refusal at this path is about, if it is one of these."""
        if path == "accuracy" and self.way == "relative":
            return "percent"
        return _FIELDS.get(path)

    def _need(self, field: str, message: str) -> None:
        if self.cleaned_data.get(field) in (None, "") and field not in self.errors:
            self.add_error(field, message)


class PricedForm(ABC):
    """What the forms of one question and of several share: a price, and messages at their fields.

    What they return of the price is there only after `body`.
    """

    price: PriceForm

    def __init__(self, data: QueryDict) -> None:
        self.data = data
        self.general_errors: list[str] = []

    @abstractmethod
    def body(self) -> dict[str, Any] | None:
        """What the form asks, as it would be sent, or None (then every field has its message)."""

    @abstractmethod
    def place(self, refusal: InvalidPlan) -> None:
        """Put each refusal at the field that it speaks of."""

    @abstractmethod
    def problems(self) -> list[tuple[str, str]]:
        """Every message with the id of its field ("" for the form as a whole), in page order."""

    @property
    def assumed_rows(self) -> int | None:
        """The reader's guess."""
        guess: int | None = self.price.cleaned_data.get("assumed_rows")
        return guess

    @property
    def allocation_id(self) -> UUID | None:
        """What to charge, if the person chose."""
        chosen: UUID | None = self.price.cleaned_data.get("allocation")
        return chosen


_NEEDED = {
    "epsilon": ("epsilon",),
    "rho": ("rho",),
    "error": ("value",),
    "relative": ("percent", "least"),
}


def _wanted(way: str, *, counted_in_rows: bool) -> str:
    """The sentence with {statistic}, {bound}, {share} and {least} to be filled in."""
    if way == "error" and counted_in_rows:
        return _(
            "This is the smallest price that keeps the {statistic} off by at most {bound} rows in "
            "{share} of answers."
        )
    if way == "error":
        return _(
            "This is the smallest price that keeps the {statistic} off by at most {bound} in "
            "{share} of answers."
        )
    if counted_in_rows:
        return _(
            "This is the smallest price that keeps the {statistic} off by at most {bound} "
            "in {share} of answers, if it is at least {least} rows."
        )
    return _(
        "This is the smallest price that keeps the {statistic} off by at most {bound} in "
        "{share} of answers, if it is at least {least}."
    )
