"""What a question that waits in a pause looks like in the API, and how it is cancelled there; and
what one looks like that waits for an officer after a restore.

What could leak: whether a worker had come to it, outside a pause or to whom it does not belong.
What could overspend: a hold that comes back of a question that is charged.
"""

from collections.abc import Callable

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.budgets.models import Budget
from dpgov.budgets.services import confirm_budget, freeze_tenant
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import pause_questions, resume_questions
from dpgov.queries.answering.looking import pause_before_next_look
from dpgov.queries.answering.restored import end_what_waited
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership, Role
from dpgov.tenants.selectors import actor_of
from tests.cast import Ask, answer_query, join, publish_now
from tests.made_once import made_once

pytestmark = pytest.mark.django_db(transaction=True)
ApiFor = Callable[[Membership], APIClient]


def pause(dataset: Dataset, owner: Membership) -> None:
    pause_questions(dataset=dataset, user=owner.user, reason="a doubt")


@made_once
def waiting(ask: Ask, analyst: Membership, owner: Membership, dataset: Dataset) -> Query:
    """A question that waits in a pause."""
    asked = ask(analyst)
    pause(dataset, owner)
    return asked


def address(query: Query) -> str:
    return f"/api/v1/queries/{query.pk}/"


def cancelled(api: APIClient, query: Query, **body: str) -> tuple[int, str]:
    """The status, and the state or why not."""
    answer = api.post(f"{address(query)}cancel/", body, format="json")
    found = answer.json()
    return answer.status_code, found["errors"][0]["code"] if "errors" in found else found["state"]


def reserved_and_spent(dataset: Dataset) -> tuple[int, int]:
    budget = Budget.objects.get(pk=dataset.budget_id)
    return budget.reserved_nano, budget.spent_nano


def test_in_a_pause_no_moment_is_promised_and_nobody_has_to_ask_often(
    waiting: Query, analyst: Membership, owner: Membership, dataset: Dataset, api_for: ApiFor
) -> None:
    """L27: and when it goes on, a moment is told again."""
    api = api_for(analyst)
    answer = api.get(address(waiting))
    assert (answer.json()["paused"], answer.json()["due_at"]) == (True, None)
    assert answer.headers["Retry-After"] == "10"
    resume_questions(dataset=dataset, user=owner.user)
    found = api.get(address(waiting)).json()
    assert found["paused"] is False
    assert found["due_at"] is not None


def test_a_pause_looks_the_same_whatever_was_done_for_the_question(
    ask: Ask, analyst: Membership, owner: Membership, dataset: Dataset, api_for: ApiFor
) -> None:
    """E8: sealed before it or not begun."""
    untouched, sealed = ask(analyst), ask(analyst)
    answer_query(sealed.pk)
    pause(dataset, owner)
    api = api_for(analyst)
    told = [api.get(address(one)).json() for one in (untouched, sealed)]
    assert [(one["state"], one["paused"], one["due_at"]) for one in told] == [
        ("waiting", True, None)
    ] * 2
    looks = {pause_before_next_look(Query.objects.get(pk=one.pk)) for one in (untouched, sealed)}
    assert len(looks) == 1


def test_what_has_ended_is_not_paused(
    ask: Ask, analyst: Membership, owner: Membership, dataset: Dataset, api_for: ApiFor
) -> None:
    ended = ask(analyst)
    answer_query(ended.pk)
    assert publish_now() == 1
    pause(dataset, owner)
    answer = api_for(analyst).get(address(ended))
    assert (answer.json()["state"], answer.json()["paused"]) == ("released", False)
    assert "Retry-After" not in answer.headers


