"""Numbers in the reader's language, with as many digits as mean something.

Works from what is written in plans, quotes and answers alone; never looks at data.
"""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from django.utils.formats import get_format
from django.utils.translation import ngettext

from dpgov.language.translation import percent
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS

LEVELS = tuple(map(float, CONFIDENCE_LEVELS))
NOTHING = "–"


def in_percent(share: float | Decimal) -> str:
    """A share of a plan or a release as it is, however many decimals: 0.25 is "25%"."""
    text = format(Decimal(str(share)) * 100, "f")
    return percent(text.rstrip("0").rstrip(".") if "." in text else text)


def readable(value: float, error: float | None = None, rounding: str = "") -> str:
    """A number with about as many digits as its error leaves meaningful, to the nearest one.

    Unless `rounding` says which way: one of those of `decimal`.
    """
    if not math.isfinite(value):
        return NOTHING
    if float(value).is_integer() and abs(value) < 1e15:
        return _printed(f"{int(value):,}")
    scale = abs(error) if error else abs(value)
    decimals = min(9, max(0, 2 - math.floor(math.log10(scale)))) if scale > 0 else 2
    text = f"{value:,.{decimals}f}"
    if rounding and not float(value).is_integer():
        exact = Decimal(str(value)).quantize(Decimal(1).scaleb(-decimals), rounding=rounding)
        text = f"{exact:,f}"
    return _printed(text.rstrip("0").rstrip(".") if "." in text else text)


def at_most(bound: float) -> str:
    """A bound on an error as text, rounded up."""
    return readable(bound, rounding=ROUND_CEILING)


def outwards(low: float, high: float, error: float | None) -> tuple[str, str]:
    """The ends of an interval as text, rounded away from each other."""
    return readable(low, error, ROUND_FLOOR), readable(high, error, ROUND_CEILING)


def ungrouped(text: str) -> str:
    """A readable number without marks for its thousands: years have none."""
    return text.replace(_thousands(), "")


def _printed(text: str) -> str:
    """With the marks for thousands of everything else on the page, and a true minus sign."""
    return text.replace(",", _thousands()).replace("-", "\u2212")


def _thousands() -> str:
    return str(get_format("THOUSAND_SEPARATOR"))


def accuracy_at(accuracy: list[dict[str, Any]], level: float) -> float | None:
    """The error bound at a confidence level, if it is stated in the statistic's own unit."""
    return _stated(accuracy, level, "value")


def rank_error_at(accuracy: list[dict[str, Any]], level: float) -> float | None:
    """The error bound at a confidence level, if it is stated in rows, as for quantiles."""
    return _stated(accuracy, level, "rank_error")


def rows_in_words(rows: float) -> str:
    """A number of rows: "1 row", "20 rows"."""
    pattern = ngettext("{rows} row", "{rows} rows", 1 if rows == 1 else 2)
    return pattern.format(rows=readable(rows))


def _stated(accuracy: list[dict[str, Any]], level: float, name: str) -> float | None:
    for item in accuracy:
        if item["confidence_level"] == level and item.get(name) is not None:
            return float(item[name])
    return None
