"""What a person chooses in the ask form becomes exactly the plan that it says."""

import re
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils.translation import override

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.statistics import StatisticKind
from dpgov.queries.models import Query
from dpgov.queries.web.forms.ask import AskForm
from dpgov.queries.web.forms.statistics import OFFERED
from tests.declared import declare_otherwise
from tests.integration.queries.conftest import Filled
from tests.integration.queries.web.test_quote_page import text_of

COUNT = {"statistic": "count"}


def plan_of(filled: Filled, dataset: Dataset) -> dict[str, Any]:
    data = QueryDict(mutable=True)
    for name, value in filled.posted().items():
        data.setlist(name, value if isinstance(value, list) else [value])
    schema = schema_of(current_version(dataset))
    form = AskForm(data, schema, dataset=dataset.slug)
    raw = form.body()
    assert raw is not None, form.problems()
    return parse_plan(raw, schema, dataset=dataset.slug).as_json()


@pytest.mark.parametrize(
    ("row", "statistic"),
    [
        ({"kind": "count", "column": "age"}, COUNT),
        ({"kind": "sum", "column": "hours"}, {"statistic": "sum", "column": "hours"}),
        ({"kind": "mean", "column": "age"}, {"statistic": "mean", "column": "age"}),
        ({"kind": "count_distinct", "column": "age"}, {"statistic": "count_distinct"}),
        (
            {"kind": "regression", "column": "hours", "predictors": ["age", "sex"]},
            {"statistic": "regression", "column": "hours", "predictors": ["age", "sex"]},
        ),
        *(
            (
                {"kind": kind, "column": "age", "quantiles": "x"},
                {"statistic": kind, "column": "age"},
            )
            for kind in ("median", "min", "max", "variance", "standard_deviation")
        ),
        (
            {"kind": "quantiles", "column": "age", "quantiles": "0.75; 25 %,0.5 0.5"},
            {"statistic": "quantiles", "column": "age", "quantiles": [0.25, 0.5, 0.75]},
        ),
        (
            {"kind": "median", "column": "age", "share": "40"},
            {"statistic": "median", "column": "age", "share": 0.4},
        ),
    ],
)
def test_each_statistic_is_asked_as_chosen(
    dataset: Dataset, row: dict[str, str], statistic: dict[str, str]
) -> None:
    plan = plan_of(Filled().add("statistic", **row), dataset)
    assert plan == {
        "dataset": "visits",
        "statistics": [statistic],
        "where": [],
        "group_by": [],
        "epsilon": 0.5,
    }


def test_a_histogram_is_a_count_with_a_grouping(dataset: Dataset) -> None:
    filled = Filled().add("statistic", kind="histogram")
    filled.add("group", column="sex", which="all")
    plan = plan_of(filled, dataset)
    assert plan["statistics"] == [COUNT]
    assert plan["group_by"] == [{"column": "sex", "categories": ["Female", "Male"]}]


def test_several_statistics_share_one_question(dataset: Dataset) -> None:
    filled = Filled().add("statistic", kind="count").add("statistic", kind="mean", column="age")
    assert plan_of(filled, dataset)["statistics"] == [
        COUNT,
        {"statistic": "mean", "column": "age"},
    ]


@pytest.mark.parametrize("op", ["=", "!=", "<", "<=", ">", ">="])
def test_each_comparison_with_a_number_is_asked_as_chosen(dataset: Dataset, op: str) -> None:
    filled = Filled().add("statistic", kind="count").add("filter", column="age", op=op, value="40")
    assert plan_of(filled, dataset)["where"] == [{"column": "age", "op": op, "value": 40}]


@pytest.mark.parametrize(
    ("row", "conditions"),
    [
        (
            {"column": "age", "op": "between", "value": "20", "upper": "39"},
            [{"column": "age", "op": "between", "value": [20, 39]}],
        ),
        (
            {"column": "age", "op": "in", "value": "20, 30;40 50"},
            [{"column": "age", "op": "in", "value": [20, 30, 40, 50]}],
        ),
        ({"column": "age", "op": "is_missing"}, [{"column": "age", "op": "is_missing"}]),
        (
            {"column": "age", "op": "is_present", "value": "left over"},
            [{"column": "age", "op": "is_present"}],
        ),
        (
            {"column": "sex", "op": "in", "values": ["Male"]},
            [{"column": "sex", "op": "=", "value": "Male"}],
        ),
        (
            {"column": "education", "op": "in", "values": ["Primary", "Tertiary"]},
            [{"column": "education", "op": "in", "value": ["Primary", "Tertiary"]}],
        ),
        (
            {"column": "education", "op": "!=", "values": ["Primary", "Tertiary"]},
            [
                {"column": "education", "op": "!=", "value": "Primary"},
                {"column": "education", "op": "!=", "value": "Tertiary"},
            ],
        ),
        ({"column": "sex", "op": "is_present"}, [{"column": "sex", "op": "is_present"}]),
    ],
)
def test_each_filter_is_asked_as_chosen(
    dataset: Dataset, row: dict[str, Any], conditions: list[dict[str, Any]]
) -> None:
    filled = Filled().add("statistic", kind="count").add("filter", **row)
    assert plan_of(filled, dataset)["where"] == conditions


