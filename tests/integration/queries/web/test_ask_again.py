"""A question that is asked again is the same question, however its filters are nested."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils.translation import override

from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version, schema_of
from dpgov.privacy.plan.parsing.plans import parse_plan
from dpgov.privacy.plan.plan import InvalidPlan
from dpgov.queries.models import Query
from dpgov.queries.web.forms.ask import AskForm
from dpgov.queries.web.forms.state import blank, filled, from_plan
from dpgov.queries.workbench.saved import save_question
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
                {"or": [{"not": {"column": "age", "op": "<", "value": 21}}, MISSING]},
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


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_form_that_was_filled_in_for_somebody_reads_its_own_numbers(
    dataset: Dataset, language: str
) -> None:
    """In German 12.125 could be twelve thousand; the form writes what it reads."""
    schema = schema_of(current_version(dataset))
    plan = {
        "statistics": [
            {"statistic": "quantiles", "column": "age", "quantiles": [0.125, 0.25]},
            {"statistic": "mean", "column": "age", "share": 0.33125},
        ],
        "where": [
            {"column": "age", "op": "in", "value": [1, 2.5, 12.125]},
            {"column": "age", "op": "between", "value": [1.125, 12.625]},
        ],
        "group_by": [{"column": "hours", "edges": [0, 1.5, 12.125]}],
        "epsilon": 1.125,
    }
    with override(language):
        form = AskForm(from_plan(plan, schema), schema, dataset=dataset.slug)
        body, problems = form.body(), form.problems()
    assert not problems
    # Ages have no decimals: both read what is counted.
    assert parse_plan(body, schema, dataset="visits") == parse_plan(plan, schema, dataset="visits")


def test_an_amount_that_a_button_offers_is_read_in_every_language(dataset: Dataset) -> None:
    schema = schema_of(current_version(dataset))
    with override("de"):
        offered = QueryDict("fill_epsilon=1.125").copy()
        begun = filled(blank("epsilon", "1.125")), filled(offered)
        assert [data["epsilon"] for data in begun] == ["1,125", "1,125"]
        form = AskForm(begun[0], schema, dataset=dataset.slug)
        assert (form.body() or {})["epsilon"] == "1.125"


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


OF_ANOTHER_KIND = [
    {"column": "age", "op": "=", "value": "Young"},
    {"column": "age", "op": "in", "value": ["Young", "Old"]},
    {"column": "age", "op": ">", "value": "2024-01-01"},
    {"column": "sex", "op": "between", "value": [1, 2]},
    {"column": "sex", "op": ">=", "value": "2024-01-01"},
]


@pytest.mark.parametrize("condition", OF_ANOTHER_KIND)
@pytest.mark.parametrize("joined", [False, True], ids=["alone", "as an alternative"])
def test_a_filter_on_a_column_of_another_kind_now_is_said_and_not_forgotten(
    condition: dict[str, Any],
    joined: bool,
    dataset: Dataset,
    browser: Client,
    analyst: Membership,
) -> None:
    where = [{"or": [condition, MISSING]}] if joined else [condition]
    plan = {"statistics": [COUNT], "where": where, "group_by": [], "epsilon": 0.5}
    saved = save_question(membership=analyst, dataset=dataset, name="Before", plan=plan)
    page = browser.get(f"/datasets/visits/ask/?saved={saved.pk}")
    assert page.status_code == 200
    assert ("the column is of another kind now" in text_of(page.content)) is not joined
    schema = schema_of(current_version(dataset))
    form = AskForm(from_plan(plan, schema), schema, dataset=dataset.slug)
    assert (form.body() or {})["where"] == where


@pytest.mark.parametrize(
    ("part", "field"),
    [
        ({"where": [{"column": "pay", "op": ">", "value": 5}, MISSING]}, "id_filter-0-fixed"),
        ({"group_by": [{"column": "pay", "edges": [0, 5]}]}, ""),
    ],
)
def test_a_filter_or_a_group_on_a_column_that_is_gone_is_refused_and_not_forgotten(
    dataset: Dataset, part: dict[str, Any], field: str
) -> None:
    """Without it, it would be another question: the same as above, of the whole condition."""
    schema = schema_of(current_version(dataset))
    plan = {"statistics": [COUNT], "where": [], "group_by": [], "epsilon": 1, **part}
    form = AskForm(from_plan(plan, schema), schema, dataset=dataset.slug)
    if (body := form.body()) is not None:
        with pytest.raises(InvalidPlan) as refused:
            parse_plan(body, schema, dataset=dataset.slug)
        form.place(refused.value)
    ((at, said),) = form.problems()
    assert (at, "pay" in said) == (field, True)


def test_what_is_about_a_column_that_is_gone_stays_on_the_page_until_it_is_removed(
    dataset: Dataset, browser: Client, analyst: Membership
) -> None:
    plan = {
        "statistics": [COUNT],
        "where": [{"column": "pay", "op": ">", "value": 5}],
        "group_by": [{"column": "kin", "categories": ["none"]}],
        "epsilon": 0.5,
    }
    saved = save_question(membership=analyst, dataset=dataset, name="Pay", plan=plan)
    page = browser.get(f"/datasets/visits/ask/?saved={saved.pk}").content.decode()
    assert text_of(page.encode()).count("The data has no such column any more") == 2
    assert "pay is more than 5" in text_of(page.encode())
    kept = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page))
    posted = {name: unescape(value) for name, value in kept.items()}
    row = {"statistic": "0", "statistic-0-kind": "count", "by": "epsilon", "epsilon": "0.5"}
    again = browser.post("/datasets/visits/ask/", {**posted, **row, "action": "price"})
    assert "no column “kin”" in text_of(again.content)
    rest = browser.post("/datasets/visits/ask/", {**posted, **row, "action": "remove_group_0"})
    assert "no column “kin”" not in text_of(rest.content)
    assert 'name="group-0-column"' not in rest.content.decode()


def test_a_question_can_be_asked_again_from_its_page(
    dataset: Dataset, browser: Client, analyst: Membership, ask: Callable[..., Query]
) -> None:
    query = ask(analyst, statistics=({"statistic": "mean", "column": "age"},), epsilon=0.25)
    page = browser.get(f"/datasets/visits/ask/?again={query.pk}").content.decode()
    assert re.search(r'<option value="mean" selected', page)
    assert "Ask for ε 0.25" in page
