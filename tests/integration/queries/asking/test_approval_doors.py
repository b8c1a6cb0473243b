"""L40: approvals of one question on pages and in the API, and every entrance that needs one."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.datasets.models import Dataset
from dpgov.datasets.rules import rules_of
from dpgov.datasets.services import pause_questions
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import BudgetRequest, Query
from dpgov.queries.wording.words import in_words
from dpgov.queries.workbench.approvals import approve_question
from dpgov.queries.workbench.budget_requests import decline_request
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.notices.conftest import Told, read_the_log
from tests.integration.notices.conftest import told as told
from tests.integration.queries.asking.approving import PLAN, approved, needs_approval, requested
from tests.integration.queries.asking.test_closed import WEB, Doors
from tests.integration.queries.asking.test_closed import doors as doors
from tests.integration.queries.conftest import Filled, lower_limit
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
NEW = "/datasets/visits/approval/"
API = "/api/v1/datasets/visits/"
ClientFor = Callable[[Membership], Client]
ApiFor = Callable[[Membership], APIClient]
Unchanged = Callable[[], AbstractContextManager[None]]


@made_once
def above_half(dataset: Dataset) -> None:
    """Above ε 0.5 a question needs an owner."""
    needs_approval(dataset)


@made_once
def owners(owner: Membership, client_for: ClientFor) -> Client:
    """The owner's browser."""
    return client_for(owner)


def _asked_for(browser: Client, counting: Filled) -> BudgetRequest:
    """From the ask form to the sent request."""
    page = browser.post(NEW, counting.posted(epsilon="1"))
    sent = browser.post(NEW, {"plan": page.context["plan"], "purpose": "the spring study"})
    found = BudgetRequest.objects.get()
    assert sent["Location"] == f"/requests/{found.pk}/"
    return found


@pytest.mark.parametrize(
    ("door", "status"),
    [("the form", 422), ("several", 422), ("the API", 409), ("its batches", 409)],
)
def test_every_entrance_needs_it(
    doors: Doors, unchanged: Unchanged, door: str, status: int
) -> None:
    """L40: also for a page that was opened before its owner said so."""
    needs_approval(doors.dataset, 0)
    with unchanged():
        assert WEB[door](doors) == status


def test_a_page_says_so_before_anything_is_pressed(
    browser: Client, above_half: None, counting: Filled, unchanged: Unchanged
) -> None:
    with unchanged():
        needed = browser.post("/datasets/visits/quote/", counting.posted(epsilon="1")).text
        assert "Needs approval" in needed
        assert f'formaction="{NEW}"' in needed
        fine = browser.post("/datasets/visits/quote/", counting.posted(epsilon="0.5")).text
        assert "Needs approval" not in fine
        sql = {"sql": 'SELECT COUNT(*) FROM "visits" WITH EPSILON 1'}
        assert "Needs approval" in browser.post("/datasets/visits/ask/sql/", sql).text


def test_an_owner_approves_and_the_analyst_asks_with_one_press(
    browser: Client, owners: Client, above_half: None, counting: Filled, dataset: Dataset
) -> None:
    sent = _asked_for(browser, counting)
    listed = text_of(owners.get("/requests/").content)
    assert "Requests for budget 1 waiting for you" in listed
    assert "Approval of one question for ε 1" in listed
    shown = text_of(owners.get(f"/requests/{sent.pk}/").content)
    for part in ("Anna", "Price ε 1", "Remaining after ε 9", "the spring study"):
        assert part in shown, part
    assert in_words(sent.plan or {}) in shown
    answer = {"decision": "grant", "answer": "for the study"}
    unsaid = owners.post(f"/requests/{sent.pk}/answer/", answer | {"answer": ""})
    assert unsaid.status_code == 422
    assert owners.post(f"/requests/{sent.pk}/answer/", answer).status_code == 302
    assert "for the study" in text_of(browser.get(f"/requests/{sent.pk}/").content)
    assert "Ask it now for ε 1" in text_of(browser.get(f"/requests/{sent.pk}/").content)
    assert "Ask it now" not in text_of(owners.get(f"/requests/{sent.pk}/").content)
    asked = browser.post(f"/requests/{sent.pk}/ask/")
    query = Query.objects.get()
    assert asked["Location"] == f"/queries/{query.pk}/"
    assert (query.cost_nano, query.approval_id) == (NANO, sent.pk)
    assert browser.post(f"/requests/{sent.pk}/ask/")["Location"] == asked["Location"]
    assert "It was asked." in browser.get(f"/requests/{sent.pk}/").text


