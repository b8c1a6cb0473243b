"""The REST journey of a question, and what the API refuses."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import lower_limit

QUOTE = "/api/v1/datasets/visits/quote/"
SUBMIT = "/api/v1/datasets/visits/queries/"
COUNT = {"statistics": [{"statistic": "count"}], "epsilon": 0.5}
Unchanged = Callable[[], AbstractContextManager[None]]


@pytest.fixture
def api(analyst: Membership, api_for: Callable[[Membership], APIClient]) -> APIClient:
    """The analyst's notebook."""
    return api_for(analyst)


def send(api: APIClient, body: Any, *, key: str | None = None, to: str = SUBMIT) -> Any:
    """POST a body (or its exact text) with an idempotency key."""
    text = body if isinstance(body, str | bytes) else json.dumps(body)
    headers = {"Idempotency-Key": key or str(uuid4())}
    return api.post(to, text, content_type="application/json", headers=headers)


def test_the_whole_journey(api: APIClient, dataset: Dataset, answer_now: Callable[[], int]) -> None:
    priced = api.post(QUOTE, COUNT, format="json")
    assert priced.status_code == 200
    assert priced.json()["cost_epsilon"] == 0.5
    assert priced.json()["remaining_epsilon_after"] == 9.5
    assert priced.json()["accepted"] is True
    asked = send(api, COUNT)
    assert asked.status_code == 202
    followed = asked["Location"]
    assert followed == asked.json()["links"]["self"]
    assert api.get(followed).json()["state"] == "waiting"
    assert answer_now() == 1
    found = api.get(followed).json()
    assert found["state"] == "released"
    release = api.get(found["links"]["release"])
    assert release.status_code == 200
    assert release.content.decode() == Query.objects.get().release.body
    assert release.json()["guarantee"]["epsilon"] == 0.5


def test_a_waiting_question_has_no_release_yet(api: APIClient, dataset: Dataset) -> None:
    asked = send(api, COUNT).json()
    response = api.get(asked["links"]["release"])
    assert response.status_code == 409
    assert response.json()["errors"][0]["code"] == "not_ready"
    assert response["Retry-After"] == "1"


def test_nothing_of_workers_or_timing_is_told(api: APIClient, dataset: Dataset) -> None:
    """E8: the public facts and no more."""
    of_privacy = {"epsilon", "rho", "epsilon_at_delta", "delta"}
    assert set(send(api, COUNT).json()) == of_privacy | {
        "id",
        "dataset",
        "version",
        "analyst",
        "plan",
        "in_words",
        "reuse",
        "sources",
        "state",
        "submitted_at",
        "due_at",
        "paused",
        "doublings",
        "links",
    }


def test_the_error_of_a_mean_follows_the_guess(api: APIClient, dataset: Dataset) -> None:
    mean = {"statistics": [{"statistic": "mean", "column": "age"}], "epsilon": 0.5}
    body = api.post(f"{QUOTE}?assumed_rows=5000", mean, format="json").json()
    described = body["description"]["statistics"][0]
    assert described["assumed_rows"] == 5000
    assert described["accuracy"][1]["confidence_level"] == 0.95
    refused = api.post(f"{QUOTE}?assumed_rows=-5", mean, format="json")
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["attr"] == "assumed_rows"


