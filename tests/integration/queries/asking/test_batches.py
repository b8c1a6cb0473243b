"""Several questions for one price: shared out, asked all or none, once per key."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from dpgov.audit.actor import OPERATOR
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import RateLimit
from dpgov.budgets.services import set_rate_limit
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import Query
from dpgov.queries.rest.shapes import question
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import lower_limit
from tests.made_once import made_once

QUOTES = "/api/v1/datasets/visits/quotes/"
BATCHES = "/api/v1/datasets/visits/batches/"
COUNT: dict[str, Any] = {"statistics": [{"statistic": "count"}]}
MEAN: dict[str, Any] = {"statistics": [{"statistic": "mean", "column": "age"}]}
MALE: dict[str, Any] = COUNT | {"where": [{"column": "sex", "op": "=", "value": "Male"}]}
BOTH: dict[str, Any] = {"epsilon": 1, "plans": [COUNT, MEAN]}
Unchanged = Callable[[], AbstractContextManager[None]]


@made_once
def api(analyst: Membership, api_for: Callable[[Membership], APIClient]) -> APIClient:
    """The analyst's notebook."""
    return api_for(analyst)


def send(api: APIClient, body: Any, key: str = "b-1") -> Any:
    headers = {"Idempotency-Key": key}
    return api.post(BATCHES, body, format="json", headers=headers)


