"""J5: nobody asks for more than their share of a site, however many of them ask at once."""

import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.queries.models import Query
from dpgov.tenants import rates
from dpgov.tenants.models import Membership
from tests.integration.access.routes import Kind
from tests.integration.access.world import World
from tests.threads import at_once

ClientFor = Callable[[Membership], Client]
ApiFor = Callable[[Membership], APIClient]
HISTORY = "/api/v1/queries/"


@pytest.fixture
def _three_a_minute(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.DPGOV_RATE_PERSON = 3
    _stop_the_minute(monkeypatch)


def _stop_the_minute(monkeypatch: pytest.MonkeyPatch, at: float = 600_000_020.0) -> None:
    monkeypatch.setattr(time, "time", lambda: at)


@pytest.mark.django_db
@pytest.mark.usefixtures("_three_a_minute")
def test_a_request_of_the_api_beyond_the_rate_is_answered_429(
    analyst: Membership, api_for: ApiFor
) -> None:
    api = api_for(analyst)
    answers = [api.get(HISTORY) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[-1].json()["errors"][0]["code"] == "throttled"
    assert answers[-1].headers["Retry-After"] == "40"
    assert [answer.headers["RateLimit"] for answer in answers[:3]] == [
        f'"person";r={left};t=40, "token";r={left};t=40' for left in (2, 1, 0)
    ]
    assert '"person";q=3;w=60' in answers[0].headers["RateLimit-Policy"]


@pytest.mark.django_db
@pytest.mark.usefixtures("_three_a_minute")
def test_a_page_beyond_the_rate_says_when_to_come_back_and_does_nothing(
    analyst: Membership, client_for: ClientFor, dataset: Dataset
) -> None:
    browser = client_for(analyst)
    for _ in range(3):
        browser.get("/history/")
    answer = browser.post(f"/datasets/{dataset.slug}/ask/", {})
    assert answer.status_code == 429
    assert "Come back in 40 seconds" in answer.content.decode()
    assert not Query.objects.exists()


@pytest.mark.django_db
@pytest.mark.usefixtures("_three_a_minute")
def test_what_the_role_refuses_counts_too(analyst: Membership, api_for: ApiFor) -> None:
    """Each costs the server a look at the token."""
    api = api_for(analyst)
    refused = [api.get("/api/v1/audit/entries/") for _ in range(3)]
    assert [answer.status_code for answer in refused] == [403] * 3
    assert [answer.headers["RateLimit"] for answer in refused] == [
        f'"person";r={left};t=40, "token";r={left};t=40' for left in (2, 1, 0)
    ]
    assert api.get(HISTORY).status_code == 429


@pytest.mark.django_db
@pytest.mark.usefixtures("_three_a_minute")
def test_the_next_minute_begins_anew(
    analyst: Membership, api_for: ApiFor, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = api_for(analyst)
    for _ in range(4):
        api.get(HISTORY)
    _stop_the_minute(monkeypatch, at=600_000_060.0)
    assert api.get(HISTORY).status_code == 200


@pytest.mark.django_db
@pytest.mark.usefixtures("_three_a_minute")
def test_pages_and_tokens_of_a_person_count_together(
    analyst: Membership, api_for: ApiFor, client_for: ClientFor
) -> None:
    api, browser = api_for(analyst), client_for(analyst)
    assert [api.get(HISTORY).status_code, api.get(HISTORY).status_code] == [200, 200]
    assert browser.get("/history/").status_code == 200
    assert api.get(HISTORY).status_code == 429
    assert browser.get("/history/").status_code == 429


@pytest.mark.django_db
@pytest.mark.usefixtures("_three_a_minute")
def test_colleagues_and_strangers_are_not_held_up(
    analyst: Membership, owner: Membership, stranger: Membership, api_for: ApiFor
) -> None:
    api = api_for(analyst)
    for _ in range(9):
        api.get(HISTORY)
    assert api_for(owner).get(HISTORY).status_code == 200
    assert api_for(stranger).get(HISTORY).status_code == 200


@pytest.mark.django_db
def test_an_organisation_has_a_rate_of_its_own_and_tells_nobody_what_colleagues_do(
    analyst: Membership,
    owner: Membership,
    stranger: Membership,
    api_for: ApiFor,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.DPGOV_RATE_ORGANISATION = 2
    _stop_the_minute(monkeypatch)
    colleague = api_for(owner)
    assert "organisation" not in colleague.get(HISTORY).headers["RateLimit"]
    colleague.get(HISTORY)
    refused = api_for(analyst).get(HISTORY)
    assert refused.status_code == 429
    assert '"organisation";r=0' in refused.headers["RateLimit"]
    assert api_for(stranger).get(HISTORY).status_code == 200


@pytest.mark.django_db
@pytest.mark.usefixtures("_three_a_minute")
def test_32_at_once_exceed_nothing(analyst: Membership) -> None:
    """J5: each is counted in one step."""
    keys = [f"person:{analyst.user_id}:1"] * 32
    assert Counter(at_once(32, rates._number, keys)) == Counter(range(1, 33))


@pytest.mark.django_db
def test_whoever_is_not_signed_in_is_counted_elsewhere(world: World) -> None:
    """Tries to sign in have limits of their own, by address."""
    assert "RateLimit" not in world.client("anonymous", Kind.PAGE).get("/account/login/").headers
