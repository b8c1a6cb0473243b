"""Price against error: what a question would cost and how exact it would be, at amounts in a row.

A function of the plan, the declarations, declared or guessed numbers of rows, the ledger and the
plans of stored answers: public numbers only. So nothing is given away by drawing it, however often
it is asked for, and nobody pays for looking. Of a fixed number of points, whatever is asked.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import Any

from dpgov.datasets.fitting import PersonalPolicy, is_allowed
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.plan.levels import USUAL_STATED
from dpgov.privacy.plan.plan import InvalidPlan, Plan
from dpgov.privacy.plan.ranges import group_sizes
from dpgov.queries.asking.quote import Quote

MOST_POINTS = 10
_DECADES = 3


class AmountVerdict(StrEnum):
    """Whether a question at such an amount would be accepted now.

    NOT_NOW: no amount would be, for another reason than its size.
    """

    FITS = "fits"
    NEEDS_PERMIT = "needs_permit"
    TOO_MUCH = "too_much"
    NOT_NOW = "not_now"


@dataclass(frozen=True, slots=True)
class Point:
    """An amount and the error at 95% that it buys; one for each size of a curve with sizes."""

    nano: int
    errors: tuple[float | None, ...]
    verdict: AmountVerdict
    currency: Currency


@dataclass(frozen=True, slots=True)
class FreeDot:
    """A stored answer that is free, and the amount that would buy its error."""

    choice: str
    error: float
    worth_nano: int


@dataclass(frozen=True, slots=True)
class Curve:
    """Of the first statistic of a question, the cheapest first.

    `sizes` are the group sizes that errors are said for, where no single one holds for all;
    `shown` is the place of the one that is drawn. Errors are in rows where `in_rows`.
    """

    statistic: dict[str, Any]
    currency: Currency
    points: tuple[Point, ...]
    sizes: tuple[int, ...] = ()
    shown: int = 0
    in_rows: bool = False
    free: tuple[FreeDot, ...] = ()

    @property
    def unit(self) -> str:
        """The field of an amount: epsilon or rho."""
        return self.currency.unit


def curve_of(
    priced: Quote, policy: PersonalPolicy, *, assumed_rows: int | None = None
) -> Curve | None:
    """The curve of a priced question; None where no amount has an error that can be told."""
    blueprint = priced.questions[0].blueprint
    statistic = blueprint.plan.statistics[0]
    rows = blueprint.rows_in_a_cell(assumed_rows)
    facts = statistic.kind.facts
    # An error counted in rows is the same number of rows in every group.
    depends = facts.depends_on_rows and not facts.error_in_rows
    wants_sizes = depends and (blueprint.plan.group_by or rows is None)
    sizes = group_sizes(blueprint.schema.max_rows) if wants_sizes else ()
    points = []
    for nano in _amounts(policy):
        found = _at(blueprint, nano)
        errors = tuple(_error(found, size) for size in sizes or (rows,)) if found else ()
        if any(error is not None for error in errors):
            verdict = _verdict(nano, priced, policy)
            points.append(Point(nano, errors, verdict, priced.currency))
    if not points:
        return None
    shown = max(0, len(sizes) - 2)
    head = priced.description["statistics"][0]
    return Curve(
        statistic=head,
        currency=priced.currency,
        points=tuple(points),
        sizes=sizes,
        shown=shown,
        in_rows=facts.error_in_rows,
        free=() if sizes else _free(priced, points),
    )


def _amounts(policy: PersonalPolicy) -> list[int]:
    """Evenly spaced on a logarithmic scale below the most that one question may cost."""
    most = policy.rules.per_query_nano
    steps = (_DECADES * (place / (MOST_POINTS - 1) - 1) for place in range(MOST_POINTS))
    found = {max(policy.least_nano, _two_digits(most * 10**step)) for step in steps}
    return sorted(nano for nano in found | {most} if nano <= most)[-MOST_POINTS:]


def _two_digits(nano: float) -> int:
    unit: int = 10 ** max(0, math.floor(math.log10(max(1.0, nano))) - 1)
    return max(1, round(nano / unit) * unit)


def _at(blueprint: Blueprint, nano: int) -> Blueprint | None:
    """The same question at this amount; None where it is too small for any noise."""
    try:
        return prepare(_priced(blueprint.plan, blueprint.schema.mode, nano), blueprint.schema)
    except InvalidPlan:
        return None


def _priced(plan: Plan, mode: Mode, nano: int) -> Plan:
    pure = mode is Mode.PURE
    return replace(plan, epsilon_nano=nano if pure else None, rho_nano=None if pure else nano)


def _error(blueprint: Blueprint, rows: int | None) -> float | None:
    """The largest error at 95% among the numbers of the first statistic."""
    first = blueprint.plan.statistics[0]
    stated = [
        one.get("rank_error", one["value"])
        for _, column, statements in blueprint.expected(rows)
        for one in statements
        if column.statistic == first and one["confidence_level"] == USUAL_STATED
    ]
    known = [float(bound) for bound in stated if bound is not None]
    return max(known, default=None)


def _verdict(nano: int, priced: Quote, policy: PersonalPolicy) -> AmountVerdict:
    if nano <= priced.largest_fit_nano:
        return AmountVerdict.FITS
    if priced.not_now or policy.only_approved or not is_allowed(policy.rules, priced.plan):
        return AmountVerdict.NOT_NOW
    if policy.needs_permit and nano > policy.most_nano:
        return AmountVerdict.NEEDS_PERMIT
    return AmountVerdict.TOO_MUCH


def _free(priced: Quote, points: Sequence[Point]) -> tuple[FreeDot, ...]:
    """The most exact first, as they are offered."""
    found = []
    for one in priced.reusable.free:
        _, statements = one.expected[0]
        error = next(
            (
                item.get("rank_error", item["value"])
                for item in statements
                if item["confidence_level"] == USUAL_STATED
            ),
            None,
        )
        if error:
            found.append(FreeDot(one.choice, float(error), _worth(float(error), points)))
    return tuple(found)


def _worth(error: float, points: Sequence[Point]) -> int:
    """Where the curve has this error: between two points, as powers; at an end, the end's."""
    known = [(point.nano, bound) for point in points if (bound := point.errors[0])]
    for (low, wide), (high, narrow) in pairwise(known):
        if narrow <= error <= wide and narrow < wide:
            part = math.log(wide / error) / math.log(wide / narrow)
            return _two_digits(low * math.pow(high / low, part))
    return known[0][0] if error > known[0][1] else known[-1][0]
