"""What all rows of the ask form share: how they read and propose numbers, and show refusals.

A row turns what was typed into its piece of the raw plan and back-translates the plan's refusals to
its fields. Numbers are read exactly: floats and other scripts' digits end here. Choices and
proposals come from the declared domains, never from the data.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dpgov.operation.exact_json import read_json
from dpgov.privacy.plan.parsing.groups import MAX_BINS
from dpgov.privacy.plan.parsing.plans import MAX_QUANTILES
from dpgov.privacy.plan.schema import CategoryDomain, ColumnSpec, NumericDomain
from dpgov.web.typed import TypedNumber, as_typed, plain_number, split_numbers

_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,12})?", re.ASCII)
# What the buttons beside a list of quantiles fill in.
PRESETS = {"quartiles": "0.25, 0.5, 0.75", "deciles": ", ".join(f"0.{n}" for n in range(1, 10))}
_NOT_A_NUMBER = gettext_lazy("Type a plain number, like 40 or -2.5.")


class NumberField(TypedNumber):
    """A plain decimal number, kept exact; empty is None."""

    def __init__(self, **options: Any) -> None:
        # Values may be below zero, and a keypad of digits may have no minus.
        super().__init__(
            max_length=40,
            required=False,
            widget=forms.TextInput(attrs={"class": "form-control"}),
            **options,
        )

    def clean(self, value: Any) -> Decimal | None:
        """The number; raises ValidationError with what to type instead."""
        text = super().clean(value)
        # It has the plain spelling already, whose point a German reader would use for thousands.
        return _exact(text) if text else None


def number(text: str) -> Decimal:
    """Read one number; raises ValidationError."""
    return _exact(plain_number(text))


def _exact(plain: str) -> Decimal:
    if not _NUMBER.fullmatch(plain):
        raise forms.ValidationError(_NOT_A_NUMBER)
    return Decimal(plain)


def number_list(text: str) -> list[Decimal]:
    """Read numbers separated by commas, semicolons or spaces; raises ValidationError."""
    parts = split_numbers(text)
    if len(parts) > MAX_BINS:
        refusal = _("Give at most {most} numbers.")
        raise forms.ValidationError(refusal.format(most=MAX_BINS))
    return [number(part) for part in parts]


def quantile_list(text: str) -> list[Decimal]:
    """Read shares of one, or percentages, in any order; raises ValidationError."""
    parts = split_numbers(re.sub(r"\s+%", "%", text))
    if len(parts) > MAX_QUANTILES:
        refusal = _("Give at most {most} quantiles.")
        raise forms.ValidationError(refusal.format(most=MAX_QUANTILES))
    return sorted({_order(part) for part in parts})


def _order(part: str) -> Decimal:
    return number(part[:-1]) / 100 if part.endswith("%") else number(part)


def even_edges(lower: Decimal, upper: Decimal, width: Decimal) -> list[Decimal]:
    """Bin edges from lower to upper; the last bin is narrower if the width does not fit."""
    if upper <= lower:
        raise forms.ValidationError(_("“To” must be above “from”."))
    if width <= 0:
        raise forms.ValidationError(_("The width must be above zero."))
    bins = -int(-(upper - lower) // width)
    if bins > MAX_BINS:
        refusal = _("That makes {bins} bins; choose a width that makes at most {most}.")
        raise forms.ValidationError(refusal.format(bins=bins, most=MAX_BINS))
    edges = [lower + width * place for place in range(bins + 1)]
    return [*(edge for edge in edges if edge < upper), upper]


def proposed_width(domain: NumericDomain) -> Decimal:
    """A round bin width (1, 2 or 5 times a power of ten, on the step) for about ten bins."""
    target = (domain.upper - domain.lower) / 10
    power = Decimal(1).scaleb(target.adjusted())
    for factor in (1, 2, 5, 10):
        width = power * factor
        if width >= target and width % domain.step == 0:
            return width
    return domain.step * max(1, -(-domain.top // 10))


def plain(value: Any) -> str:
    """A number without an exponent and without needless zeros, as a reader of the page types it."""
    text = format(Decimal(str(value)), "f")
    return as_typed((text.rstrip("0").rstrip(".") if "." in text else text) or "0")


# Of what a form brings along; a question that was asked is said in full on its own page.
LONGEST_TITLE = 2_000


def title_of(text: str, words: Callable[[Any], str]) -> str:
    """JSON that a form brings along, in words and cut; empty where it cannot be said.

    Nobody has read it yet: it may hold anything, and what it holds is no pattern.
    """
    try:
        title = words(read_json(text))
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError):
        return ""
    return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…"


SELECT = {"class": "form-select"}
TEXT = {"class": "form-control"}


class RowForm(forms.Form):
    """Shared by all rows: its place in the page and the column that it is about."""

    template = ""

    def __init__(
        self, *args: Any, row_id: str = "", spec: ColumnSpec | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.row_id, self.spec = row_id, spec

    @property
    def title(self) -> str:
        """What the row is about, in a word or two."""
        return self.spec.name if self.spec else ""

    def field_for(self, rest: list[str]) -> str:
        """The field that a refusal of the plan at this path inside the row belongs to."""
        return next(iter(self.fields))

    def ignore(self, *fields: str) -> None:
        """What a choice hides may hold anything: nobody could see or mend its message."""
        for field in fields:
            self.errors.pop(field, None)

    def need(self, field: str, message: str) -> None:
        """An empty field gets this message, unless it has one already."""
        if self.cleaned_data.get(field) in (None, "", []) and field not in self.errors:
            self.add_error(field, message)


def offer_categories(field: Any, spec: ColumnSpec) -> tuple[str, ...]:
    """Make the declared categories the choices of a field; they are returned in their order."""
    categories = spec.domain.categories if isinstance(spec.domain, CategoryDomain) else ()
    field.choices = [(category, category) for category in categories]
    return categories
