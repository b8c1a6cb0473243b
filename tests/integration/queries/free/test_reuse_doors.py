"""F12: page and API show what is free beside the price, and give it to whoever asks for it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.datasets.services import pause_questions, set_terms
from dpgov.privacy.answer.blueprint import Blueprint
from dpgov.queries.free.finding import Reusable, reusable_for
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.queries.conftest import Filled
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once

pytestmark = pytest.mark.django_db

COUNT = {"statistic": "count"}
PLAN = {"statistics": [COUNT], "epsilon": 0.5}
BY_SEX = {"group_by": [{"column": "sex"}]}


@made_once
def histogram(
    analyst: Membership,
    dataset: Dataset,
    ask: Callable[..., Query],
    answer_now: Callable[[], int],
) -> Query:
    """A paid and visible answer."""
    query = ask(analyst, **BY_SEX)
    answer_now()
    return query


def address(name: str, dataset: Dataset) -> str:
    return reverse(f"queries:{name}", args=[dataset.slug])


def test_the_price_says_first_what_is_free(
    browser: Client, dataset: Dataset, counting: Filled, histogram: Query
) -> None:
    """F12: with its error, and with a button of its own."""
    page = browser.post(address("quote", dataset), counting.posted()).content.decode()
    assert "Stored answers already tell it: free" in page
    assert page.index("Take this answer, free") < page.index("Ask for")
    assert f'formaction="{address("reuse", dataset)}"' in page


def _terms(dataset: Dataset, owner: Membership) -> None:
    set_terms(dataset=dataset, text="For research alone.", user=owner.user)


def _pause(dataset: Dataset, owner: Membership) -> None:
    pause_questions(dataset=dataset, user=owner.user, reason="an audit")


@pytest.mark.parametrize(
    ("close", "reason"),
    [
        (_terms, "Accept the terms of use of this dataset (version 1) before you ask."),
        (_pause, "Questions about this dataset are paused by its owners."),
    ],
)
def test_what_is_free_is_shown_without_its_button_while_nothing_can_be_taken(
    browser: Client, dataset: Dataset, owner: Membership, counting: Filled, histogram: Query,
    close: Callable[[Dataset, Membership], None], reason: str,
) -> None:  # fmt: skip
    """F12: with the reason; a page from before that is refused in one sentence."""
    choice = browser.post(address("quote", dataset), counting.posted()).context["offer"].free[0]
    close(dataset, owner)
    page = browser.post(address("quote", dataset), counting.posted()).content.decode()
    assert "Stored answers already tell it: free" in page
    assert f"It cannot be taken now. {reason}" in text_of(page.encode())
    assert "Take this answer, free" not in page
    late = browser.post(address("reuse", dataset), counting.posted(choice=choice.choice))
    said = text_of(late.content)
    assert late.status_code == 422
    assert said.count(f"{reason} Nothing was charged.") == 3, (
        "the notice, the free answer, the price"
    )
    assert "Nothing was charged. Nothing was charged." not in said


def test_nothing_is_taken_by_asking(
    browser: Client, dataset: Dataset, counting: Filled, histogram: Query
) -> None:
    """F12: the button with the price asks anew, whatever is stored."""
    browser.post(address("ask", dataset), counting.posted(price="0.5"))
    assert not Query.objects.filter(reuse=True).exists()
    assert Query.objects.count() == 2


def test_stored_answers_are_looked_up_once_where_they_are_shown_and_not_to_ask(
    browser: Client,
    api_for: Callable[[Membership], APIClient],
    analyst: Membership,
    dataset: Dataset,
    counting: Filled,
    histogram: Query,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F12: a price, a question at its price, and a refusal by the API."""
    looked: list[Blueprint] = []

    def seen(version: Any, blueprint: Blueprint, **more: Any) -> Reusable:
        looked.append(blueprint)
        return reusable_for(version, blueprint, **more)

    monkeypatch.setattr("dpgov.queries.asking.quote.reusable_for", seen)
    browser.post(address("quote", dataset), counting.posted())
    assert len(looked) == 1
    browser.post(address("ask", dataset), counting.posted(price="0.5"))
    refused = api_for(analyst).post(
        f"/api/v1/datasets/{dataset.slug}/queries/",
        PLAN | {"epsilon": 999},
        format="json",
        headers={"Idempotency-Key": "too-much"},
    )
    assert refused.json()["largest_fit_epsilon"] > 0
    assert (Query.objects.count(), len(looked)) == (2, 1)


