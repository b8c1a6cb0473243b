"""A refusal for lack of a permit leads to asking for one, and an owner gives it there."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.utils import timezone

from dpgov.audit.models import AuditEntry
from dpgov.datasets import fitting
from dpgov.datasets.models import Dataset, Permit
from dpgov.datasets.rules import Rules
from dpgov.datasets.services import PermitOver, change_policy, permit, permits_of
from dpgov.operation import clock
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.asking.policy import OutsidePolicy
from dpgov.queries.models import BudgetRequest
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.integration.queries.conftest import Filled
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once

ASK, QUOTE = "/datasets/visits/ask/", "/datasets/visits/quote/"


@made_once
def permits_above_04(dataset: Dataset, owner: Membership) -> None:
    rules = Rules(2 * NANO, approval_above_nano=4 * NANO // 10)
    change_policy(dataset=dataset, rules=rules, user=owner.user)


def test_the_refusal_offers_what_fits_and_leads_to_a_request(
    browser: Client, permits_above_04: None, counting: Filled
) -> None:
    """L16: what is offered without a permit is what is accepted; more is asked of the owner."""
    refused = browser.post(QUOTE, counting.posted(epsilon="1")).content.decode()
    assert 'name="fill_epsilon" value="0.4"' in refused
    assert "/datasets/visits/request/?about=permit&amp;epsilon=1" in refused
    assert "Ask the owner for a permit" in refused
    taken = browser.post(QUOTE, counting.posted(epsilon="0.4")).content.decode()
    assert "Ask for ε" in text_of(taken.encode())
    assert "about=permit" not in taken


def test_an_owner_gives_the_permit_and_the_question_is_accepted(
    browser: Client,
    owner: Membership,
    permits_above_04: None,
    counting: Filled,
    client_for: Callable[[Membership], Client],
) -> None:
    """L16: after the permit the same question is accepted, and a nano more refused again."""
    form = text_of(browser.get("/datasets/visits/request/?about=permit&epsilon=1").content)
    assert "Questions up to this pure ε" in form
    sent = {"about": "permit", "epsilon_limit": "1", "reason": "the spring study"}
    assert browser.post("/datasets/visits/request/", sent).status_code == 302
    waiting, owners = BudgetRequest.objects.get(), client_for(owner)
    assert "A permit for questions up to ε 1" in text_of(owners.get("/requests/").content)
    answer = {"decision": "grant", "epsilon_limit": "1", "answer": "for the study"}
    unsaid = owners.post(f"/requests/{waiting.pk}/answer/", answer)
    assert unsaid.status_code == 422
    assert not Permit.objects.exists()
    until = (timezone.now() + timedelta(days=3)).date().isoformat()
    assert owners.post(f"/requests/{waiting.pk}/answer/", answer | {"last_day": until}).status_code
    assert Permit.objects.get().limit_nano == NANO
    assert AuditEntry.objects.latest("pk").action == "QUESTIONS_PERMITTED"
    accepted = browser.post(ASK, counting.posted(epsilon="1", price="1"))
    assert accepted.status_code == 302
    refused = browser.post(QUOTE, counting.posted(epsilon="1.000000001")).content.decode()
    assert 'name="fill_epsilon" value="1"' in refused


def test_a_day_that_is_over_is_refused_at_its_field_and_ends_no_permit_that_holds(
    browser: Client,
    owner: Membership,
    analyst: Membership,
    dataset: Dataset,
    client_for: Callable[[Membership], Client],
) -> None:
    """L16: in both forms and by the service: nothing is logged, and the request still waits."""
    sent = {"about": "permit", "epsilon_limit": "1", "reason": "the spring study"}
    browser.post("/datasets/visits/request/", sent)
    waiting, owners = BudgetRequest.objects.get(), client_for(owner)
    today = clock.today()
    people = {"user": analyst.user, "owner": owner.user}
    known: dict[str, Any] = {"dataset": dataset, "reason": "study", **people}
    permit(**known, limit_nano=NANO // 2, last_day=today)
    entries = AuditEntry.objects.count()
    over = {"last_day": (today - timedelta(days=1)).isoformat()}
    typed = over | {"person": str(analyst.pk), "limit": "1", "reason": "study"}
    answer = over | {"decision": "grant", "epsilon_limit": "1", "answer": "for the study"}
    doors = ("/datasets/visits/policy/permit/", typed), (f"/requests/{waiting.pk}/answer/", answer)
    for door, said in doors:
        refused = owners.post(door, said)
        form = refused.context.get("permit") or refused.context["form"]
        assert refused.status_code == 422
        assert form.errors.keys() == {"last_day"}
        assert "This day is over in UTC." in refused.text
    with pytest.raises(PermitOver):
        permit(**known, limit_nano=NANO, last_day=today - timedelta(days=1))
    held = Permit.objects.get()
    assert (held.limit_nano, held.last_day) == (NANO // 2, today)
    waiting.refresh_from_db()
    assert (waiting.is_waiting, AuditEntry.objects.count()) == (True, entries)


def test_the_request_says_until_when_the_permit_that_answered_it_holds(
    browser: Client,
    owner: Membership,
    analyst: Membership,
    dataset: Dataset,
    client_for: Callable[[Membership], Client],
) -> None:
    """L16: to who asked and to owners; another permit since is not the one that was granted."""
    sent = {"about": "permit", "epsilon_limit": "1", "reason": "the spring study"}
    browser.post("/datasets/visits/request/", sent)
    asked, owners = BudgetRequest.objects.get(), client_for(owner)
    answer = {"decision": "grant", "epsilon_limit": "1", "answer": "go", "last_day": "2099-05-03"}
    assert owners.post(f"/requests/{asked.pk}/answer/", answer).status_code == 302
    for reader in (browser, owners):
        page = text_of(reader.get(f"/requests/{asked.pk}/").content)
        assert "Granted questions up to ε 1, until 3 May 2099" in page
    permit(
        dataset=dataset,
        user=analyst.user,
        owner=owner.user,
        limit_nano=NANO // 2,
        last_day=date(2099, 6, 1),
        reason="less of it",
    )
    page = text_of(browser.get(f"/requests/{asked.pk}/").content)
    assert "Granted questions up to ε 1 Answer" in page


def test_a_permit_is_for_somebody_who_has_been_an_analyst_ever_since(
    dataset: Dataset,
    owner: Membership,
    analyst: Membership,
    permits_above_04: None,
    ask: Ask,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """L39: who left and comes back is nobody's decision; the database says so, too."""

    def given() -> None:
        permit(
            dataset=dataset,
            user=analyst.user,
            owner=owner.user,
            limit_nano=NANO,
            last_day=(timezone.now() + timedelta(days=3)).date(),
            reason="the spring study",
        )

    given()
    ask(analyst)
    assert [one.user for one in permits_of(dataset)] == [analyst.user]
    Membership.objects.filter(pk=analyst.pk).update(role_since=timezone.now())
    with pytest.raises(OutsidePolicy, match="permit"):
        ask(analyst)
    assert permits_of(dataset) == []
    with monkeypatch.context() as blind:
        blind.setattr(fitting, "permitted_to", lambda _user, ids, _day: dict.fromkeys(ids, NANO))
        with pytest.raises(DatabaseError, match="needs a permit"), transaction.atomic():
            ask(analyst)
    given()
    ask(analyst)