def test_an_owner_declines_with_a_reason(
    browser: Client, owners: Client, above_half: None, counting: Filled
) -> None:
    sent = _asked_for(browser, counting)
    said = {"decision": "decline", "answer": "a smaller one is enough"}
    assert owners.post(f"/requests/{sent.pk}/answer/", said).status_code == 302
    page = browser.get(f"/requests/{sent.pk}/").text
    assert "a smaller one is enough" in page
    assert "Ask it now" not in page
    refused = browser.post(f"/requests/{sent.pk}/ask/", follow=True).text
    assert "No owner has approved this question. Nothing was charged." in refused
    assert not Query.objects.exists()


def test_what_does_not_fit_any_more_is_said_and_spends_nothing(
    browser: Client,
    analyst: Membership,
    owner: Membership,
    above_half: None,
    dataset: Dataset,
    unchanged: Unchanged,
) -> None:
    """L40: no budget was kept; the approval is still there when there is some again."""
    sent = approved(analyst, owner, dataset)
    lower_limit(dataset, NANO // 2)
    with unchanged():
        page = text_of(browser.post(f"/requests/{sent.pk}/ask/", follow=True).content)
    assert "only ε 0.5 remains" in page
    assert "Ask it now" in page


def test_another_analyst_finds_nothing(
    analyst: Membership,
    owner: Membership,
    above_half: None,
    dataset: Dataset,
    client_for: ClientFor,
    api_for: ApiFor,
) -> None:
    """L40: on its page, at its button and in the API."""
    sent, bert = approved(analyst, owner, dataset), join(dataset.tenant, Role.ANALYST, "bert")
    assert client_for(bert).get(f"/requests/{sent.pk}/").status_code == 404
    assert client_for(bert).post(f"/requests/{sent.pk}/ask/").status_code == 404
    api = api_for(bert)
    assert api.get(f"{API}approvals/{sent.pk}/").status_code == 404
    refused = _post(api, f"{API}queries/?approval={sent.pk}", PLAN)
    assert refused == (409, "no_approval")


def _post(api: APIClient, to: str, body: object, key: str = "k-1") -> tuple[int, str]:
    answer = api.post(to, body, format="json", headers={"Idempotency-Key": key})
    found = answer.json()
    return answer.status_code, found["errors"][0]["code"] if "errors" in found else found["id"]


def test_the_api_says_where_to_ask_and_takes_the_approval_s_id(
    analyst: Membership, owner: Membership, above_half: None, dataset: Dataset, api_for: ApiFor
) -> None:
    api = api_for(analyst)
    quote = api.post(f"{API}quote/", PLAN, format="json").json()
    assert quote["needs_approval"] is True
    refused = api.post(
        f"{API}queries/", PLAN, format="json", headers={"Idempotency-Key": "k-0"}
    ).json()
    assert refused["errors"][0]["code"] == "needs_approval"
    assert refused["largest_fit_epsilon"] == 0.5
    body = {"plan": PLAN, "purpose": "the spring study"}
    sent = api.post(refused["ask_at"], body, format="json")
    assert sent.status_code == 201
    where = sent["Location"]
    found = sent.json()
    assert (found["state"], found["can_be_asked"], found["epsilon"]) == ("waiting", False, 1)
    asking = f"{API}queries/?approval={found['id']}"
    assert _post(api, asking, PLAN) == (409, "not_approved")
    approve_question(membership=owner, request_id=found["id"], answer="for the study")
    found = api.get(where).json()
    assert (found["state"], found["can_be_asked"], found["ended"]) == ("granted", True, "")
    assert _post(api, asking, PLAN | {"epsilon": 1.5}) == (409, "another_plan")
    assert _post(api, asking, PLAN, "k-2")[0] == 202
    assert _post(api, asking, PLAN, "k-2")[0] == 202
    assert _post(api, asking, PLAN, "k-3") == (409, "approval_used")
    assert [one["can_be_asked"] for one in api.get(f"{API}approvals/").json()] == [False]
    assert Query.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"plan": PLAN | {"epsilon": 0.5}, "purpose": "x"}, 409, "no_approval_needed"),
        ({"plan": PLAN | {"epsilon": 5}, "purpose": "x"}, 400, "query_limit_exceeded"),
        ({"plan": {}, "purpose": "x"}, 400, "invalid_plan"),
        ({"plan": PLAN, "purpose": " "}, 400, "blank"),
        ({"plan": PLAN, "purpose": "a\0b"}, 400, "null_characters_not_allowed"),
        ({"plan": PLAN}, 400, "required"),
        ([], 400, "invalid"),
    ],
)
def test_the_api_refuses_what_cannot_be_approved(
    analyst: Membership, above_half: None, api_for: ApiFor, body: object, status: int, code: str
) -> None:
    assert _post(api_for(analyst), f"{API}approvals/", body) == (status, code)
    assert not BudgetRequest.objects.exists()


