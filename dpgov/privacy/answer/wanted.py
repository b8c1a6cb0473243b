"""Accuracy first: the smallest amount at which one statistic of a plan is as exact as wanted.

A function of the plan, the public metadata and the asker's own guess of the rows; never of data.
It only looks at what `Blueprint.expected` says, so that what is promised here is what is shown
there. Amounts are searched among those of at most four digits, which people can read, remember and
type; the amount found is above the smallest possible one by less than a thousandth of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.accounting.decimals import InvalidNumber, as_text, read_decimal
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import Blueprint, prepare, refusal
from dpgov.privacy.plan.levels import CONFIDENCE_LEVELS, USUAL_STATED
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan, Plan
from dpgov.privacy.plan.problems import Problems
from dpgov.privacy.plan.schema import DatasetSchema

_KEYS = ("statistic", "value", "relative", "at_least", "confidence_level")
_USUAL_LEVEL = str(USUAL_STATED)
# Up to here every whole nano has at most four digits; then 9000 amounts to a power of ten.
_SHORT, _DECADE = 9_999, 9_000
# The place of 1000 ε, the largest amount there is.
_LAST = 82_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """The largest error to live with: of the statistic at this place, at this confidence.

    `bound` is in the statistic's own unit, or in rows for those that `error_in_rows`.
    """

    statistic: int
    bound: Fraction
    level: Fraction
    path: str = "accuracy.value"


def parse_wanted(raw: object, schema: DatasetSchema, *, dataset: str) -> tuple[Plan, Wanted]:
    """A plan that names an "accuracy" in place of its ε; the plan's amount is a stand-in.

    {"statistic": 0, "value": 50, "confidence_level": 0.95}, or {"relative": 0.05, "at_least":
    1000} for a part of the answer if it is at least that large. Raises InvalidPlan.
    """
    body = dict(raw) if isinstance(raw, Mapping) else {}
    problems = Problems()
    if any(body.get(name) is not None for name in ("epsilon", "rho")):
        problems.add("accuracy", said("Give an accuracy or an amount to spend, not both."))
    wanted = _read(body.pop("accuracy", None), problems)
    plan = _plan(body | {"epsilon": 1, "rho": None}, schema, dataset, problems)
    if plan is not None and wanted is not None and wanted.statistic >= len(plan.statistics):
        many = len(plan.statistics)
        problems.add(
            "accuracy.statistic", said("Count from 0; this plan has {number}.", number=many)
        )
    problems.raise_if_any()
    if plan is None or wanted is None:
        raise AssertionError("a plan or an accuracy that could not be read was let through")
    return plan, wanted


def _plan(
    body: dict[str, Any], schema: DatasetSchema, dataset: str, problems: Problems
) -> Plan | None:
    try:
        return parse_plan(body, schema, dataset=dataset)
    except InvalidPlan as found:
        for problem in found.problems:
            problems.add(problem.path, problem.message)
        return None


def _read(raw: object, problems: Problems) -> Wanted | None:
    body = problems.mapping("accuracy", raw, _KEYS)
    if body is None:
        return None
    place = body.get("statistic", 0)
    if isinstance(place, bool) or not isinstance(place, int) or place < 0:
        problems.add("accuracy.statistic", said("Must be the place of a statistic, from 0 on."))
        return None
    bound, level = _bound(body, problems), _level(body, problems)
    path = "accuracy.value" if body.get("value") is not None else "accuracy.relative"
    return None if bound is None or level is None else Wanted(place, bound, level, path)


def _bound(body: Mapping[str, Any], problems: Problems) -> Fraction | None:
    value, relative = body.get("value"), body.get("relative")
    if (value is None) == (relative is None):
        message = said("Give a value, or relative and at_least: how wrong it may be.")
        problems.add("accuracy", message)
        return None
    if relative is None:
        return _positive("value", value, problems)
    part, least = (_positive(n, body.get(n), problems) for n in ("relative", "at_least"))
    return None if part is None or least is None else part * least


def _positive(name: str, raw: object, problems: Problems) -> Fraction | None:
    try:
        number = Fraction(read_decimal("" if raw is None else raw))
    except InvalidNumber as problem:
        problems.add(f"accuracy.{name}", said("The number {problem}", problem=str(problem)))
        return None
    if number <= 0:
        problems.add(f"accuracy.{name}", said("The number must be above zero."))
        return None
    return number


def _level(body: Mapping[str, Any], problems: Problems) -> Fraction | None:
    try:
        level = Fraction(read_decimal(body.get("confidence_level", _USUAL_LEVEL)))
    except InvalidNumber:
        level = Fraction(0)
    if level not in CONFIDENCE_LEVELS:
        levels = ", ".join(str(float(known)) for known in CONFIDENCE_LEVELS)
        problems.add("accuracy.confidence_level", said("Choose one of {levels}.", levels=levels))
        return None
    return level


def cheapest(
    plan: Plan,
    schema: DatasetSchema,
    wanted: Wanted,
    *,
    assumed_rows: int | None = None,
    least_nano: int = 0,
) -> Blueprint:
    """The plan with the smallest amount, of at most four digits, that is exact enough.

    Never less than `least_nano`, which is what any plan costs.

    Where more ε does not always mean a smaller error, because another kind of noise becomes the
    better one, it is an amount below which the next one fails. Raises InvalidPlan where no amount
    is enough, or where the error cannot be told without a guess of the rows.
    """
    best = prepare(_priced(plan, schema.mode, _amount(_LAST)), schema)
    reached = error_of(best, wanted, assumed_rows)
    if reached is None:
        raise refusal(
            "assumed_rows",
            said("How exact this is depends on the rows. Say how many you expect."),
        )
    if reached > wanted.bound:
        raise refusal(wanted.path, _out_of_reach(schema.mode, reached))
    low, high = 0, _LAST
    while high - low > 1:
        middle = (low + high) // 2
        found = _prepared(_priced(plan, schema.mode, _amount(middle)), schema)
        error = None if found is None else error_of(found, wanted, assumed_rows)
        if found is not None and error is not None and error <= wanted.bound:
            best, high = found, middle
        else:
            low = middle
    if best.cost_nano < least_nano:
        return prepare(_priced(plan, schema.mode, least_nano), schema)
    return best


def error_of(blueprint: Blueprint, wanted: Wanted, assumed_rows: int | None) -> Fraction | None:
    """The error to expect of the statistic that is meant; None if it needs a guess of the rows."""
    statistic = blueprint.plan.statistics[wanted.statistic]
    stated = [
        statement.get("rank_error", statement["value"])
        for _, column, statements in blueprint.expected(blueprint.rows_in_a_cell(assumed_rows))
        for statement in statements
        if column.statistic == statistic and statement["confidence_level"] == float(wanted.level)
    ]
    return max((Fraction(bound) for bound in stated if bound is not None), default=None)


def _out_of_reach(mode: Mode, reached: Fraction) -> str:
    symbol, most = ("ε" if mode is Mode.PURE else "ρ"), as_text(_amount(_LAST))
    return said(
        "No {symbol} is enough: even {symbol} {most} leaves an error of {error}.",
        symbol=symbol,
        most=most,
        error=f"{float(reached):.6g}",
    )


def _priced(plan: Plan, mode: Mode, nano: int) -> Plan:
    if mode is Mode.PURE:
        return replace(plan, epsilon_nano=nano, rho_nano=None)
    return replace(plan, epsilon_nano=None, rho_nano=nano)


def _prepared(plan: Plan, schema: DatasetSchema) -> Blueprint | None:
    """None where the amount is too small for any noise."""
    try:
        return prepare(plan, schema)
    except InvalidPlan:
        return None


def _amount(place: int) -> int:
    """The amounts of at most four digits, in nano, in their order, from place 1 on."""
    if place <= _SHORT:
        return place
    power, rest = divmod(place - _SHORT - 1, _DECADE)
    return int((1_000 + rest) * 10 ** (power + 1))
