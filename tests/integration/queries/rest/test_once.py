"""B6: a client that repeats its request has asked once."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from dpgov.audit.models import AuditEntry
from dpgov.budgets.errors import BudgetsMoved
from dpgov.budgets.models import Budget, Reservation
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.asking import submit
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import ledger_state
from tests.made_once import made_once
from tests.threads import at_once

SUBMIT = "/api/v1/datasets/visits/queries/"
COUNT: dict[str, Any] = {"statistics": [{"statistic": "count"}], "epsilon": 0.5}


def post(api: APIClient, body: dict[str, Any], key: str = "my-key") -> Any:
    return api.post(
        SUBMIT,
        json.dumps(body),
        content_type="application/json",
        headers={"Idempotency-Key": key},
    )


@made_once
def api(analyst: Membership, api_for: Callable[[Membership], APIClient]) -> APIClient:
    return api_for(analyst)


def test_two_hundred_repeats_are_one_question(
    api: APIClient, dataset: Dataset, settings: Any
) -> None:
    """B6: one query, one reservation, one audit entry, the same address each time."""
    settings.DPGOV_RATE_PERSON = 400
    responses = [post(api, COUNT) for _ in range(200)]
    assert {response.status_code for response in responses} == {202}
    assert len({response["Location"] for response in responses}) == 1
    # While it waits, the moment of its answer moves; nothing else does.
    bodies = [response.json() | {"due_at": None} for response in responses]
    assert [body for body in bodies if body != bodies[0]] == []
    assert Query.objects.count() == Reservation.objects.count() == 1
    assert AuditEntry.objects.filter(action="QUERY_SUBMITTED").count() == 1
    assert Budget.objects.get(pk=dataset.budget_id).reserved_nano == NANO // 2


def test_the_same_key_for_another_question_is_a_conflict(api: APIClient, dataset: Dataset) -> None:
    """B6: nothing is asked, spent or changed by it."""
    post(api, COUNT)
    before = ledger_state()
    others: list[dict[str, Any]] = [COUNT | {"epsilon": 0.6}, {"statistics": []}]
    for other in others:
        response = post(api, other)
        assert response.status_code == 409
        assert response.json()["errors"][0]["code"] == "idempotency_conflict"
    assert ledger_state() == before


def test_the_same_key_of_another_person_is_another_question(
    api: APIClient,
    dataset: Dataset,
    officer: Membership,
    api_for: Callable[[Membership], APIClient],
) -> None:
    """H8: keys tell nothing about other people's questions."""
    officer.role = "analyst"
    officer.save(update_fields=["role"])
    first, second = post(api, COUNT), post(api_for(officer), COUNT)
    assert first.status_code == second.status_code == 202
    assert first["Location"] != second["Location"]


ANEW: dict[str, tuple[str, dict[str, Any]]] = {
    "one question": ("queries", COUNT),
    "several": ("batches", {"epsilon": 0.5, "plans": [{"statistics": COUNT["statistics"]}] * 2}),
    "a free answer": ("reuse", COUNT),
}


GONE: dict[str, Callable[[], dict[str, Any]]] = {
    "archived": lambda: {"archived_at": timezone.now()},
    "held": lambda: {
        "held_at": timezone.now(),
        "held_reason": Dataset.HeldReason.LIKE_EARLIER_DATA,
    },
    "for others": lambda: {"named_only": True},
}


@pytest.mark.parametrize("gone", GONE)
@pytest.mark.parametrize("asked", ANEW)
def test_a_repeat_is_the_same_question_also_when_the_dataset_is_gone(
    api: APIClient,
    dataset: Dataset,
    ask: Callable[..., Query],
    analyst: Membership,
    answer_now: Callable[[], int],
    asked: str,
    gone: str,
) -> None:
    """B6: who lost the answer learns what became of it, and nothing else of the dataset."""
    ask(analyst, epsilon=0.5)
    answer_now()
    door, body = ANEW[asked]
    address = f"/api/v1/datasets/visits/{door}/"

    def sent(key: str, to: str = address) -> Any:
        return api.post(to, body, format="json", headers={"Idempotency-Key": key})

    first = sent("first")
    assert first.status_code < 300
    Dataset.objects.filter(pk=dataset.pk).update(**GONE[gone]())
    again = sent("first")
    assert again.status_code == first.status_code
    assert _ids(again.json()) == _ids(first.json())
    before = ledger_state()
    assert sent("another").status_code == 404
    assert sent("first", address.replace("visits", "elsewhere")).status_code == 404
    assert ledger_state() == before


def _ids(body: dict[str, Any]) -> list[str]:
    return [one["id"] for one in body.get("queries", [body])]


@pytest.mark.django_db(transaction=True)
def test_sixteen_clients_at_once_with_one_key_are_one_question(
    api: APIClient, dataset: Dataset
) -> None:
    """B6: repeats that overlap."""
    credentials = vars(api)["_credentials"]

    def ask(_: int) -> Any:
        client = APIClient()
        client.credentials(**credentials)
        return post(client, COUNT)

    responses = at_once(16, ask, range(64))
    assert {response.status_code for response in responses} == {202}
    assert len({response["Location"] for response in responses}) == 1
    assert Query.objects.count() == Reservation.objects.count() == 1


def test_budgets_that_move_again_and_again_are_told_apart_from_frozen_ones(
    api: APIClient, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that asks again is right here, and would wait for an officer there."""
    tried = []

    def moved(request: object) -> None:
        tried.append(request)
        raise BudgetsMoved

    monkeypatch.setattr(submit, "_accept", moved)
    before = ledger_state()
    answer = post(api, COUNT)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "budgets_changed")
    assert (len(tried), ledger_state()) == (3, before)
