"""A released answer as its reader arranges it: which groups in which order, and ratios of columns.

Works from the stored body of a release alone; the numbers and their bounds stay as released.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from math import inf, prod
from typing import Any

from dpgov.privacy.mechanisms.table import AlikeCells
from dpgov.queries.arranging.arrangement import (
    COMPARISONS,
    Arrangement,
    ColumnKey,
    GroupCondition,
    KeyKind,
    Order,
)
from dpgov.queries.wording.useful import span_of

# Each of the two intervals of a ratio holds with 95 of 100, so both with 90 at least (Bonferroni).
CONFIDENCE_OF_RATIOS = 90


@dataclass(frozen=True, slots=True)
class Ratio:
    """One number divided by another, both as released; None where nothing can be said.

    The true ratio lies from `low` to `high` with CONFIDENCE_OF_RATIOS of 100 at least.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Arranged:
    """`places` of shown cells in order, how many are `left_out`, and each ratio of all cells."""

    places: list[int]
    left_out: int
    ratios: list[list[Ratio]]


def arrange(body: dict[str, Any], wanted: Arrangement) -> Arranged:
    """The groups that are wanted, in the wanted order; ties stay in the declared one."""
    heads = body["statistics"]
    ratios = [_ratios(heads[above - 1], heads[below - 1]) for above, below in wanted.ratios]
    table = _Table(body, ratios)
    # Of rounds each has columns of its own, and the whole has none.
    number = len(heads[0]["cells"]) if heads else 0
    kept = list(range(number))
    for condition in wanted.having:
        kept = table.passing(kept, condition)
    for order in reversed(wanted.sort):
        kept = table.sorted_by(kept, order)
    shown = kept[: wanted.first]
    return Arranged(shown, number - len(shown), ratios)


@dataclass(frozen=True)
class _Table:
    body: dict[str, Any]
    ratios: list[list[Ratio]]

    def passing(self, places: list[int], condition: GroupCondition) -> list[int]:
        """Those that a condition lets be shown; a group without a number passes nothing."""
        column, compare = self._column(condition.key), COMPARISONS[condition.op]
        found = [(place, column[place]) for place in places]
        # A released number stands for the decimal that is shown, as the one beside it was written.
        return [
            at
            for at, number in found
            if number is not None and compare(Decimal(str(number)), condition.number)
        ]

    def sorted_by(self, places: list[int], order: Order) -> list[int]:
        """By one column; groups without a number come last, whatever the direction."""
        column = self._column(order.key)
        known = [place for place in places if column[place] is not None]
        nothing = [place for place in places if column[place] is None]
        # Ties stay in their order, whichever way it goes.
        known.sort(key=lambda place: column[place] or 0.0, reverse=order.descending)
        return known + nothing

    def _column(self, key: ColumnKey) -> Sequence[float | None]:
        if key.part is KeyKind.RATIO:
            return [ratio.value for ratio in self.ratios[key.place - 1]]
        if key.part is KeyKind.GROUPING:
            sizes = [len(group["bins"]) for group in self.body["groups"]]
            within = prod(sizes[key.place :])
            return [at // within % sizes[key.place - 1] for at in range(prod(sizes))]
        cells = self.body["statistics"][key.place - 1]["cells"]
        return cells.values if isinstance(cells, AlikeCells) else [c["value"] for c in cells]


def _ratios(above: dict[str, Any], below: dict[str, Any]) -> list[Ratio]:
    pairs = zip(above["cells"], below["cells"], strict=True)
    return [_ratio(one, above, other, below) for one, other in pairs]


def _ratio(
    one: dict[str, Any], above: dict[str, Any], other: dict[str, Any], below: dict[str, Any]
) -> Ratio:
    if one["value"] is None or not other["value"]:
        return Ratio(None)
    value = one["value"] / other["value"]
    spans = span_of(one, above), span_of(other, below)
    if spans[0] is None or spans[1] is None or spans[1][0] <= 0 <= spans[1][1]:
        return Ratio(value)
    ends = [high / low for high, low in product(spans[0], spans[1])]
    low, high = min(ends), max(ends)
    return Ratio(value) if inf in (-low, high) else Ratio(value, low, high)
