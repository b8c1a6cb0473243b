"""The plan's one JSON form: what is accepted comes back equal, the rest is refused by name."""

import json
from typing import Any

import pytest
from hypothesis import given

from dpgov.privacy.accounting.loss import Mode
from dpgov.privacy.plan.parsing.plans import MAX_QUANTILES, MAX_STATISTICS, parse_plan
from dpgov.privacy.plan.parsing.where import MAX_DEPTH, MAX_FILTERS
from dpgov.privacy.plan.plan import Compound, Condition, Connective, Grouping, Plan, Statistic
from dpgov.privacy.plan.statistics import StatisticKind
from tests.unit.privacy.reading import parse, refused
from tests.unit.privacy.tables import COUNT, MEAN_AGE, question, questions, schema_of


def test_a_whole_plan_is_read_into_exact_values() -> None:
    plan = parse(
        {
            "dataset": "people",
            "statistics": [MEAN_AGE, COUNT],
            "where": [
                {"column": "age", "op": "between", "value": [18, "65.00"]},
                {"column": "sex", "op": "in", "value": ["Male", "Female"]},
                {"column": "change", "op": "is_missing"},
            ],
            "group_by": [{"column": "hours", "edges": [0, 20.5, 1e2]}, {"column": "sex"}],
            "epsilon": 0.1,
        }
    )
    assert plan == Plan(
        dataset="people",
        statistics=(Statistic(StatisticKind.MEAN, "age"), Statistic(StatisticKind.COUNT)),
        where=(
            Condition("age", "between", ("18", "65"), numeric=True),
            Condition("sex", "in", ("Male", "Female"), numeric=False),
            Condition("change", "is_missing", (), numeric=True),
        ),
        group_by=(
            Grouping("hours", edges=("0", "20.5", "100")),
            Grouping("sex", categories=("Female", "Male")),
        ),
        epsilon_nano=100_000_000,
    )


def test_nested_filters_shares_and_quantiles_are_read_into_exact_values() -> None:
    old = {"column": "age", "op": ">", "value": 65}
    raw = {
        "statistics": [
            {**quantiles([0.25, "0.50"]), "share": "0.5"},
            {"statistic": "stddev", "column": "age"},
        ],
        "where": [{"or": [old, {"not": {"and": [MALE, old]}}]}],
        "rho": "0.01",
    }
    plan = parse_plan(raw, schema_of(mode=Mode.ZCDP), dataset="people")
    first = Condition("age", ">", ("65",), numeric=True)
    second = Condition("sex", "=", ("Male",), numeric=False)
    assert plan == Plan(
        dataset="people",
        statistics=(
            Statistic(StatisticKind.QUANTILES, "age", ("0.25", "0.5"), "0.5"),
            Statistic(StatisticKind.STANDARD_DEVIATION, "age"),
        ),
        where=(
            Compound(
                Connective.OR,
                (first, Compound(Connective.NOT, (Compound(Connective.AND, (second, first)),))),
            ),
        ),
        group_by=(),
        epsilon_nano=None,
        rho_nano=10_000_000,
    )
    assert plan.conditions == (first, second, first)


@given(raw=questions())
def test_a_plan_written_as_json_and_read_again_is_the_same_plan(raw: dict[str, Any]) -> None:
    plan = parse(raw)
    assert parse(json.loads(json.dumps(plan.as_json(), allow_nan=False))) == plan


@pytest.mark.parametrize("number", ["0.1", "-0.25", "123456789.012345", "1e-12", "999999999999999"])
def test_every_number_within_the_limits_survives_json(number: str) -> None:
    raw = question(COUNT, where=[{"column": "age", "op": "<", "value": number}])
    plan = parse(raw)
    assert parse(json.loads(json.dumps(plan.as_json()))) == plan


@pytest.mark.parametrize("raw", [None, [], "plan", 1, True, [["statistics"]]])
def test_a_plan_that_is_no_object_is_refused(raw: object) -> None:
    assert list(refused(raw)) == ["plan"]


MALE = {"column": "sex", "op": "=", "value": "Male"}


def quantiles(orders: object) -> dict[str, Any]:
    return {"statistic": "quantiles", "column": "age", "quantiles": orders}