def test_the_button_leads_to_an_answer_that_tells_how_it_was_made(
    browser: Client, dataset: Dataset, counting: Filled, histogram: Query
) -> None:
    """F12: at once, for nothing, with its sources, its files and its receipt."""
    answer = browser.post(address("reuse", dataset), counting.posted(), follow=True)
    page = answer.content.decode()
    query = Query.objects.get(reuse=True)
    assert "for nothing" in page
    assert "Out of one stored answer" in page
    assert reverse("queries:detail", args=[histogram.pk]) in page
    assert "used nothing of the dataset" in page.replace("&#x27;", "'")
    for name, extra in (("download", ["csv"]), ("download", ["json"]), ("receipt", [])):
        assert browser.get(reverse(f"queries:{name}", args=[query.pk, *extra])).status_code == 200
    history = browser.get(reverse("dashboards:history"))
    assert str(query.pk) in history.content.decode()
    assert browser.get(reverse("dashboards:history_export")).status_code == 200


@pytest.mark.parametrize("fields", [{"choice": "0" * 16}, {"epsilon": ""}])
def test_what_is_not_there_leaves_the_form_as_it_was(
    fields: dict[str, str],
    browser: Client,
    dataset: Dataset,
    counting: Filled,
    histogram: Query,
    unchanged: Callable[[], Any],
) -> None:
    with unchanged():
        answer = browser.post(address("reuse", dataset), counting.posted() | fields)
    assert answer.status_code == 422
    assert 'id="ask-form"' in answer.content.decode()


def test_a_form_that_was_used_is_refused(
    browser: Client, dataset: Dataset, counting: Filled, histogram: Query
) -> None:
    browser.post(address("ask", dataset), counting.posted(price="0.5"))
    answer = browser.post(address("reuse", dataset), counting.posted())
    assert answer.status_code == 422
    assert "already used" in answer.content.decode()


def test_the_api_lists_and_gives_free_answers(
    analyst: Membership, dataset: Dataset, api_for: Any, histogram: Query
) -> None:
    """F12: under the choice of the quote, once per key."""
    client: APIClient = api_for(analyst)
    quoted = client.post(_api("quote", dataset), PLAN, format="json").json()
    (free,) = quoted["free"]
    assert (free["way"], free["made_from"]) == ("derived", [str(histogram.pk)])
    bound = free["statistics"][0]["accuracy"][1]["value"]
    assert bound > quoted["description"]["statistics"][0]["accuracy"][1]["value"]
    url = f"{_api('reuse', dataset)}?choice={free['choice']}"
    for _ in range(2):
        taken = client.post(url, PLAN, format="json", HTTP_IDEMPOTENCY_KEY="k-1")
        assert taken.status_code == 201
    body = taken.json()
    assert (body["reuse"], body["epsilon"], body["state"]) == (True, 0, "released")
    assert body["sources"] == [str(histogram.pk)]
    release = client.get(body["links"]["release"]).json()
    assert release["made_from"] == [str(histogram.pk)]
    assert release["statistics"][0]["cells"][0]["accuracy"][1]["value"] == bound
    assert Query.objects.filter(reuse=True).count() == 1


@pytest.mark.parametrize(
    ("change", "key", "status", "code"),
    [
        ({"where": [{"column": "age", "op": "<", "value": 30}]}, "k", 409, "nothing_free"),
        ({"statistics": []}, "k", 400, "invalid_plan"),
        ({}, "", 400, "invalid_idempotency_key"),
    ],
)
def test_the_api_says_why_not(
    change: dict[str, Any],
    key: str,
    status: int,
    code: str,
    analyst: Membership,
    dataset: Dataset,
    api_for: Any,
    histogram: Query,
) -> None:
    client: APIClient = api_for(analyst)
    url = _api("reuse", dataset)
    answer = client.post(url, PLAN | change, format="json", HTTP_IDEMPOTENCY_KEY=key)
    assert answer.status_code == status, answer.content
    assert {error["code"] for error in json.loads(answer.content)["errors"]} == {code}


def _api(name: str, dataset: Dataset) -> str:
    return reverse(f"v1:{name}", args=[dataset.slug])


@pytest.mark.parametrize("epsilon", ["720", "999", "1000", "1001"])
def test_a_price_far_beyond_every_limit_is_refused_in_words(
    epsilon: str, browser: Client, dataset: Dataset, counting: Filled, histogram: Query
) -> None:
    """S9: beside a stored answer, too, with which it would be put together."""
    asked = browser.post(address("quote", dataset), counting.posted(epsilon=epsilon))
    assert (asked.status_code, "Ask for ε" in asked.content.decode()) == (200, False)
