"""Several plans for one amount: shares that are locked stay, the rest goes where it helps most.

A function of the plans and the public metadata alone. What is left is shared out so that the sum of
the squared errors of all statistics, each relative to what it would be with the whole amount, is
least. It is the rule of `mechanisms.choice`, over plans: a plan whose statistics w have draws with
the parts s of its price adds C/a² under pure ε and C/a under zCDP at the amount a, with C the sum
of w/s², or of w/s; so its amount goes with the cube root of C, or with its square root.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpgov.language.said import said
from dpgov.privacy.accounting.decimals import MAX_EPSILON, InvalidNumber, read_decimal
from dpgov.privacy.accounting.loss import Loss, Mode
from dpgov.privacy.answer.adaptively import Adaptively
from dpgov.privacy.answer.blueprint import Blueprint, loss_of, prepare
from dpgov.privacy.answer.covers import Cover
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan, Plan
from dpgov.privacy.plan.problems import Problems
from dpgov.privacy.plan.schema import DatasetSchema

MAX_PLANS = 20
_KEYS = ("dataset", "plans", "epsilon", "rho")
_PRECISION = 10**9
_ONE_COUNT = [{"statistic": "count"}]


@dataclass(frozen=True, slots=True)
class Batch:
    """Plans that are asked together; `shares` are the locked ones, None where it is left open.

    `cover` says of which set of tables they are the drawn ones, if they are.
    """

    plans: tuple[Plan, ...]
    shares: tuple[Fraction | None, ...]
    whole: Loss
    cover: Cover | Adaptively | None = None


def parse_batch(raw: object, schema: DatasetSchema, *, dataset: str) -> Batch:
    """{"epsilon": 1, "plans": [{"statistics": [...], "share": 0.5}, ...]}: one amount for all.

    Each plan is as always, without a price. Raises InvalidPlan with every problem found; those of
    a plan begin with its place, like "plans.0.where.1.column".
    """
    problems = Problems()
    body = problems.mapping("plan", raw, _KEYS) or {}
    price = {name: body.get(name) for name in ("dataset", "epsilon", "rho") if name in body}
    # Read like any plan's price, with a statistic that always can be asked.
    whole = _plan("", price | {"statistics": _ONE_COUNT}, schema, dataset, problems)
    entries = problems.items("plans", body.get("plans", []), least=1, most=MAX_PLANS)
    read = [
        _entry(f"plans.{place}", entry, schema, dataset, problems)
        for place, entry in enumerate(entries)
    ]
    _check_shares([share for _, share in read], problems)
    problems.raise_if_any()
    plans = tuple(plan for plan, _ in read if plan is not None)
    if whole is None or len(plans) < len(read):
        raise AssertionError("a batch that could not be read was let through")
    return Batch(plans, tuple(share for _, share in read), loss_of(whole, schema.mode))


def _entry(
    path: str, raw: object, schema: DatasetSchema, dataset: str, problems: Problems
) -> tuple[Plan | None, Fraction | None]:
    if not isinstance(raw, Mapping):
        problems.add(path, said("Must be a plan: an object with statistics."))
        return None, None
    body = dict(raw)
    share = _share(path, body.pop("share", None), problems)
    for name in ("epsilon", "rho", "accuracy"):
        if body.pop(name, None) is not None:
            message = said("The batch names one amount for all; lock a share.")
            problems.add(f"{path}.{name}", message)
    return _plan(f"{path}.", body | {"epsilon": 1}, schema, dataset, problems), share


def _plan(
    path: str, body: Mapping[str, Any], schema: DatasetSchema, dataset: str, problems: Problems
) -> Plan | None:
    try:
        return parse_plan(dict(body), schema, dataset=dataset)
    except InvalidPlan as found:
        for problem in found.problems:
            problems.add(f"{path}{problem.path}", problem.message)
        return None


def _share(path: str, raw: object, problems: Problems) -> Fraction | None:
    if raw is None:
        return None
    try:
        share = Fraction(read_decimal(raw))
    except InvalidNumber as problem:
        problems.add(f"{path}.share", said("The share {problem}", problem=str(problem)))
        return None
    if not 0 < share <= 1:
        problems.add(f"{path}.share", said("A share lies above 0 and is at most 1."))
        return None
    return share


def _check_shares(shares: Sequence[Fraction | None], problems: Problems) -> None:
    locked = [share for share in shares if share is not None]
    free = len(shares) - len(locked)
    if sum(locked) > 1:
        problems.add("plans", said("The locked shares add up to more than the whole."))
    elif free and sum(locked) >= 1:
        problems.add("plans", said("The locked shares leave nothing for the other questions."))


def priced(batch: Batch, schema: DatasetSchema) -> tuple[Blueprint, ...]:
    """Each plan with its part of the amount; together they cost at most the whole.

    Raises InvalidPlan, at the place of the plan, where a part is too small for it.
    """
    parts = parts_for(batch, schema)(batch.whole.nano)
    return tuple(
        _prepared(place, plan.at(Loss(schema.mode, nano)), schema)
        for place, (plan, nano) in enumerate(zip(batch.plans, parts, strict=True))
    )


def parts_for(batch: Batch, schema: DatasetSchema) -> Callable[[int], list[int]]:
    """How each whole amount, in nano, would be shared out: by shares that do not depend on it.

    Whole nano, rounded down; what that leaves over goes to the first open ones.
    """
    shares = _shares_of(batch, schema)
    free = [place for place, share in enumerate(batch.shares) if share is None]

    def parts(whole_nano: int) -> list[int]:
        whole = Loss(schema.mode, whole_nano)
        found = [whole.part(share.numerator, share.denominator).nano for share in shares]
        left = whole_nano - sum(found) if free else 0
        for place in free[:left]:
            found[place] += 1
        return found

    return parts


def _shares_of(batch: Batch, schema: DatasetSchema) -> list[Fraction]:
    left = 1 - sum((share for share in batch.shares if share is not None), Fraction(0))
    weights = [
        0 if share is not None else _weight(_prepared(place, _most(plan, schema.mode), schema))
        for place, (plan, share) in enumerate(zip(batch.plans, batch.shares, strict=True))
    ]
    whole = sum(weights) or 1
    return [
        left * Fraction(weight, whole) if share is None else share
        for share, weight in zip(batch.shares, weights, strict=True)
    ]


def _weight(blueprint: Blueprint) -> int:
    """The root of C as an integer: the same on every machine."""
    pure = blueprint.schema.mode is Mode.PURE
    errors = Fraction(0)
    for mechanism in blueprint.mechanisms:
        part = Fraction(max(1, mechanism.loss.nano), blueprint.loss.nano)
        errors += len(mechanism.statistics) / (part**2 if pure else part)
    return _root(errors, 3 if pure else 2)


def _root(number: Fraction, degree: int) -> int:
    """The root in billionths, rounded down."""
    target = int(number * _PRECISION**degree)
    low, high = 0, 1 << (target.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= target else (low, middle - 1)
    return low


def _most(plan: Plan, mode: Mode) -> Plan:
    """With the largest amount there is: how its price is split does not depend on it."""
    return plan.at(Loss(mode, MAX_EPSILON * 10**9))


def _prepared(place: int, plan: Plan, schema: DatasetSchema) -> Blueprint:
    try:
        return prepare(plan, schema)
    except InvalidPlan as found:
        raise InvalidPlan(tuple(_moved(place, found))) from found


def _moved(place: int, found: InvalidPlan) -> Iterator[Any]:
    for problem in found.problems:
        yield replace(problem, path=f"plans.{place}.{problem.path}")
