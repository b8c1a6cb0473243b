"""Accuracy first: the amount that an error needs, no more, and what no amount can do."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.answer.blueprint import Blueprint, prepare
from dpgov.privacy.answer.wanted import Wanted, cheapest, error_of, parse_wanted
from dpgov.privacy.plan.domains import category_domain, column_spec, numeric_domain
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.privacy.plan.schema import DatasetSchema, MissingRule, Neighbouring, PrivacyUnit
from dpgov.privacy.plan.statistics import OF_ROWS, StatisticKind
from tests.unit.privacy.tables import of_kind

SCHEMA = DatasetSchema(
    columns=(
        column_spec("age", numeric_domain("0", "100", "1"), MissingRule.DROP, ""),
        column_spec("hours", numeric_domain("0", "60", "1"), MissingRule.DROP, ""),
        column_spec("sex", category_domain(("Female", "Male")), MissingRule.DROP, ""),
    ),
    unit=PrivacyUnit(),
    neighbouring=Neighbouring.ADD_REMOVE,
    group_size=1,
    max_rows=100_000,
)
COUNT = {"statistic": "count"}
MEAN = {"statistic": "mean", "column": "age"}
FIFTY = {"value": 50}


def found(
    accuracy: Any, *statistics: Any, mode: Mode = Mode.PURE, **more: Any
) -> tuple[Blueprint, Wanted]:
    """The blueprint with the smallest amount, and what was wanted of it."""
    schema = replace(SCHEMA, mode=mode)
    rows = more.pop("assumed_rows", None)
    raw = {"statistics": list(statistics), "accuracy": accuracy, **more}
    plan, wanted = parse_wanted(raw, schema, dataset="visits")
    return cheapest(plan, schema, wanted, assumed_rows=rows), wanted


def refused(accuracy: Any, *statistics: Any, **more: Any) -> list[tuple[str, str]]:
    with pytest.raises(InvalidPlan) as caught:
        found(accuracy, *statistics, **more)
    return [(problem.path, problem.message) for problem in caught.value.problems]


def reached(blueprint: Blueprint, wanted: Wanted, rows: int | None = None) -> Fraction:
    """The error to expect, which is known here."""
    error = error_of(blueprint, wanted, rows)
    assert error is not None
    return error


def smaller(nano: int) -> int:
    """The next smaller amount of four digits."""
    digits: int = 10 ** max(0, len(str(nano)) - 4)
    return (nano - 1) // digits * digits if nano % digits == 0 else nano // digits * digits


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("kind", list(StatisticKind))
def test_the_amount_found_is_enough_and_the_next_smaller_one_is_not(
    kind: StatisticKind, mode: Mode
) -> None:
    """E5: by the same errors that quote and release state."""
    statistic: dict[str, Any] = {"statistic": kind.value}
    if kind not in OF_ROWS:
        statistic["column"] = "age"
    if kind is StatisticKind.QUANTILES:
        statistic["quantiles"] = [0.1, 0.5, 0.9]
    if kind.facts.takes_predictors:
        statistic["predictors"] = ["sex"]
    error = 40
    if kind.facts.takes_two_values:
        # Of log odds, which are small numbers.
        statistic, error = of_kind(kind), 1
    every = [{"column": "hours", "edges": [0, 30, 60]}, {"column": "age", "edges": [0, 50, 100]}]
    bins = every[-kind.facts.along :] if kind.facts.along else []
    blueprint, wanted = found(
        {"value": error}, statistic, mode=mode, assumed_rows=500, group_by=bins
    )
    assert reached(blueprint, wanted, 500) <= error
    nano = smaller(blueprint.cost_nano)
    plan = (
        replace(blueprint.plan, epsilon_nano=nano)
        if mode is Mode.PURE
        else replace(blueprint.plan, rho_nano=nano)
    )
    less = prepare(plan, blueprint.schema)
    assert reached(less, wanted, 500) > error


def test_the_amount_has_at_most_four_digits() -> None:
    blueprint, _ = found(FIFTY, COUNT)
    assert str(blueprint.cost_nano).rstrip("0") == "5932"


def test_the_reverse_question_has_the_same_answer() -> None:
    blueprint, _ = found(FIFTY, COUNT)
    (_, _, statements) = blueprint.expected(None)[0]
    assert statements[1]["value"] == 50


def test_a_part_of_the_least_answer_is_that_many() -> None:
    relative, _ = found({"relative": 0.05, "at_least": 1000}, COUNT)
    assert relative.plan == found(FIFTY, COUNT)[0].plan


@pytest.mark.parametrize("level", [Decimal("0.950"), "9.5e-1", 0.95, "0.95"])
def test_a_confidence_is_a_number_however_it_is_spelled(level: object) -> None:
    """A program's body is read with the zeros that it has at its end."""
    spelled = found(FIFTY | {"confidence_level": level}, COUNT)[0]
    assert spelled.cost_nano == found(FIFTY, COUNT)[0].cost_nano


