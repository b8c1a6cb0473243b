"""One amount for several plans: never more than the whole, and no better way to share it out."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpgov.privacy.accounting.decimals import NANO
from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.batch import parse_batch, priced
from dpgov.privacy.answer.blueprint import prepare
from dpgov.privacy.plan.plan import InvalidPlan
from tests.unit.privacy.answer.test_wanted import SCHEMA

COUNT: dict[str, Any] = {"statistics": [{"statistic": "count"}]}
SUM: dict[str, Any] = {"statistics": [{"statistic": "sum", "column": "age"}]}
# Two draws, so twice the need of one.
BOTH: dict[str, Any] = {"statistics": [*COUNT["statistics"], *SUM["statistics"]]}


def amounts(*plans: dict[str, Any], mode: Mode = Mode.PURE, **price: Any) -> list[int]:
    schema = replace(SCHEMA, mode=mode)
    batch = parse_batch({"plans": list(plans), **price}, schema, dataset="visits")
    return [blueprint.cost_nano for blueprint in priced(batch, schema)]


def refused(raw: object) -> list[tuple[str, str]]:
    with pytest.raises(InvalidPlan) as caught:
        priced(parse_batch(raw, SCHEMA, dataset="visits"), SCHEMA)
    return [(problem.path, problem.message) for problem in caught.value.problems]


def test_equal_plans_get_equal_parts() -> None:
    assert amounts(COUNT, SUM, epsilon=1) == [NANO // 2, NANO // 2]


def test_parts_never_add_up_to_more_than_the_whole() -> None:
    found = amounts(COUNT, SUM, COUNT, epsilon=1)
    assert sum(found) == NANO
    assert max(found) - min(found) <= 1


def test_a_locked_share_is_kept_and_the_rest_is_shared_out() -> None:
    found = amounts(COUNT | {"share": 0.6}, SUM, SUM, epsilon=1)
    assert found == [6 * NANO // 10, 2 * NANO // 10, 2 * NANO // 10]


def test_shares_that_are_all_locked_may_leave_something_unspent() -> None:
    found = amounts(COUNT | {"share": 0.25}, SUM | {"share": "0.5"}, epsilon=2)
    assert found == [NANO // 2, NANO]


@pytest.mark.parametrize(("mode", "price"), [(Mode.PURE, "epsilon"), (Mode.ZCDP, "rho")])
def test_a_plan_of_two_draws_gets_what_two_plans_would_get(mode: Mode, price: str) -> None:
    together = amounts(BOTH, COUNT, mode=mode, **{price: 0.3})
    assert together == [NANO // 5, NANO // 10]


def test_under_zcdp_an_epsilon_is_the_price_of_one_such_question() -> None:
    both = amounts(COUNT, SUM, mode=Mode.ZCDP, epsilon=1)
    assert both == amounts(COUNT, SUM, mode=Mode.ZCDP, rho=0.462117158)


@pytest.mark.parametrize("mode", list(Mode))
def test_no_other_way_to_share_has_a_smaller_sum_of_squared_relative_errors(mode: Mode) -> None:
    mean = {"statistics": [{"statistic": s, "column": "age"} for s in ("mean", "sum", "min")]}
    locked = {"statistics": [{"statistic": "count", "share": 0.9}, *SUM["statistics"]]}
    plans = (mean, COUNT, locked)
    schema = replace(SCHEMA, mode=mode)
    batch = parse_batch({"plans": plans, "rho" if mode is Mode.ZCDP else "epsilon": 1}, schema,
                        dataset="visits")  # fmt: skip
    needs = [
        sum(
            len(m.statistics) * (NANO / m.loss.nano) ** (2 if mode is Mode.PURE else 1)
            for m in prepare(blueprint.plan, schema).mechanisms
        )
        * (blueprint.cost_nano / NANO) ** (2 if mode is Mode.PURE else 1)
        for blueprint in priced(batch, schema)
    ]

    def errors(parts: list[float]) -> float:
        power = 2 if mode is Mode.PURE else 1
        return sum(need / part**power for need, part in zip(needs, parts, strict=True))

    best = [blueprint.cost_nano / NANO for blueprint in priced(batch, schema)]
    for giver in range(3):
        for taker in range(3):
            moved = list(best)
            moved[giver] -= 0.01
            moved[taker] += 0.01
            assert errors(best) <= errors(moved) + 1e-6


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ([], "plan"),
        ({"plans": [COUNT]}, "epsilon"),
        ({"plans": [COUNT], "epsilon": 0}, "epsilon"),
        ({"plans": [COUNT], "rho": 1}, "rho"),
        ({"plans": [], "epsilon": 1}, "plans"),
        ({"plans": [COUNT] * 21, "epsilon": 1}, "plans"),
        ({"plans": [5], "epsilon": 1}, "plans.0"),
        ({"plans": [COUNT | {"epsilon": 1}], "epsilon": 1}, "plans.0.epsilon"),
        ({"plans": [COUNT | {"share": 2}], "epsilon": 1}, "plans.0.share"),
        ({"plans": [COUNT | {"share": True}], "epsilon": 1}, "plans.0.share"),
        ({"plans": [COUNT, COUNT | {"share": 1}], "epsilon": 1}, "plans"),
        ({"plans": [COUNT | {"share": 0.6}] * 2, "epsilon": 1}, "plans"),
        ({"plans": [COUNT], "epsilon": 1, "seed": 1}, "seed"),
        ({"plans": [COUNT], "epsilon": 1, "dataset": "other"}, "dataset"),
        (
            {"plans": [COUNT, {"statistics": [{"statistic": "mean"}]}], "epsilon": 1},
            "plans.1.statistics.0.column",
        ),
        (
            {"plans": [COUNT, SUM | {"share": "0.000000000001"}], "epsilon": 0.5},
            "plans.1.epsilon",
        ),
    ],
)
def test_a_batch_that_cannot_be_asked_names_the_place(raw: Any, path: str) -> None:
    assert path in [where for where, _ in refused(raw)]


def test_the_same_batch_is_shared_out_the_same_way_every_time() -> None:
    first = amounts(BOTH, COUNT, SUM, epsilon="0.777777777")
    assert first == amounts(BOTH, COUNT, SUM, epsilon="0.777777777")
    assert sum(Fraction(nano, NANO) for nano in first) <= Fraction("0.777777777")