def test_a_batch_is_priced_together_and_nothing_is_spent(
    api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    with unchanged():
        response = api.post(f"{QUOTES}?assumed_rows=150", BOTH, format="json")
    assert response.status_code == 200
    body = response.json()
    assert (body["cost_epsilon"], body["accepted"], body["refusal"]) == (1, True, None)
    assert [q["cost_epsilon"] for q in body["questions"]] == [0.5, 0.5]
    assert [q["in_words"] for q in body["questions"]] == ["Count of rows", "Mean of age"]
    assert all(q["description"]["statistics"][0]["accuracy"] for q in body["questions"])
    assert [(n["needed_epsilon"], n["fits"]) for n in body["limits"]] == [(1, True)]


def test_a_locked_share_is_kept(api: APIClient, dataset: Dataset) -> None:
    plans = [COUNT | {"share": 0.2}, MEAN]
    body = api.post(QUOTES, {"epsilon": 1, "plans": plans}, format="json").json()
    assert [q["plan"]["epsilon"] for q in body["questions"]] == [0.2, 0.8]


def test_an_accepted_batch_is_questions_like_any_other(
    api: APIClient, dataset: Dataset, answer_now: Callable[[], int]
) -> None:
    """G1: each with its own entry; B1: each with its own hold."""
    entries = AuditEntry.objects.count()
    response = send(api, BOTH)
    assert response.status_code == 202
    assert AuditEntry.objects.count() == entries + 2
    asked = response.json()["queries"]
    assert [one["in_words"] for one in asked] == ["Count of rows", "Mean of age"]
    keys = Query.objects.order_by("idempotency_key").values_list("idempotency_key", flat=True)
    assert list(keys) == ["b-1 0", "b-1 1"]
    dataset.budget.refresh_from_db()
    assert dataset.budget.reserved_nano == NANO
    assert answer_now() == 2
    for one in asked:
        assert api.get(one["links"]["release"]).status_code == 200


def test_the_same_batch_twice_is_the_same_questions(
    api: APIClient, dataset: Dataset, unchanged: Unchanged, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A5: an idempotency key is worth one charge."""
    # On a busy machine the second time would name the next moment at which answers may appear.
    now = timezone.now()
    monkeypatch.setattr(question, "database_now", lambda: now)
    first = send(api, BOTH)
    with unchanged():
        again = send(api, BOTH)
    assert again.status_code == 202
    assert again.json() == first.json()


def test_a_single_question_never_has_the_key_of_one_of_a_batch(
    api: APIClient, dataset: Dataset
) -> None:
    """A5: neither stands in the other's way, whichever comes first, and each is itself again."""
    one = COUNT | {"epsilon": 0.5}
    for key, batch in (("b-1.1", BOTH), ("b-1.2", BOTH)):
        alone = {"Idempotency-Key": key}
        address = f"/api/v1/datasets/{dataset.slug}/queries/"
        first = api.post(address, one, format="json", headers=alone)
        assert first.status_code == 202
        assert send(api, batch).status_code == 202
        again = api.post(address, one, format="json", headers=alone)
        assert again.json()["id"] == first.json()["id"]
    assert Query.objects.count() == 4


@pytest.mark.parametrize(
    "other",
    [
        {"epsilon": 1, "plans": [COUNT]},
        {"epsilon": 1, "plans": [COUNT, MEAN, MALE]},
        {"epsilon": 2, "plans": [COUNT, MEAN]},
        {"epsilon": 1, "plans": [MEAN, COUNT]},
    ],
)
def test_another_batch_under_a_used_key_is_refused(
    other: dict[str, Any], api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    send(api, BOTH)
    with unchanged():
        refused = send(api, other)
    assert refused.status_code == 409
    assert refused.json()["errors"][0]["code"] == "idempotency_conflict"


@pytest.mark.parametrize("key", ["", "k" * 198, "with space", "ü"])
def test_a_key_that_leaves_no_room_for_the_places_is_refused(
    key: str, api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    with unchanged():
        refused = send(api, BOTH, key.encode().decode("latin-1"))
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["code"] == "invalid_idempotency_key"


def test_what_does_not_fit_together_is_refused_whole(
    api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    """A1: each would fit alone; nothing of a refused batch stays."""
    lower_limit(dataset, 8 * NANO // 10)
    with unchanged():
        priced = api.post(QUOTES, BOTH, format="json").json()
        refused = send(api, BOTH)
    assert priced["accepted"] is False
    assert "These questions together take ε 1. Only ε 0.8 remains" in priced["refusal"]
    assert priced["largest_fit_epsilon"] == 0.8
    assert refused.status_code == 409
    assert refused.json()["errors"][0]["code"] == "insufficient_budget"
    assert refused.json()["largest_fit_epsilon"] == 0.8
    assert send(api, BOTH | {"epsilon": 0.8}, "b-2").status_code == 202


def test_a_rate_counts_the_whole_batch(
    api: APIClient, dataset: Dataset, owner: Membership, unchanged: Unchanged
) -> None:
    set_rate_limit(
        budget=dataset.budget,
        period=RateLimit.Period.DAY,
        limit_nano=NANO // 2,
        actor=OPERATOR,
        reason="slowly",
    )
    with unchanged():
        priced = api.post(QUOTES, BOTH, format="json").json()
        assert send(api, BOTH).status_code == 409
    assert priced["accepted"] is False
    assert [needed["fits"] for needed in priced["limits"]] == [False, True]
    assert priced["largest_fit_epsilon"] == 0.5


def test_a_question_that_alone_costs_too_much_is_named(
    api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    body = {"epsilon": 3, "plans": [COUNT | {"share": 0.1}, MEAN]}
    with unchanged():
        priced = api.post(QUOTES, body, format="json").json()
        refused = send(api, body)
    assert (
        "Question 2 would cost ε 2.7; one question on this dataset may cost at most ε 2."
        in (priced["refusal"])
    )
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["code"] == "query_limit_exceeded"
    assert refused.json()["largest_fit_epsilon"] == pytest.approx(2 / 0.9, abs=1e-8)


def test_a_plan_that_cannot_be_asked_is_named_by_its_place(
    api: APIClient, dataset: Dataset, unchanged: Unchanged
) -> None:
    wrong = {"statistics": [{"statistic": "sum", "column": "salary"}]}
    with unchanged():
        for door in (QUOTES, BATCHES):
            refused = api.post(
                door, BOTH | {"plans": [COUNT, wrong]}, format="json",
                headers={"Idempotency-Key": "b-1"},
            )  # fmt: skip
            assert refused.status_code == 400
            assert refused.json()["errors"][0]["attr"] == "plans.1.statistics.0.column"