def nested(depth: int) -> dict[str, Any]:
    return {"not": nested(depth - 1)} if depth else MALE


CASES: list[tuple[dict[str, Any], str, str]] = [
    (question(COUNT, epsilom=1), "epsilom", "Did you mean “epsilon”?"),
    (question({"statistic": "maen", "column": "age"}), "statistics.0.statistic", "“mean”"),
    (question({"statistic": "histogram"}), "statistics.0.statistic", "group_by"),
    (question({"statistic": "mode", "column": "age"}), "statistics.0.statistic", "Unknown"),
    (question({"statistic": "median"}), "statistics.0.column", "Choose a column"),
    (question({"statistic": "max", "column": "sex"}), "statistics.0.column", "categories"),
    (question({"statistic": "count_distinct", "column": "age"}), "statistics.0.column", "units"),
    (question({**MEAN_AGE, "quantiles": [0.5]}), "statistics.0.quantiles", "Only"),
    (question(quantiles(None)), "statistics.0.quantiles", "list"),
    (question(quantiles([])), "statistics.0.quantiles", "1 to"),
    (question(quantiles([0.5] * (MAX_QUANTILES + 1))), "statistics.0.quantiles", "not 101"),
    (question(quantiles([0, 0.5])), "statistics.0.quantiles.0", "between 0 and 1"),
    (question(quantiles([0.5, 1])), "statistics.0.quantiles.1", "min or max"),
    (question(quantiles([0.00001])), "statistics.0.quantiles.0", "decimals"),
    (question(quantiles([0.5, 0.5])), "statistics.0.quantiles.1", "rise"),
    (question(quantiles([True])), "statistics.0.quantiles.0", "number"),
    (question({**COUNT, "share": 0}), "statistics.0.share", "above 0"),
    (question({**COUNT, "share": 1.5}), "statistics.0.share", "at most 1"),
    (question({**COUNT, "share": "nan"}), "statistics.0.share", "number"),
    (question({**COUNT, "share": 1}, MEAN_AGE), "statistics", "leave nothing"),
    (
        question({**COUNT, "share": 0.6}, {**MEAN_AGE, "share": 0.6}),
        "statistics",
        "more than the whole",
    ),
    (question(COUNT, {**COUNT, "share": 0.1}), "statistics.1", "twice"),
    (question(COUNT, rho=1), "rho", "not both"),
    (question(COUNT, where=[{"or": []}]), "where.0.or", "1 to"),
    (question(COUNT, where=[{"or": [], "and": []}]), "where.0.or", "Unknown key"),
    (question(COUNT, where=[{"not": [MALE]}]), "where.0.not", "object"),
    (question(COUNT, where=[{"or": [MALE, {"column": "x"}]}]), "where.0.or.1.column", "Unknown"),
    (question(COUNT, where=[nested(MAX_DEPTH + 1)]), "where.0" + ".not" * MAX_DEPTH, "deep"),
    (question(COUNT, where=[{"or": [MALE] * 30}, {"and": [MALE] * 30}]), "where", "not 60"),
    (question({"statistic": ["mean"]}), "statistics.0.statistic", "Unknown statistic"),
    (question({"column": "age"}), "statistics.0.statistic", "Choose a statistic"),
    (question({"statistic": "mean"}), "statistics.0.column", "Choose a column"),
    (question({"statistic": "mean", "column": "aeg"}), "statistics.0.column", "“age”"),
    (question({"statistic": "mean", "column": "sex"}), "statistics.0.column", "categories"),
    (question({"statistic": "mean", "column": {}}), "statistics.0.column", "Unknown column"),
    (question({"statistic": "count", "column": "age"}), "statistics.0.column", "is_present"),
    (question(COUNT, COUNT), "statistics.1", "twice"),
    (question({**COUNT, "colum": "age"}), "statistics.0.colum", "“column”"),
    (question(), "statistics", "1 to"),
    (question(*[COUNT] * (MAX_STATISTICS + 1)), "statistics", "not 11"),
    ({"epsilon": 1, "statistics": {}}, "statistics", "list"),
    ({"epsilon": 1, "statistics": ["count"]}, "statistics.0", "object"),
    ({"statistics": [COUNT]}, "epsilon", "how much"),
    (question(COUNT, dataset="other"), "dataset", "people"),
    (question(COUNT, dataset=True), "dataset", "people"),
    (question(COUNT, where=None), "where", "list"),
    (question(COUNT, where=[{}] * (MAX_FILTERS + 1)), "where", "not 51"),
    (question(COUNT, where=[[]]), "where.0", "object"),
    (question(COUNT, where=[{"op": "="}]), "where.0.column", "Choose a column"),
    (question(COUNT, where=[{"column": "Sex", "op": "="}]), "where.0.column", "“sex”"),
    (question(COUNT, where=[{"column": "sex", "op": "<", "value": "Male"}]), "where.0.op", "“<”"),
    (question(COUNT, where=[{"column": "age", "op": "=="}]), "where.0.op", "“=”"),
    (question(COUNT, where=[{"column": "age", "op": "="}]), "where.0.value", "number"),
    (question(COUNT, where=[{"column": "sex", "op": "="}]), "where.0.value", "category"),
    (
        question(COUNT, where=[{"column": "sex", "op": "=", "value": "male"}]),
        "where.0.value",
        "“Male”",
    ),
    (
        question(COUNT, where=[{"column": "sex", "op": "in", "value": "Male"}]),
        "where.0.value",
        "list",
    ),
    (question(COUNT, where=[{"column": "sex", "op": "in", "value": []}]), "where.0.value", "1 to"),
    (
        question(COUNT, where=[{"column": "age", "op": "in", "value": [1, "1.0"]}]),
        "where.0.value.1",
        "twice",
    ),
    (
        question(COUNT, where=[{"column": "age", "op": "between", "value": [3, 2]}]),
        "where.0.value",
        "swap",
    ),
    (
        question(COUNT, where=[{"column": "age", "op": "between", "value": [3]}]),
        "where.0.value",
        "not 1",
    ),
    (
        question(COUNT, where=[{"column": "age", "op": "is_missing", "value": 1}]),
        "where.0.value",
        "no value",
    ),
    (question(COUNT, where=[{"column": "hours", "op": "is_missing"}]), "where.0.op", "stands in"),
    (question(COUNT, group_by=[{"column": "age"}]), "group_by.0.edges", "two edges"),
    (question(COUNT, group_by=[{"column": "age", "edges": [1]}]), "group_by.0.edges", "not 1"),
    (question(COUNT, group_by=[{"column": "age", "edges": "0,1"}]), "group_by.0.edges", "list"),
    (
        question(COUNT, group_by=[{"column": "age", "edges": [0, 20, 10]}]),
        "group_by.0.edges.2",
        "rise",
    ),
    (
        question(COUNT, group_by=[{"column": "age", "edges": [0, 20, 20.0]}]),
        "group_by.0.edges.2",
        "rise",
    ),
    (
        question(COUNT, group_by=[{"column": "age", "edges": [0, "x"]}]),
        "group_by.0.edges.1",
        "number",
    ),
    (
        question(COUNT, group_by=[{"column": "age", "edges": list(range(1002))}]),
        "group_by.0.edges",
        "not 1002",
    ),
    (
        question(COUNT, group_by=[{"column": "age", "categories": ["1"]}]),
        "group_by.0.categories",
        "edges",
    ),
    (
        question(COUNT, group_by=[{"column": "sex", "edges": [0, 1]}]),
        "group_by.0.edges",
        "no edges",
    ),
    (
        question(COUNT, group_by=[{"column": "sex", "categories": ["Male", "Male"]}]),
        "group_by.0.categories.1",
        "twice",
    ),
    (
        question(COUNT, group_by=[{"column": "sex", "categories": []}]),
        "group_by.0.categories",
        "1 to",
    ),
    (
        question(COUNT, group_by=[{"column": "sex"}, {"column": "sex"}]),
        "group_by.1.column",
        "Already",
    ),
    (question(COUNT, group_by=[{"column": "age", "bins": 5}]), "group_by.0.bins", "Unknown key"),
]


@pytest.mark.parametrize(("raw", "path", "words"), CASES, ids=lambda case: str(case)[:60])
def test_what_a_plan_must_not_say_is_refused_at_its_path(
    raw: dict[str, Any], path: str, words: str
) -> None:
    problems = refused(raw)
    assert words in problems[path]
