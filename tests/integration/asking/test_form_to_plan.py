"""What a person chooses in the ask form becomes exactly the plan that it says."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.parsing import parse_plan
from dpgov.queries import forms_state
from dpgov.queries.forms import AskForm
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.asking.conftest import Filled

COUNT = {"statistic": "count"}


def plan_of(filled: Filled, dataset: Dataset) -> dict[str, Any]:
    data = QueryDict(mutable=True)
    for name, value in filled.posted().items():
        data.setlist(name, value if isinstance(value, list) else [value])
    schema = schema_of(current_version(dataset))
    form = AskForm(data, schema, dataset=dataset.slug)
    raw = form.raw_plan()
    assert raw is not None, form.problems()
    return parse_plan(raw, schema, dataset=dataset.slug).as_json()


@pytest.mark.parametrize(
    ("row", "statistic"),
    [
        ({"kind": "count", "column": "age"}, COUNT),
        ({"kind": "sum", "column": "hours"}, {"statistic": "sum", "column": "hours"}),
        ({"kind": "mean", "column": "age"}, {"statistic": "mean", "column": "age"}),
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
            {"column": "age", "op": "between", "value": "20", "upper": "39.5"},
            [{"column": "age", "op": "between", "value": [20, 39.5]}],
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
        dataset.versions.get().columns.filter(name="age").update(step="0.1")
    filled.add("group", **row)
    assert plan_of(filled, dataset)["group_by"] == [grouping]


@pytest.mark.parametrize(
    "plan",
    [
        {
            "statistics": [COUNT, {"statistic": "sum", "column": "hours"}],
            "where": [
                {"column": "age", "op": "between", "value": [20, 30]},
                {"column": "education", "op": "in", "value": ["Primary", "Secondary"]},
                {"column": "sex", "op": "=", "value": "Male"},
                {"column": "hours", "op": "is_present"},
                {"column": "hours", "op": "in", "value": [1, 2]},
            ],
            "group_by": [
                {"column": "age", "edges": [0, 50, 100]},
                {"column": "sex", "categories": ["Male"]},
            ],
            "epsilon": 0.125,
        },
        {
            "statistics": [{"statistic": "mean", "column": "age"}],
            "where": [],
            "group_by": [],
            "epsilon": 1e-05,
        },
    ],
)
def test_asking_again_fills_in_the_same_plan(dataset: Dataset, plan: dict[str, Any]) -> None:
    schema = schema_of(current_version(dataset))
    data = forms_state.from_plan(plan, schema)
    raw = AskForm(data, schema, dataset=dataset.slug).raw_plan()
    asked = parse_plan(raw, schema, dataset=dataset.slug).as_json()
    assert asked == {"dataset": "visits", **plan}


def test_a_question_can_be_asked_again_from_its_page(
    dataset: Dataset, browser: Client, analyst: Membership, ask: Callable[..., Query]
) -> None:
    query = ask(analyst, statistics=({"statistic": "mean", "column": "age"},), epsilon=0.25)
    page = browser.get(f"/datasets/visits/ask/?again={query.pk}").content.decode()
    assert re.search(r'<option value="mean" selected', page)
    assert "Ask for ε 0.25" in page


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
    offered = re.findall(r'name="group-0-values" value="(\w+)"', page)
    assert offered == ["Primary", "Secondary", "Tertiary"]