def test_the_api_refuses_the_same_twice_an_id_that_is_none_and_a_paused_dataset(
    analyst: Membership, owner: Membership, above_half: None, dataset: Dataset, api_for: ApiFor
) -> None:
    api, body = api_for(analyst), {"plan": PLAN, "purpose": "x"}
    assert _post(api, f"{API}queries/?approval=x", PLAN)[0] == 400
    assert _post(api, f"{API}approvals/", body)[0] == 201
    assert _post(api, f"{API}approvals/", body) == (409, "already_asked")
    pause_questions(dataset=dataset, user=owner.user, reason="a doubt")
    assert _post(api, f"{API}approvals/", body) == (409, "paused")


def test_bad_input_is_refused_at_its_place_and_nothing_is_lost(
    browser: Client, above_half: None, counting: Filled
) -> None:
    page = browser.post(NEW, counting.posted(epsilon="1"))
    plan = page.context["plan"]
    empty = browser.post(NEW, {"plan": plan, "purpose": ""})
    assert empty.status_code == 422
    assert "Say what it is for" in empty.text
    assert empty.context["plan"] == plan
    unneeded = browser.post(NEW, counting.posted(epsilon="0.5"))
    assert unneeded.status_code == 422
    assert "This question needs no approval" in unneeded.text
    broken = browser.post(NEW, {"plan": "{", "purpose": "x"}, follow=True)
    assert "cannot be read any more" in broken.text
    assert browser.post(NEW, {"plan": plan, "purpose": "x"}).status_code == 302
    twice = browser.post(NEW, {"plan": plan, "purpose": "x"})
    assert "You have asked for this already" in twice.text
    assert BudgetRequest.objects.count() == 1


def test_owners_are_told_of_a_request_and_the_analyst_of_the_answer(
    analyst: Membership, owner: Membership, above_half: None, dataset: Dataset, told: Told
) -> None:
    sent = requested(analyst, dataset)
    read_the_log(owner.tenant)
    assert "An analyst asks you to approve a question about Visits." in told(owner)
    approve_question(membership=owner, request_id=sent.pk, answer="for the study")
    other = requested(analyst, dataset)
    decline_request(membership=owner, request_id=other.pk, answer="no")
    read_the_log(owner.tenant)
    assert "Your question about Visits was approved: you can ask it now." in told(analyst)
    assert any("was not approved. Open it" in one for one in told(analyst))


def test_an_owner_can_let_every_question_need_approval(
    owners: Client, browser: Client, dataset: Dataset, counting: Filled
) -> None:
    typed = {"per_query": "2", "approval_above": "", "approve_every": "on"}
    assert owners.post("/datasets/visits/policy/", typed).status_code == 302
    assert rules_of(dataset).approval_above_nano == 0
    assert "checked" in owners.get("/datasets/visits/policy/").text
    assert "Every question needs" in text_of(owners.get("/datasets/visits/settings/").content)
    price = browser.post("/datasets/visits/quote/", counting.posted(epsilon="0.01")).text
    assert "Needs approval" in price
    assert "Nothing fits any more" not in price
    page = browser.post(NEW, counting.posted(epsilon="0.01"))
    assert json.loads(page.context["plan"])["epsilon"] == 0.01
