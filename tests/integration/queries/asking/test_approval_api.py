"""L40: approvals in the API, beside `test_approval_doors`: refusals, and taking one back."""

import json
from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.queries.asking.approving import PLAN, approved, needs_approval, requested
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
API = "/api/v1/datasets/visits/"
ApiFor = Callable[[Membership], APIClient]


@made_once
def above_half(dataset: Dataset) -> None:
    """Above ε 0.5 a question needs an owner."""
    needs_approval(dataset)


def _post(api: APIClient, to: str, body: object) -> tuple[int, str]:
    answer = api.post(to, body, format="json")
    return answer.status_code, answer.json()["errors"][0]["code"]


@pytest.mark.parametrize("plan", [{"statistics": [{"statistic": "nope"}]}, [], None])
def test_a_plan_that_cannot_be_read_is_refused_as_what_was_not_approved(
    analyst: Membership, above_half: None, dataset: Dataset, api_for: ApiFor, plan: object
) -> None:
    """It has no price, so that nothing is said of what would fit."""
    text = json.dumps(plan)
    answer = api_for(analyst).post(
        f"{API}queries/?approval={dataset.pk}",
        text,
        content_type="application/json",
        headers={"Idempotency-Key": "k-1"},
    )
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "no_approval")
    assert "largest_fit_epsilon" not in answer.json()


def test_an_analyst_takes_back_a_request_that_waits_and_no_other(
    analyst: Membership, owner: Membership, above_half: None, dataset: Dataset, api_for: ApiFor
) -> None:
    """In the API as on its page."""
    api, waits = api_for(analyst), requested(analyst, dataset)
    where = f"{API}approvals/{waits.pk}/withdraw/"
    other = api_for(join(dataset.tenant, Role.ANALYST, "bert"))
    assert other.post(where, {}, format="json").status_code == 404
    assert api.post(where, {"reason": "x"}, format="json").status_code == 400
    assert api.post(where, {}, format="json").json()["state"] == "withdrawn"
    assert _post(api, where, {}) == (409, "already_answered")
    given = approved(analyst, owner, dataset)
    assert _post(api, f"{API}approvals/{given.pk}/withdraw/", {}) == (409, "already_answered")


def test_what_one_question_may_cost_is_said_at_its_place_in_the_body(
    analyst: Membership, above_half: None, api_for: ApiFor
) -> None:
    body = {"plan": PLAN | {"epsilon": 5}, "purpose": "x"}
    (error,) = api_for(analyst).post(f"{API}approvals/", body, format="json").json()["errors"]
    assert (error["code"], error["attr"]) == ("query_limit_exceeded", "plan.epsilon")
