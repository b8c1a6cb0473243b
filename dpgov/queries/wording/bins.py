"""Groups and numbers as people write them: 16–25 for [16, 26) of whole numbers, 2016 for a year.

Files and the API keep the names of the release. Works from a release body alone.
"""

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _

from dpgov.privacy.plan.levels import USUAL_STATED
from dpgov.privacy.plan.statistics import IN_ROWS, STATISTICS, Quantity
from dpgov.queries.wording.dates import bin_shown, date_at, period_shown
from dpgov.queries.wording.margins import beside
from dpgov.queries.wording.numbers import NOTHING, accuracy_at, readable, ungrouped

# The level of the error that stands beside a number.
# What is declared within these is a year: it is written without a gap after its thousands.
_YEARS = (1_000, 2_999)


def shown_bins(body: dict[str, Any]) -> list[list[str]]:
    """The names of the bins of each grouping, in the order of the answer's cells."""
    groupings = body.get("plan", {}).get("group_by") or [{}] * len(body["groups"])
    if "rounds" in body:
        # Each has groups of its own, and the whole has none.
        return []
    return [
        _shown(group, grouping.get("edges"))
        for group, grouping in zip(body["groups"], groupings, strict=True)
    ]


def is_ordered(body: dict[str, Any], place: int) -> bool:
    """Whether the bins of a grouping follow each other, along numbers or in time."""
    groupings = body.get("plan", {}).get("group_by") or []
    return place < len(groupings) and any(groupings[place].get(key) for key in ("edges", "by"))


# The places of a chosen value that a reader can tell apart between the ends of its column.
_FINER_THAN_READ = 1_000


def is_year(head: dict[str, Any]) -> bool:
    """Whether a statistic's values are years, by the declared bounds of its column."""
    found = head.get("range")
    if not found or STATISTICS[head["statistic"]].quantity is not Quantity.VALUE:
        return False
    return bool(_YEARS[0] <= found[0] and found[1] <= _YEARS[1])


def shown_number(cell: dict[str, Any], head: dict[str, Any]) -> str:
    """A released number as text, with the digits that its error leaves."""
    error = accuracy_at(cell.get("accuracy") or [], USUAL_STATED)
    if error is None and head["statistic"] in IN_ROWS and (ends := head.get("range")):
        # So many rows say nothing of digits.
        error = (ends[1] - ends[0]) / _FINER_THAN_READ
    return written(cell["value"], error, head)


def within(cell: dict[str, Any], head: dict[str, Any]) -> str:
    """The error at 95% as it follows the number on one line; nothing where none is stated."""
    accuracy = cell.get("accuracy") or []
    words = beside(cell, USUAL_STATED, head)
    if accuracy_at(accuracy, USUAL_STATED) is not None:
        return f" {words}"
    return "" if words == NOTHING else f", {words}"


def written(value: float, error: float | None, head: dict[str, Any], rounding: str = "") -> str:
    """A number of this statistic as text: a year has no gap after its thousands."""
    if head.get("dates"):
        turned = {ROUND_FLOOR: math.floor, ROUND_CEILING: math.ceil}.get(rounding, round)
        return date_at(turned(value), head)
    text = readable(value, error, rounding)
    return ungrouped(text) if is_year(head) else text


def _shown(group: dict[str, Any], edges: list[Any] | None) -> list[str]:
    names = [str(name) for name in group["bins"]]
    if by := group.get("by"):
        return [*(bin_shown(name, by) for name in names[:-1]), _("no date")]
    if not edges or len(edges) != len(names):
        return names
    if isinstance(edges[0], str):
        return [*_dates_between(edges), names[-1]]
    whole = Decimal(str(group.get("step", 0))) == 1 and all(_is_whole(edge) for edge in edges)
    *inner, last = pairwise(edges)
    between = [_between(low, high, whole=whole) for low, high in inner]
    return [*between, _closed(*last, whole=whole), names[-1]]


def _dates_between(edges: list[Any]) -> list[str]:
    shown = [period_shown(str(edge)) for edge in edges]
    *inner, last = pairwise(shown)
    between = [_("{low} to before {high}").format(low=low, high=high) for low, high in inner]
    return [*between, _("{low} to {high}").format(low=last[0], high=last[1])]


def _between(low: Any, high: Any, *, whole: bool) -> str:
    """Without its upper edge."""
    if whole:
        return _closed(low, int(Decimal(str(high))) - 1, whole=True)
    return _("{low} to under {high}").format(low=low, high=high)


def _closed(low: Any, high: Any, *, whole: bool) -> str:
    """With both edges."""
    if Decimal(str(low)) == Decimal(str(high)):
        return str(low)
    if whole and Decimal(str(low)) >= 0:
        return f"{low}–{high}"
    return _("{low} to {high}").format(low=low, high=high)


def _is_whole(edge: Any) -> bool:
    return Decimal(str(edge)) % 1 == 0
