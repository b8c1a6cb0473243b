"""M2: a set of tables through the whole way: quoted, asked all or none, answered, then free."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from rest_framework.test import APIClient

from dpgov.budgets.models import Charge
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import lower_limit
from tests.made_once import made_once

QUOTES = "/api/v1/datasets/visits/quotes/"
BATCHES = "/api/v1/datasets/visits/batches/"
PAIRS: dict[str, Any] = {
    "epsilon": 3,
    "columns": [
        {"column": "sex"},
        {"column": "education"},
        {"column": "age", "edges": [17, 30, 50, 90]},
    ],
    "tables": 2,
}
Unchanged = Callable[[], AbstractContextManager[None]]


@made_once
def api(analyst: Membership, api_for: Callable[[Membership], APIClient]) -> APIClient:
    """The analyst's notebook."""
    return api_for(analyst)


def send(api: APIClient, body: Any, key: str = "t-1") -> Any:
    return api.post(BATCHES, body, format="json", headers={"Idempotency-Key": key})


def test_a_quote_says_how_the_tables_are_drawn_and_which_error_each_has(
    api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    with unchanged():
        body = api.post(QUOTES, PAIRS, format="json").json()
    tables = body["tables"]
    assert tables["work"]["answers_seconds"] > 0
    rows = {"rows_seconds", "rows_megabytes"}
    assert set(tables["work"]) == {"answers_seconds", "fits_seconds", "fits_megabytes"} | rows
    assert tables["work"]["fits_seconds"] is tables["adaptive"] is None
    assert body["accepted"] is True
    assert [way["method"] for way in tables["ways"]] == [
        "separate_tables",
        "one_full_table",
        "larger_tables",
    ]
    assert tables["rmse"] == min(way["rmse"] for way in tables["ways"] if not way["reason"])
    assert [a["columns"] for a in tables["answers"]] == [
        ["sex", "education"],
        ["sex", "age"],
        ["education", "age"],
    ]
    assert body["cost_epsilon"] == 3


def test_a_method_at_which_one_question_costs_more_than_it_may_is_not_chosen(
    api: APIClient, dataset: Dataset
) -> None:
    """M2: the rules of the dataset hold for every drawn table; a method by name is refused."""
    body = api.post(QUOTES, PAIRS, format="json").json()
    shut = {way["method"]: way["reason"] for way in body["tables"]["ways"]}
    assert "more than one may" in shut["one_full_table"]
    assert body["tables"]["method"] == "separate_tables"
    assert body["accepted"] is True
    refused = send(api, PAIRS | {"method": "one_full_table"})
    assert (refused.status_code, refused.json()["largest_fit_epsilon"]) == (400, 2)


def test_a_set_for_less_than_its_questions_must_cost_is_refused(
    api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    few = PAIRS | {"epsilon": 0.0005}
    with unchanged():
        assert api.post(QUOTES, few, format="json").json()["accepted"] is False
        assert send(api, few).status_code == 409


def test_a_batch_of_other_questions_is_no_set_of_tables(api: APIClient, dataset: Dataset) -> None:
    plans = {"epsilon": 1, "plans": [{"statistics": [{"statistic": "count"}]}]}
    assert api.post(QUOTES, plans, format="json").json()["tables"] is None


@pytest.mark.parametrize("method", ["separate_tables", "one_full_table", "larger_tables"])
def test_each_drawn_table_is_a_question_and_all_cost_the_price(
    method: str, api: APIClient, dataset: Dataset, answer_now: Callable[[], int]
) -> None:
    """M2: charges add up to what was quoted, no more, whatever the method."""
    response = send(api, PAIRS | {"method": method, "epsilon": 2})
    assert response.status_code == 202
    drawn = len(response.json()["queries"])
    assert answer_now() == drawn
    assert Release.objects.count() == drawn
    spent = [charge.amount_nano for charge in Charge.objects.all()]
    assert sum(spent) == 2 * NANO
    bodies = [json.loads(release.body) for release in Release.objects.all()]
    assert all(len(body["groups"]) in (2, 3) for body in bodies)


def test_every_table_of_the_set_is_free_afterwards(
    api: APIClient, dataset: Dataset, answer_now: Callable[[], int], unchanged: Unchanged
) -> None:
    """M2: pairs, single columns and filters on the released columns cost nothing."""
    send(api, PAIRS)
    answer_now()
    sex, education, age = PAIRS["columns"]
    for groups in ([sex, education], [education, age], [age], [sex], []):
        count = {"statistics": [{"statistic": "count"}], "group_by": groups, "epsilon": 0.1}
        priced = api.post("/api/v1/datasets/visits/quote/", count, format="json").json()
        assert priced["free"], groups
    where = [{"column": "sex", "op": "=", "value": "Male"}]
    men = {"statistics": [{"statistic": "count"}], "where": where, "epsilon": 0.1}
    priced = api.post("/api/v1/datasets/visits/quote/", men, format="json").json()
    assert priced["free"]
    headers = {"Idempotency-Key": "free-1"}
    spent = Charge.objects.count()
    taken = api.post("/api/v1/datasets/visits/reuse/", men, format="json", headers=headers)
    assert taken.status_code == 201
    assert Charge.objects.count() == spent


def test_a_set_that_does_not_fit_is_refused_whole_and_the_quote_says_what_would_fit(
    api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    lower_limit(dataset, 2 * NANO)
    with unchanged():
        priced = api.post(QUOTES, PAIRS, format="json").json()
        refused = send(api, PAIRS)
    assert priced["accepted"] is False
    assert priced["largest_fit_epsilon"] == 2
    assert (refused.status_code, refused.json()["largest_fit_epsilon"]) == (409, 2)
    assert send(api, PAIRS | {"epsilon": 2}, "t-2").status_code == 202


def test_what_is_wrong_is_said_at_its_place(
    api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    wide = [{"column": "age", "edges": list(range(17, 91))}, {"column": "education"}]
    for body, attr in (
        (PAIRS | {"columns": [{"column": "nothing"}]}, "columns.0.column"),
        (PAIRS | {"tables": [["sex", "nothing"]]}, "tables.0.1"),
        (PAIRS | {"plans": []}, "plans"),
        ({"epsilon": 1, "columns": wide, "tables": 3}, "tables"),
    ):
        with unchanged():
            refused = send(api, body)
        assert refused.status_code == 400
        assert attr in [error["attr"] for error in refused.json()["errors"]]


def test_the_same_set_twice_is_asked_once(api: APIClient, dataset: Dataset) -> None:
    first, again = send(api, PAIRS).json(), send(api, PAIRS).json()
    assert [q["id"] for q in first["queries"]] == [q["id"] for q in again["queries"]]
    assert Query.objects.count() == len(first["queries"])
