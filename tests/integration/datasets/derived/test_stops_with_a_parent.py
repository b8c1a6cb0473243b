"""M67: a pause of a parent stops what was derived from it, and every page says so.

What could mislead: a page that offers a question which every door refuses.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from rest_framework.test import APIClient

from dpgov.datasets.lineage import paused_by
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import datasets_of
from dpgov.datasets.services import pause_questions, resume_questions
from dpgov.datasets.status import Status, status_now
from dpgov.queries.asking.approval import NotAsApproved
from dpgov.queries.models import BudgetRequest, Query
from dpgov.queries.workbench.approvals import ApprovalStanding
from dpgov.tenants.models import Membership
from tests.integration.datasets.derived.family import derived
from tests.integration.queries.asking.approving import approved, ask, needs_approval
from tests.integration.queries.ready_made.published import published
from tests.made_once import made_once

Pair = tuple[Dataset, Dataset]
Ask = Callable[..., Query]
SignIn = Callable[[Membership], Client]
REASON = "a mistake in the file"


def _text(browser: Client, name: str, *args: object) -> str:
    page: Any = browser.get(reverse(name, args=args))
    assert page.status_code == 200
    return " ".join(page.content.decode().split())


@made_once
def paused(owner: Membership, both: Dataset, visits_and_costs: Pair) -> Dataset:
    """The derived one, of which the second parent is paused."""
    pause_questions(dataset=visits_and_costs[1], user=owner.user, reason=REASON)
    return Dataset.objects.get(pk=both.pk)


def test_the_first_that_is_paused_is_named(
    owner: Membership, paused: Dataset, visits_and_costs: Pair
) -> None:
    """Its own pause before that of a parent; none after all have ended."""
    visits, costs = visits_and_costs

    def now() -> Dataset | None:
        return paused_by(Dataset.objects.get(pk=paused.pk))

    assert now() == costs
    assert status_now(paused) is Status.PAUSED
    assert paused_by(visits) is None
    pause_questions(dataset=visits, user=owner.user, reason=REASON)
    assert now() == visits
    pause_questions(dataset=paused, user=owner.user, reason=REASON)
    assert now() == paused
    for one in (paused, visits, costs):
        resume_questions(dataset=one, user=owner.user)
    assert now() is None


@pytest.mark.parametrize(
    "page", ["datasets:detail", "queries:ask", "queries:ask_sql", "queries:ready_made"]
)
def test_its_pages_say_that_questions_wait_and_lead_to_the_parent(
    analyst: Membership, client_for: SignIn, paused: Dataset, page: str
) -> None:
    """Why, and where it is ended; there is nothing to resume of its own."""
    text = _text(client_for(analyst), page, paused.slug)
    assert "All questions about this dataset have been paused since" in text
    assert f"Reason: <q>{REASON}</q>" in text
    assert f'href="{reverse("datasets:detail", args=["costs"])}">Costs</a>' in text


def test_its_page_offers_no_question_and_its_chip_says_paused(
    analyst: Membership, client_for: SignIn, paused: Dataset
) -> None:
    """As of a dataset that is paused itself."""
    browser = client_for(analyst)
    for page in ("datasets:detail", "dashboards:budget"):
        text = _text(browser, page, paused.slug)
        ask = reverse("queries:ask", args=[paused.slug])
        assert f'class="btn btn-primary" href="{ask}"' not in text
        assert "Paused" in text
    assert "Paused" in _text(browser, "datasets:list")


def test_its_settings_do_not_say_that_questions_are_answered(
    owner: Membership, client_for: SignIn, paused: Dataset
) -> None:
    """It can still be paused itself, to stay so when the parent goes on; not resumed."""
    text = _text(client_for(owner), "datasets:settings", paused.slug)
    assert "Questions are accepted and answered." not in text
    assert "Questions wait while those about Costs are paused." in text
    assert reverse("datasets:pause", args=[paused.slug]) in text
    assert reverse("datasets:resume", args=[paused.slug]) not in text


def test_a_question_that_waits_says_for_what(
    owner: Membership,
    analyst: Membership,
    client_for: SignIn,
    both: Dataset,
    visits_and_costs: Pair,
    ask: Ask,
) -> None:
    query = ask(analyst, of=both)
    pause_questions(dataset=visits_and_costs[0], user=owner.user, reason=REASON)
    text = _text(client_for(analyst), "queries:detail", query.pk)
    assert "Questions about Visits, which this dataset was derived from, are paused" in text
    assert reverse("queries:cancel", args=[query.pk]) in text


def test_an_approval_cannot_be_used_meanwhile(paused: Dataset) -> None:
    """The page has no button, and the API says so."""
    assert not ApprovalStanding(BudgetRequest(dataset=paused), "").can_be_asked


def test_no_ready_made_question_is_offered(
    owner: Membership, analyst: Membership, client_for: SignIn, paused: Dataset
) -> None:
    plan = {"statistics": [{"statistic": "count"}], "epsilon": 0.1}
    offered = published(owner, paused, plan=plan, parameters=[])
    text = _text(client_for(analyst), "queries:ready_made", paused.slug)
    assert offered.name in text
    assert reverse("queries:ready_made_ask", args=[paused.slug, offered.pk]) not in text


def test_the_page_of_a_pause_names_what_stops_with_it(
    owner: Membership, client_for: SignIn, both: Dataset
) -> None:
    browser = client_for(owner)
    text = _text(browser, "datasets:pause", "visits")
    assert "This was derived from it and stops with it: Visits and costs." in text
    assert "derived from it" not in _text(browser, "datasets:pause", both.slug)


def test_the_api_says_the_same(
    analyst: Membership, api_for: Callable[[Membership], APIClient], paused: Dataset
) -> None:
    found: Any = api_for(analyst).get(f"/api/v1/datasets/{paused.slug}/budget/")
    assert found.json()["paused"] is True


def test_a_list_of_many_asks_once_for_all_their_parents(
    owner: Membership, analyst: Membership, client_for: SignIn, paused: Dataset
) -> None:
    """E11: as many statements for three derived datasets as for one."""
    pages = [(owner, "datasets:list"), (analyst, "datasets:list"), (analyst, "datasets:find")]
    pages += [(owner, "dashboards:home"), (analyst, "dashboards:home")]
    pages += [(owner, "dashboards:portfolio")]
    before = [_statements(client_for(who), page) for who, page in pages]
    for name in ("Another", "A third"):
        derived(owner, name=name)
    assert datasets_of(owner).count() == 5
    assert [_statements(client_for(who), page) for who, page in pages] == before


def _statements(browser: Client, page: str) -> int:
    browser.get(reverse(page))
    with CaptureQueriesContext(connection) as captured:
        browser.get(reverse(page))
    return len(captured)


def test_an_approval_ends_with_a_pause_of_a_parent(
    analyst: Membership, owner: Membership, both: Dataset, visits_and_costs: Pair
) -> None:
    """L40, M67: as with one of its own, also when it is over."""
    needs_approval(both)
    approval = approved(analyst, owner, both)
    pause_questions(dataset=visits_and_costs[1], user=owner.user, reason=REASON)
    resume_questions(dataset=visits_and_costs[1], user=owner.user)
    with pytest.raises(NotAsApproved, match="were paused since"):
        ask(analyst, approval)


def test_the_api_says_that_questions_wait_and_asks_once_for_a_whole_list(
    owner: Membership,
    analyst: Membership,
    both: Dataset,
    visits_and_costs: Pair,
    ask: Ask,
    api_for: Callable[[Membership], APIClient],
) -> None:
    """M67: by as many statements of a list, however many of its questions wait."""
    api = api_for(analyst)

    def listed() -> tuple[list[bool], int]:
        with CaptureQueriesContext(connection) as asked:
            found = api.get("/api/v1/queries/").json()["results"]
        return [one["paused"] for one in found], len(asked)

    ask(analyst, of=both)
    assert listed()[0] == [False]
    pause_questions(dataset=visits_and_costs[1], user=owner.user, reason=REASON)
    one = listed()
    resume_questions(dataset=visits_and_costs[1], user=owner.user)
    ask(analyst, of=both)
    pause_questions(dataset=visits_and_costs[1], user=owner.user, reason=REASON)
    assert (one, listed()) == (([True], one[1]), ([True, True], one[1]))
