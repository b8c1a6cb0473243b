"""A question that is asked again is the same question, however its filters are nested."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.models import Query
from dpgov.queries.web.forms.ask import AskForm
from dpgov.queries.web.forms.state import from_plan
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import Filled
from tests.integration.queries.web.test_quote_page import text_of

COUNT = {"statistic": "count"}
MISSING = {"column": "hours", "op": "is_missing"}


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
        {
            "statistics": [
                {"statistic": "quantiles", "column": "age", "quantiles": [0.025, 0.5]},
                {"statistic": "count_distinct", "share": 0.125},
            ],
            "where": [
                {"column": "age", "op": ">=", "value": 5},
                {
                    "or": [
                        {"column": "sex", "op": "=", "value": "Male"},
                        {
                            "and": [
                                {"column": "education", "op": "!=", "value": "Primary"},
                                {"column": "education", "op": "!=", "value": "Tertiary"},
                            ]
                        },
                    ]
                },
                {"or": [{"not": {"column": "age", "op": "<", "value": 20.5}}, MISSING]},
                {"not": {"or": [MISSING, {"and": [MISSING, {"or": [MISSING]}]}]}},
                {"or": [MISSING, {"column": "age", "op": "between", "value": [1, 2]}]},
            ],
            "group_by": [],
            "epsilon": 1,
        },
        {
            "statistics": [COUNT],
            "where": [{"column": "age", "op": "!=", "value": n} for n in range(19)]
            + [{"and": [{"column": "age", "op": "!=", "value": n} for n in range(20, 50)]}],
            "group_by": [],
            "epsilon": 1,
        },
    ],
)
def test_asking_again_fills_in_the_same_plan(dataset: Dataset, plan: dict[str, Any]) -> None:
    schema = schema_of(current_version(dataset))
    data = from_plan(plan, schema)
    raw = AskForm(data, schema, dataset=dataset.slug).body()
    asked = parse_plan(raw, schema, dataset=dataset.slug).as_json()
    assert asked == {"dataset": "visits", **plan}


def test_a_filter_that_the_form_cannot_show_is_said_in_words_and_kept(
    dataset: Dataset, browser: Client, analyst: Membership, ask: Callable[..., Query]
) -> None:
    deep = {"not": {"or": [MISSING, {"column": "age", "op": "<", "value": 20}]}}
    query = ask(analyst, where=(deep, {"column": "sex", "op": "=", "value": "Male"}))
    page = browser.get(f"/datasets/visits/ask/?again={query.pk}")
    said = text_of(page.content)
    assert "not (hours is missing or age is less than 20)" in said
    assert "Nested deeper than this form can show" in said
    assert "Ask for ε 0.5" in said


def test_a_kept_filter_that_nobody_can_read_is_shown_as_that(
    dataset: Dataset, browser: Client
) -> None:
    for broken in ("{", "[]", '{"or": 5}', '{"column": "age"}', "[" * 50_000):
        filled = Filled().add("statistic", kind="count").add("filter", fixed=broken)
        page = browser.post("/datasets/visits/ask/", filled.posted(action="price"))
        assert page.status_code == 200
        assert "Complete the question to see its price" in text_of(page.content)


def test_alternatives_on_a_column_that_is_gone_are_refused_and_not_forgotten(
    dataset: Dataset,
) -> None:
    """Without one alternative it would be another question."""
    schema = schema_of(current_version(dataset))
    gone = {"or": [{"column": "pay", "op": ">", "value": 5}, MISSING]}
    data = from_plan({"statistics": [COUNT], "where": [gone], "group_by": [], "epsilon": 1}, schema)
    form = AskForm(data, schema, dataset=dataset.slug)
    with pytest.raises(InvalidPlan) as refused:
        parse_plan(form.body(), schema, dataset=dataset.slug)
    form.place(refused.value)
    assert [field for field, _ in form.problems()] == ["id_filter-0-fixed"]


def test_a_question_can_be_asked_again_from_its_page(
    dataset: Dataset, browser: Client, analyst: Membership, ask: Callable[..., Query]
) -> None:
    query = ask(analyst, statistics=({"statistic": "mean", "column": "age"},), epsilon=0.25)
    page = browser.get(f"/datasets/visits/ask/?again={query.pk}").content.decode()
    assert re.search(r'<option value="mean" selected', page)
    assert "Ask for ε 0.25" in page
