"""Which statistics of a plan share a draw, and what part of the price each draw gets.

A function of the plan and the public metadata alone. Statistics whose share is locked stand alone.
What is left goes to the other draws so that the sum of their squared errors, each relative to what
it would be with the whole price, is least: with w statistics in a draw, parts of the cube root of
w under pure ε and of its square root under zCDP.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.mechanisms.moments import degree_of
from dpgov.privacy.plan.plan import Statistic
from dpgov.privacy.plan.statistics import Recipe

_SQUARES = 2
_PRECISION = 10**12


@dataclass(frozen=True, slots=True)
class Family:
    """Statistics that are made of one draw, in the plan's order, and its share of the price."""

    statistics: tuple[Statistic, ...]
    share: Fraction

    @property
    def degree(self) -> int:
        """Of the moments that it needs; 0 if it is no family of moments."""
        return max(degree_of(statistic.kind) for statistic in self.statistics)


def families(
    statistics: Iterable[Statistic],
    mode: Mode,
    *,
    complete: frozenset[str],
    squarable: frozenset[str],
) -> tuple[Family, ...]:
    """The draws of a plan. `complete` are the columns whose every row has a value.

    Of other columns than `squarable`, codes are taken together before they are squared, so that a
    sum made of the same draw would no longer be that of the values.
    """
    groups = list(_groups(tuple(statistics), complete, squarable))
    locked = [_locked(group) for group in groups]
    left = 1 - sum((share for share in locked if share is not None), Fraction(0))
    weights = [
        0 if share is not None else _weight(len(group), mode)
        for group, share in zip(groups, locked, strict=True)
    ]
    whole = sum(weights) or 1
    return tuple(
        Family(group, left * weight / whole if share is None else share)
        for group, weight, share in zip(groups, weights, locked, strict=True)
    )


def _groups(
    statistics: tuple[Statistic, ...], complete: frozenset[str], squarable: frozenset[str]
) -> Iterator[tuple[Statistic, ...]]:
    free = [statistic for statistic in statistics if statistic.share is None]
    keys = {id(s): _key(s, free, complete, squarable) for s in free}
    joined = {place: key for place, key in keys.items() if key is not None}
    done: set[object] = set()
    for statistic in statistics:
        key = joined.get(id(statistic))
        if key is None:
            yield (statistic,)
        elif key not in done:
            done.add(key)
            yield tuple(s for s in free if joined.get(id(s)) == key)


def _key(
    statistic: Statistic,
    free: list[Statistic],
    complete: frozenset[str],
    squarable: frozenset[str],
) -> object:
    """What it shares with others: the moments or the order of a column; None for nothing."""
    averaged = dict.fromkeys(s.column for s in free if degree_of(s.kind))
    coarse = {s.column for s in free if degree_of(s.kind) == _SQUARES} - squarable
    recipe = statistic.kind.facts.recipe
    if recipe is Recipe.ORDERS:
        return "order", statistic.column
    if degree_of(statistic.kind):
        return "moments", statistic.column
    if recipe is Recipe.SUM and statistic.column in averaged.keys() - coarse:
        return "moments", statistic.column
    if recipe is Recipe.ROWS:
        return next((("moments", name) for name in averaged if name in complete), None)
    return None


def _locked(group: tuple[Statistic, ...]) -> Fraction | None:
    share = group[0].share
    return None if share is None else Fraction(share)


def _weight(statistics: int, mode: Mode) -> int:
    """A root of the number of statistics, as an integer: the same on every machine."""
    if mode is Mode.ZCDP:
        return isqrt(statistics * _PRECISION**2)
    low, high = 0, _PRECISION * statistics
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**3 <= statistics * _PRECISION**3 else (low, middle - 1)
    return low