def test_a_higher_confidence_costs_more() -> None:
    costs = [
        found(FIFTY | {"confidence_level": level}, COUNT)[0].cost_nano
        for level in (0.9, 0.95, 0.99)
    ]
    assert costs == sorted(set(costs))


def test_the_chosen_one_of_several_statistics_is_meant() -> None:
    total = {"statistic": "sum", "column": "age"}
    first, _ = found(FIFTY | {"statistic": 0}, COUNT, total)
    second, wanted = found(FIFTY | {"statistic": 1}, COUNT, total)
    assert second.cost_nano > 50 * first.cost_nano
    assert reached(second, wanted) <= 50


def test_groups_and_filters_are_priced_as_they_are() -> None:
    by_sex = [{"column": "sex", "categories": ["Female", "Male"]}]
    grouped, wanted = found({"value": 3}, MEAN, group_by=by_sex, assumed_rows=900)
    assert reached(grouped, wanted, 900) <= 3
    assert grouped.cost_nano > found({"value": 3}, MEAN, assumed_rows=900)[0].cost_nano


def test_an_error_that_no_amount_reaches_is_refused_with_what_is_reached() -> None:
    extreme = {"statistic": "quantiles", "column": "age", "quantiles": [0.5]}
    ((path, message),) = refused({"value": 0.001}, extreme)
    assert path == "accuracy.value"
    assert message.startswith("No ε is enough: even ε 1000 leaves an error of ")


def test_a_mean_needs_a_guess_of_the_rows() -> None:
    ((path, message),) = refused({"value": 2}, MEAN)
    assert path == "assumed_rows"
    assert "Say how many you expect" in message


@pytest.mark.parametrize(
    ("accuracy", "path"),
    [
        ({}, "accuracy"),
        (None, "accuracy"),
        ([50], "accuracy"),
        ({"value": 50, "relative": 0.1}, "accuracy"),
        ({"value": 0}, "accuracy.value"),
        ({"value": True}, "accuracy.value"),
        ({"value": "NaN"}, "accuracy.value"),
        ({"relative": 0.05}, "accuracy.at_least"),
        ({"relative": -1, "at_least": 5}, "accuracy.relative"),
        (FIFTY | {"confidence_level": 0.8}, "accuracy.confidence_level"),
        (FIFTY | {"confidence_level": None}, "accuracy.confidence_level"),
        (FIFTY | {"statistic": 1}, "accuracy.statistic"),
        (FIFTY | {"statistic": True}, "accuracy.statistic"),
        (FIFTY | {"level": 0.95}, "accuracy.level"),
    ],
)
def test_a_wish_that_says_too_little_or_too_much_is_refused_at_its_place(
    accuracy: Any, path: str
) -> None:
    assert path in [where for where, _ in refused(accuracy, COUNT)]


def test_an_amount_and_an_accuracy_are_not_given_together() -> None:
    assert ("accuracy", "Give an accuracy or an amount to spend, not both.") in refused(
        FIFTY, COUNT, epsilon=1
    )


def test_what_is_wrong_with_the_plan_is_said_too() -> None:
    paths = [path for path, _ in refused({"value": -1}, {"statistic": "mean", "column": "pay"})]
    assert paths == ["accuracy.value", "statistics.0.column"]
