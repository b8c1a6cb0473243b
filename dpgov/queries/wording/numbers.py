"""How numbers of an answer or a quote are written for people. Knows no plan and no database."""

import math
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dpgov.privacy.plan.ranges import is_empty

LEVELS = (0.9, 0.95, 0.99)
NOTHING = "–"


def readable(value: float, error: float | None = None) -> str:
    """A number with about as many digits as its error leaves meaningful; thin groups by space."""
    if not math.isfinite(value):
        return NOTHING
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\u202f")
    scale = abs(error) if error else abs(value)
    decimals = min(9, max(0, 2 - math.floor(math.log10(scale)))) if scale > 0 else 2
    text = f"{value:,.{decimals}f}".replace(",", "\u202f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def accuracy_at(accuracy: list[dict[str, Any]], level: float) -> float | None:
    """The error bound at a confidence level, if it is stated in the statistic's own unit."""
    return _stated(accuracy, level, "value")


def rank_error_at(accuracy: list[dict[str, Any]], level: float) -> float | None:
    """The error bound at a confidence level, if it is stated in rows, as for quantiles."""
    return _stated(accuracy, level, "rank_error")


def margin(accuracy: list[dict[str, Any]], level: float) -> str:
    """The error bound in words: "± 12.5", or "20 rows" for a quantile, or a dash."""
    bound, rows = accuracy_at(accuracy, level), rank_error_at(accuracy, level)
    if bound is not None:
        return f"± {readable(bound)}"
    return NOTHING if rows is None else rows_in_words(rows)


def rows_in_words(rows: float) -> str:
    """A number of rows: "1 row", "20 rows"."""
    pattern = ngettext("{rows} row", "{rows} rows", 1 if rows == 1 else 2)
    return pattern.format(rows=readable(rows))


def warning_in_words(
    head: dict[str, Any],
    accuracies: list[list[dict[str, Any]]],
    values: Sequence[float | None] = (),
) -> str:
    """That the error is as wide as everything that can be true; nothing where it is not."""
    if not is_empty(accuracies, head, values):
        return ""
    low, high = (readable(bound) for bound in head["range"])
    pattern = _(
        "The error is as wide as everything between {low} and {high}: at {level} confidence such a "
        "number says nothing."
    )
    return pattern.format(low=low, high=high, level="95 %")


def price(priced: dict[str, Any]) -> str:
    """The amount that a draw or a guarantee names: "ε 0.5" or "ρ 0.01"."""
    if "rho" in priced:
        return f"ρ {four_digits(priced['rho'])}"
    return f"ε {four_digits(priced['epsilon'])}"


def four_digits(value: float) -> str:
    """An amount to four digits, small ones too, without an exponent."""
    if value <= 0:
        return "0"
    decimals = max(0, 3 - math.floor(math.log10(value)))
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _stated(accuracy: list[dict[str, Any]], level: float, name: str) -> float | None:
    for item in accuracy:
        if item["confidence_level"] == level and item.get(name) is not None:
            return float(item[name])
    return None
