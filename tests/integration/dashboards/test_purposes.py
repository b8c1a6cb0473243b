"""By purpose: what allocations were granted for, what they took, and the questions behind it."""

from collections.abc import Callable

import pytest
from django.test import Client

from dpgov.budgets.services.allocations import allocate
from dpgov.dashboards import purposes
from dpgov.dashboards.purposes import purposes_of
from dpgov.datasets.models import Dataset
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import BudgetRequest
from dpgov.queries.workbench.budget_requests import ask_for_budget, grant_request
from dpgov.tenants.models import Membership, Project
from dpgov.tenants.selectors import actor_of
from tests.cast import Ask
from tests.integration.dashboards.reading import figure, page
from tests.made_once import made_once

ClientFor = Callable[[Membership], Client]


@made_once
def granted(
    ask: Ask, answer_all: Callable[[], int], dataset: Dataset, owner: Membership,
    analyst: Membership, colleague: Membership, project: Project,
) -> None:  # fmt: skip
    """Anna's project on falls took 0.5 and holds 0.125, Carla's own work 0.25, nobody's 1."""
    ask(analyst, epsilon=1)
    actor = actor_of(owner.user)
    allocate(
        dataset_budget=dataset.budget, holder=project, limit_nano=2 * NANO, actor=actor,
        reason="falls",
    )  # fmt: skip
    own = ask_for_budget(
        membership=colleague, dataset=dataset, about="allocation", epsilon_nano=NANO,
        reason="a thesis",
    )  # fmt: skip
    grant_request(membership=owner, request_id=own.pk, limit_nano=NANO, answer="yes")
    ask(analyst, epsilon=0.5)
    ask(colleague, epsilon=0.25)
    answer_all()
    ask(analyst, epsilon=0.125)


def test_a_budget_is_split_by_what_its_allocations_were_granted_for(
    granted: None, dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    found = client_for(owner).get(f"/datasets/{dataset.slug}/budget/").context["by_purpose"]
    assert [(one.name, one.spent_nano / NANO, one.reserved_nano / NANO) for one in found] == [
        ("falls", 0.5, 0.125),
        ("a thesis", 0.25, 0),
        ("No stated purpose", 1, 0),
    ]


def test_every_bar_leads_to_the_questions_that_it_counts(
    granted: None, dataset: Dataset, officer: Membership, client_for: ClientFor
) -> None:
    """E13: and so do the names in the table beside it."""
    browser = client_for(officer)
    html = page(browser, f"/datasets/{dataset.slug}/budget/")
    spent = figure(html, "by-purpose")["data"][0]
    numbers = [
        len(browser.get(link).context["table"].rows) for link in reversed(spent["meta"]["links"])
    ]
    assert numbers == [2, 1, 1]
    assert f"?dataset={dataset.pk}&amp;range=30&amp;purpose=falls#" in html


def test_purposes_are_for_who_may_see_every_allocation(
    granted: None, dataset: Dataset, analyst: Membership, colleague: Membership,
    client_for: ClientFor,
) -> None:  # fmt: skip
    """E13: not on the page of the budget, and no filter finds by them."""
    for who in (analyst, colleague):
        browser = client_for(who)
        response = browser.get(f"/datasets/{dataset.slug}/budget/")
        assert response.context["by_purpose"] == []
        assert "falls" not in response.text
        listed = browser.get("/history/?purpose=falls").context
        assert len(listed["table"].rows) == len(browser.get("/history/").context["table"].rows)
        assert "purpose" not in listed["filter"].filters


def test_purposes_of_another_organisation_are_no_choice(
    granted: None, stranger: Membership, client_for: ClientFor
) -> None:
    """H1: theirs are not read, and ours are not offered to them."""
    assert purposes_of(stranger.tenant_id) == []
    assert "purpose" not in client_for(stranger).get("/history/").context["filter"].filters
    assert BudgetRequest.objects.count() == 1


def test_of_thousands_of_purposes_those_used_lately_are_offered_and_a_link_finds_any(
    granted: None, officer: Membership, client_for: ClientFor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """E11: each allocation may have a purpose of its own."""
    monkeypatch.setattr(purposes, "_NEWEST", 1)
    assert purposes_of(officer.tenant_id) == ["a thesis"]
    browser = client_for(officer)
    for address, offered in (("", False), ("?purpose=falls", True)):
        found = browser.get(f"/history/{address}")
        assert ('<option value="falls" selected>' in found.content.decode()) is offered
        assert len(found.context["table"].rows) == (2 if offered else 4)