def test_after_a_restore_no_moment_is_promised_until_an_officer_confirmed_the_balances(
    ask: Ask, analyst: Membership, officer: Membership, dataset: Dataset, api_for: ApiFor
) -> None:
    """A9, E8: nor does it show whether a worker had come to it."""
    api, untouched, sealed = api_for(analyst), ask(analyst), ask(analyst)
    answer_query(sealed.pk)
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
    for one in (untouched, sealed):
        answer = api.get(address(one))
        told = answer.json()
        assert (told["state"], told["paused"], told["due_at"]) == ("waiting", False, None)
        assert answer.headers["Retry-After"] == "10"
    confirm_budget(budget=dataset.budget, actor=actor_of(officer.user), reason="compared")
    assert api.get(address(untouched)).json()["due_at"] is not None


def test_after_a_restore_its_page_names_for_whom_it_waits(
    waiting: Query, analyst: Membership, client_for: Callable[[Membership], Client]
) -> None:
    """A9: in a pause as well, whose end would let nothing go on."""
    page = reverse("queries:detail", args=[waiting.pk])
    browser = client_for(analyst)
    before = browser.get(page).content.decode()
    freeze_tenant(tenant_id=waiting.tenant_id, reason="restored")
    shown = browser.get(page).content.decode()
    assert "a compliance officer" in shown
    for promise in ("appears here by itself", "when they resume"):
        assert promise in before
        assert promise not in shown


@pytest.mark.parametrize("who", ["analyst", "owner"])
def test_it_is_cancelled_by_whom_the_page_lets_and_its_hold_comes_back(
    waiting: Query,
    dataset: Dataset,
    request: pytest.FixtureRequest,
    api_for: ApiFor,
    who: str,
) -> None:
    """L27: who lost the answer sends it again, also after the pause, and reads the same."""
    api = api_for(request.getfixturevalue(who))
    assert cancelled(api, waiting) == (200, "voided")
    assert reserved_and_spent(dataset) == (0, 0)
    assert cancelled(api, waiting) == (200, "voided")
    resume_questions(dataset=dataset, user=request.getfixturevalue("owner").user)
    assert cancelled(api, waiting) == (200, "voided")


def test_nobody_else_cancels_it(
    waiting: Query, officer: Membership, stranger: Membership, api_for: ApiFor
) -> None:
    """L27"""
    assert cancelled(api_for(officer), waiting) == (403, "permission_denied")
    for person in (stranger, join(waiting.tenant, Role.ANALYST, "ada")):
        assert cancelled(api_for(person), waiting) == (404, "not_found")
    waiting.refresh_from_db()
    assert waiting.state == Query.State.QUEUED


def test_outside_a_pause_and_once_it_was_opened_it_goes_on(
    ask: Ask, analyst: Membership, owner: Membership, dataset: Dataset, api_for: ApiFor
) -> None:
    """L27: what was opened is charged."""
    api, sealed = api_for(analyst), ask(analyst)
    assert cancelled(api, sealed) == (409, "not_paused")
    answer_query(sealed.pk)
    pause(dataset, owner)
    assert cancelled(api, sealed, reason="x") == (400, "invalid")
    assert cancelled(api, sealed) == (409, "too_late")
    resume_questions(dataset=dataset, user=owner.user)
    assert publish_now() == 1
    assert reserved_and_spent(dataset) == (0, 500_000_000)


def test_what_a_restore_charged_is_not_said_to_have_cost_nothing(
    waiting: Query, officer: Membership, analyst: Membership, api_for: ApiFor
) -> None:
    """A9: it was charged unopened, because it may have been answered in what the backup lacks."""
    budget = waiting.dataset.budget
    freeze_tenant(tenant_id=waiting.tenant_id, reason="restored")
    with transaction.atomic():
        end_what_waited(budget_id=budget.pk, actor=actor_of(officer.user))
        confirm_budget(
            budget=budget, actor=actor_of(officer.user), reason="nothing else is missing"
        )
    refused = api_for(analyst).post(f"/api/v1/queries/{waiting.pk}/cancel/", {}, format="json")
    assert reserved_and_spent(waiting.dataset) == (0, 500_000_000)
    assert "may have been answered before that, and was charged" in refused.content.decode()