def test_numbers_are_asked_as_the_page_s_language_spells_them(dataset: Dataset) -> None:
    filled = Filled(epsilon="0,05")
    filled.add("statistic", kind="quantiles", column="age", quantiles="0,25; 0,5")
    filled.add("filter", column="age", op="between", value="20", upper="39,5")
    filled.add("filter", column="age", op="in", value="20,5; 30")
    with override("de"):
        plan = plan_of(filled, dataset)
    assert plan["epsilon"] == 0.05
    assert plan["statistics"][0]["quantiles"] == [0.25, 0.5]
    # Ages are whole: up to 39.5 is up to 39, and none is 20.5.
    assert [condition["value"] for condition in plan["where"]] == [[20, 39], [30]]


def test_every_statistic_that_can_be_asked_is_in_the_form() -> None:
    offered = {kind for _, group in OFFERED for kind, _ in group}
    assert offered == {kind.value for kind in StatisticKind} | {"histogram"}


def test_filters_with_or_between_them_are_alternatives(dataset: Dataset) -> None:
    filled = Filled().add("statistic", kind="count")
    filled.add("filter", column="age", op=">=", value="65", joint="and")
    filled.add("filter", column="hours", op="is_missing", joint="or")
    filled.add("filter", column="education", op="!=", values=["Primary", "Tertiary"], joint="or")
    filled.add("filter", column="sex", op="in", values=["Male"], joint="and")
    assert plan_of(filled, dataset)["where"] == [
        {
            "or": [
                {"column": "age", "op": ">=", "value": 65},
                {"column": "hours", "op": "is_missing"},
                {
                    "and": [
                        {"column": "education", "op": "!=", "value": "Primary"},
                        {"column": "education", "op": "!=", "value": "Tertiary"},
                    ]
                },
            ]
        },
        {"column": "sex", "op": "=", "value": "Male"},
    ]


def test_the_first_filter_has_nothing_to_be_an_alternative_to(dataset: Dataset) -> None:
    filled = Filled().add("statistic", kind="count")
    filled.add("filter", column="age", op=">=", value="65", joint="or")
    assert plan_of(filled, dataset)["where"] == [{"column": "age", "op": ">=", "value": 65}]


@pytest.mark.parametrize(("action", "many"), [("quartiles", 3), ("deciles", 9)])
def test_quartiles_and_deciles_are_filled_in_without_scripts(
    action: str, many: int, dataset: Dataset, browser: Client
) -> None:
    filled = Filled().add("statistic", kind="median", column="age")
    page = browser.post("/datasets/visits/ask/", filled.posted(action=f"{action}_statistic_0"))
    filled_in = re.search(r'name="statistic-0-quantiles" value="([^"]*)"', page.content.decode())
    assert filled_in is not None
    assert len(filled_in[1].split(", ")) == many
    assert "Quantiles of age at" in text_of(page.content)


@pytest.mark.parametrize(
    ("row", "grouping"),
    [
        (
            {"column": "education", "which": "some", "values": ["Tertiary"]},
            {"column": "education", "categories": ["Tertiary"]},
        ),
        (
            {"column": "age", "mode": "width", "lower": "0", "upper": "50", "width": "20"},
            {"column": "age", "edges": [0, 20, 40, 50]},
        ),
        (
            {"column": "age", "mode": "width", "lower": "0", "upper": "0.3", "width": "0.1"},
            {"column": "age", "edges": [0, 0.1, 0.2, 0.3]},
        ),
        (
            {"column": "age", "mode": "edges", "edges": "18, 30, 65", "width": "left over"},
            {"column": "age", "edges": [18, 30, 65]},
        ),
    ],
)
def test_each_grouping_is_asked_as_chosen(
    dataset: Dataset, row: dict[str, Any], grouping: dict[str, Any]
) -> None:
    filled = Filled().add("statistic", kind="count")
    if row["column"] == "age" and row.get("upper") == "0.3":
        declare_otherwise(dataset.versions.get().columns.filter(name="age"), step="0.1")
    filled.add("group", **row)
    assert plan_of(filled, dataset)["group_by"] == [grouping]


def test_rows_are_added_and_removed_without_scripts(dataset: Dataset, browser: Client) -> None:
    filled = Filled().add("statistic", kind="count")
    added = browser.post(
        "/datasets/visits/ask/", filled.posted(action="add_filter", new_filter="age")
    )
    page = added.content.decode()
    assert 'name="filter-0-column" value="age"' in page
    assert 'name="filter-0-value" value="0"' in page
    filled.add("filter", column="age", op="between", value="1", upper="2")
    removed = browser.post("/datasets/visits/ask/", filled.posted(action="remove_filter_0"))
    assert "filter-0-column" not in removed.content.decode()
    assert Query.objects.count() == 0


def test_the_category_values_offered_are_the_declared_ones(
    dataset: Dataset, browser: Client
) -> None:
    filled = Filled().add("statistic", kind="count")
    page = browser.post(
        "/datasets/visits/ask/", filled.posted(action="add_group", new_group="education")
    ).content.decode()
    offered = re.findall(r'name="group-0-values"\s+value="(\w+)"', page)
    assert offered == ["Primary", "Secondary", "Tertiary"]