@pytest.mark.parametrize(
    ("epsilon", "message"),
    [
        ("0", "above zero"),
        ("-0.5", "above zero"),
        ("true", "must be a number"),
        ('"True"', "plain decimal number"),
        ('"０.５"', "plain decimal number"),
        ('"NaN"', "plain decimal number"),
        ("1e-400", "at least 0.000000001"),
        ("1e400", "at most 1000"),
        ("0.00000000001", "at least 0.000000001"),
        ("null", "how much ε"),
        ("[0.5]", "must be a number"),
        ("1000.000000001", "at most 1000"),
    ],
)
def test_an_epsilon_that_cannot_be_booked_is_refused_by_name(
    epsilon: str, message: str, api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    body = f'{{"statistics": [{{"statistic": "count"}}], "epsilon": {epsilon}}}'
    with unchanged():
        for address in (SUBMIT, QUOTE):
            response = send(api, body, to=address)
            assert response.status_code == 400
            error = response.json()["errors"][0]
            assert (error["attr"], error["code"]) == ("epsilon", "invalid_plan")
            assert message in error["detail"]


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff\xfe",
        b'{"statistics": [{"statistic": "count"}], "epsilon": NaN}',
        b'{"statistics": [{"statistic": "count"}], "epsilon": Infinity}',
        b'{"statistics": [{"statistic": "count"}], "epsilon": 1, "epsilon": 0.1}',
        b'{"statistics": [{"statistic": "sum", "column": "\\ud800"}], "epsilon": 1}',
        b"[" * 100_000,
        b"1" * 5_000,
    ],
    ids=["half", "binary", "NaN", "infinity", "repeated key", "half character", "deep", "long"],
)
def test_a_body_that_is_not_plain_json_is_a_standard_error(
    body: bytes, api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    with unchanged():
        response = send(api, body)
    assert response.status_code == 400
    assert response.json()["errors"][0]["code"] == "parse_error"


def test_an_empty_body_names_what_is_missing(
    api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    with unchanged():
        response = send(api, b"")
    assert response.status_code == 400
    assert {error["attr"] for error in response.json()["errors"]} == {"statistics", "epsilon"}


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"statistics": [{"statistic": "sum", "column": "salary"}]}, "statistics.0.column"),
        ({"statistics": [{"statistic": "mode", "column": "age"}]}, "statistics.0.statistic"),
        ({"where": [{"column": "age", "op": "~", "value": 1}]}, "where.0.op"),
        ({"where": [{"column": "sex", "op": "=", "value": "Unknown"}]}, "where.0.value"),
        ({"where": [{"column": "age", "op": ">", "value": True}]}, "where.0.value"),
        ({"group_by": [{"column": "age", "edges": [3, 2]}]}, "group_by.0.edges.1"),
        ({"seed": 1}, "seed"),
        ({"dataset": "elsewhere"}, "dataset"),
        ({"spent": 0}, "spent"),
    ],
)
def test_a_plan_that_cannot_be_asked_names_the_path(
    change: dict[str, Any], path: str, api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    """H4 too: keys that are not part of a plan are refused, not taken over."""
    with unchanged():
        response = send(api, COUNT | change)
    assert response.status_code == 400
    assert response.json()["type"] == "validation_error"
    assert path in [error["attr"] for error in response.json()["errors"]]


def test_every_problem_is_named_at_once(api: APIClient, dataset: Dataset) -> None:
    response = send(api, {"statistics": [{"statistic": "x"}], "epsilon": 0, "junk": 1})
    found = {error["attr"] for error in response.json()["errors"]}
    assert found == {"statistics.0.statistic", "epsilon", "junk"}


def test_over_budget_says_what_fits(api: APIClient, dataset: Dataset, unchanged: Unchanged) -> None:
    lower_limit(dataset, 3 * NANO // 10)
    with unchanged():
        response = send(api, COUNT)
    assert response.status_code == 409
    assert response.json()["errors"][0]["code"] == "insufficient_budget"
    assert response.json()["largest_fit_epsilon"] == 0.3


def test_above_the_limit_for_one_question_says_what_fits(
    api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    with unchanged():
        response = send(api, COUNT | {"epsilon": 2.5})
    assert response.status_code == 400
    error = response.json()["errors"][0]
    assert (error["code"], error["attr"]) == ("query_limit_exceeded", "epsilon")
    assert response.json()["largest_fit_epsilon"] == 2


def test_numbers_are_read_exactly(api: APIClient, dataset: Dataset) -> None:
    """A float would make 0.1 three times something else than 0.3."""
    lower_limit(dataset, 3 * NANO // 10)
    accepted = [send(api, COUNT | {"epsilon": 0.1}).status_code for _ in range(4)]
    assert accepted == [202, 202, 202, 409]
    assert Budget.objects.get(pk=dataset.budget_id).remaining_nano == 0


@pytest.mark.parametrize("key", ["", " ", "two words", "é", "k" * 201])
def test_a_question_needs_a_usable_idempotency_key(
    key: str, api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    with unchanged():
        response = api.post(
            SUBMIT, COUNT, format="json", headers={"Idempotency-Key": key} if key else {}
        )
    assert response.status_code == 400
    assert response.json()["errors"][0]["attr"] == "Idempotency-Key"


@pytest.mark.parametrize("role", ["owner", "officer", "admin"])
def test_only_analysts_ask(
    role: str,
    request: pytest.FixtureRequest,
    api_for: Callable[[Membership], APIClient],
    unchanged: Unchanged,
) -> None:
    api = api_for(request.getfixturevalue(role))
    with unchanged():
        assert send(api, COUNT).status_code == 403
        assert send(api, COUNT, to=QUOTE).status_code == 403


def test_without_a_token_nothing_is_told(dataset: Dataset) -> None:
    response = send(APIClient(), COUNT)
    assert response.status_code == 401
    assert response.json()["errors"][0]["code"] == "not_authenticated"


def test_what_is_foreign_looks_missing(
    api: APIClient,
    dataset: Dataset,
    foreign_dataset: Dataset,
    stranger: Membership,
    ask: Callable[..., Query],
) -> None:
    """H1, H8: the same body for a foreign, a missing and a colleague's thing."""
    foreign = ask(stranger, of=foreign_dataset)
    missing = api.get(f"/api/v1/queries/{uuid4()}/").json()
    for address in (f"/api/v1/queries/{foreign.pk}/", f"/api/v1/queries/{foreign.pk}/release/"):
        response = api.get(address)
        assert response.status_code == 404
        assert response.json() == missing
    for address in ("foreign", "nothing"):
        for door in ("quote", "queries"):
            response = send(api, COUNT, to=f"/api/v1/datasets/{address}/{door}/")
            assert response.status_code == 404
            assert response.json() == missing


def test_the_list_shows_ones_own_and_narrows_down(
    api: APIClient,
    dataset: Dataset,
    analyst: Membership,
    stranger: Membership,
    foreign_dataset: Dataset,
    ask: Callable[..., Query],
    answer_now: Callable[[], int],
) -> None:
    answered = ask(analyst)
    answer_now()
    waiting = ask(analyst)
    ask(stranger, of=foreign_dataset)

    def listed(**filters: str) -> list[str]:
        return [row["id"] for row in api.get("/api/v1/queries/", filters).json()["results"]]

    assert listed() == [str(waiting.pk), str(answered.pk)]
    assert listed(state="waiting") == [str(waiting.pk)]
    assert listed(state="released") == [str(answered.pk)]
    assert listed(dataset="foreign") == []
    assert api.get("/api/v1/queries/", {"state": "running"}).status_code == 400


def test_a_wrong_media_type_is_a_standard_error(api: APIClient, dataset: Dataset) -> None:
    response = api.post(SUBMIT, "a=1", content_type="application/x-www-form-urlencoded")
    assert response.status_code == 415
    assert response.json()["errors"][0]["code"] == "unsupported_media_type"
