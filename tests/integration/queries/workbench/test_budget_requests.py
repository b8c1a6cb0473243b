"""An analyst asks for budget with a reason; an owner grants, passes on or declines, once."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from dpgov.approvals.models import ChangeRequest
from dpgov.audit.models import AuditEntry
from dpgov.budgets.allocated import allocations_of
from dpgov.budgets.models import Allocation
from dpgov.budgets.words import limit_text
from dpgov.datasets.models import Dataset, Permit
from dpgov.datasets.services import archive_dataset
from dpgov.privacy.accounting.decimals import NANO, as_text
from dpgov.privacy.accounting.loss import PURE, Currency, Mode
from dpgov.queries.models import BudgetRequest
from dpgov.queries.workbench import budget_requests as service
from dpgov.tenants.models import Membership, Role, User
from dpgov.tenants.selectors import actor_of
from dpgov.tenants.services import change_role, remove_member
from tests.cast import join
from tests.integration.queries.conftest import Filled, lower_limit
from tests.integration.queries.web.test_quote_page import text_of
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

ASK = "/datasets/visits/request/"
WANTED = {"about": "allocation", "epsilon_limit": "3", "reason": "the spring study"}


@made_once
def owners(owner: Membership, client_for: Callable[[Membership], Client]) -> Client:
    return client_for(owner)


def asked(browser: Client, **more: str) -> BudgetRequest:
    answer = browser.post(ASK, WANTED | more)
    assert answer.status_code == 302, text_of(answer.content)
    return BudgetRequest.objects.latest("asked_at")


def answered(owners: Client, sent: BudgetRequest, **said: str) -> tuple[int, str]:
    body = {"epsilon_limit": "2", "answer": "for the study", **said}
    answer = owners.post(f"/requests/{sent.pk}/answer/", body)
    page = owners.get(f"/requests/{sent.pk}/")
    return answer.status_code, text_of(answer.content or page.content)


def test_an_owner_grants_less_and_the_analyst_reads_it_and_may_ask(
    browser: Client, owners: Client, analyst: Membership, dataset: Dataset
) -> None:
    Dataset.objects.update(needs_allocation=True)
    sent = asked(browser)
    listed = text_of(owners.get("/requests/").content)
    assert "An allocation of up to ε 3 Visits Anna" in listed
    assert "Requests for budget 1 waiting for you" in listed
    assert answered(owners, sent, decision="grant")[0] == 302
    said = text_of(browser.get(f"/requests/{sent.pk}/").content)
    assert "State Granted Wanted up to ε 3 in all Reason the spring study" in said
    assert "Granted up to ε 2 in all Answer for the study" in said
    (grant,) = allocations_of(analyst.user, dataset.budget_id, needed=False)
    assert grant.budget.limit_nano == 2 * NANO
    entry = AuditEntry.objects.latest("pk")
    assert entry.action == "BUDGET_ALLOCATED"
    assert "anna@harbour.example.org: the spring study" in str(entry.detail)


def test_a_higher_limit_is_passed_on_to_where_two_persons_decide(
    browser: Client, owners: Client, dataset: Dataset
) -> None:
    sent = asked(browser, about="limit", epsilon_limit="20")
    assert answered(owners, sent, decision="pass_on", epsilon_limit="15")[0] == 302
    change = ChangeRequest.objects.get()
    assert change.payload["after_nano"] == 15 * NANO
    assert "the spring study" in change.reason
    dataset.budget.refresh_from_db()
    assert dataset.budget.limit_nano == 10 * NANO
    assert "Passed on to a compliance officer" in text_of(
        browser.get(f"/requests/{sent.pk}/").content
    )


@pytest.mark.parametrize("currency", [PURE, Currency(Mode.ZCDP, Decimal("1e-6"))])
def test_a_higher_limit_is_above_the_present_one(
    browser: Client, analyst: Membership, owner: Membership, currency: Currency
) -> None:
    """What nobody could grant is not asked for; a little above may be, in both modes."""
    of = register_small_dataset(owner, name="Visits", currency=currency)
    present = of.budget.limit_epsilon_nano
    ask = f"/datasets/{of.slug}/request/"
    for nano in (present // 2, present):
        typed = {"about": "limit", "epsilon_limit": as_text(nano), "reason": "the spring study"}
        refused = browser.post(ask, typed)
        assert refused.status_code == 422
        assert refused.context["form"].errors.keys() == {"epsilon_limit"}
        assert f"The limit is {limit_text(of.budget)} already: ask for more." in refused.text
    assert not BudgetRequest.objects.exists()
    typed["epsilon_limit"] = as_text(present + NANO // 10)
    assert browser.post(ask, typed).status_code == 302


def test_a_no_comes_with_its_reason_and_gives_nothing(
    browser: Client, owners: Client, analyst: Membership, dataset: Dataset
) -> None:
    sent = asked(browser)
    assert answered(owners, sent, decision="decline", epsilon_limit="")[0] == 302
    assert "Answer for the study" in text_of(browser.get(f"/requests/{sent.pk}/").content)
    assert AuditEntry.objects.latest("pk").action == "BUDGET_REQUEST_DECLINED"
    assert allocations_of(analyst.user, dataset.budget_id, needed=False) == []


def test_more_than_was_asked_for_is_taken_for_a_slip(
    browser: Client, owners: Client, analyst: Membership, dataset: Dataset
) -> None:
    sent = asked(browser)
    status, said = answered(owners, sent, decision="grant", epsilon_limit="30")
    assert status == 422
    assert "That is more than the ε 3 that was asked for." in said
    assert allocations_of(analyst.user, dataset.budget_id, needed=False) == []


def test_a_request_about_an_archived_dataset_can_be_declined_alone(
    browser: Client, owners: Client, analyst: Membership, owner: Membership, dataset: Dataset
) -> None:
    sent = asked(browser)
    archive_dataset(dataset=dataset, user=owner.user)
    page = owners.get(f"/requests/{sent.pk}/").content.decode()
    assert 'value="grant"' not in page
    status, said = answered(owners, sent, decision="grant")
    assert (status, "nothing can be granted" in said) == (422, True)
    assert allocations_of(analyst.user, dataset.budget_id, needed=False) == []
    assert answered(owners, sent, decision="decline", epsilon_limit="")[0] == 302


@pytest.mark.parametrize("what", ["removed", "suspended", "moved", "came again"])
@pytest.mark.parametrize(
    ("about", "said"),
    [
        ("allocation", {"decision": "grant"}),
        ("permit", {"decision": "grant", "last_day": "2099-01-01"}),
        ("limit", {"decision": "pass_on", "epsilon_limit": "15"}),
    ],
)
def test_nothing_is_given_to_whoever_is_no_longer_who_asked(
    browser: Client,
    owners: Client,
    analyst: Membership,
    admin: Membership,
    dataset: Dataset,
    what: str,
    about: str,
    said: Any,
) -> None:
    """L9: the request ends, with an entry of its own, and neither allocation nor permit is made."""
    sent = asked(browser, about=about, epsilon_limit="20" if about == "limit" else "1")
    actor = actor_of(admin.user)
    if what == "suspended":
        User.objects.filter(pk=analyst.user_id).update(is_active=False)
    elif what == "moved":
        change_role(membership=analyst, role=Role.ADMIN, actor=actor)
        change_role(membership=analyst, role=Role.ANALYST, actor=actor)
    else:
        remove_member(membership=analyst, actor=actor)
    if what == "came again":
        Membership.objects.create(tenant=analyst.tenant, user=analyst.user, role=Role.ANALYST)
    status, page = answered(owners, sent, **{"epsilon_limit": "1", **said})
    assert (status, "State Out of date" in page) == (302, True)
    assert "was removed, suspended or given another role" in page
    assert AuditEntry.objects.latest("pk").action == "BUDGET_REQUEST_LAPSED"
    given = (Permit.objects, Allocation.objects, ChangeRequest.objects)
    assert [rows.count() for rows in given] == [0, 0, 0]
    again = answered(owners, sent, **{"epsilon_limit": "1", **said})
    assert "was answered before: out of date" in again[1]


def test_a_second_answer_is_refused_and_changes_nothing(
    browser: Client, owners: Client, analyst: Membership, dataset: Dataset
) -> None:
    sent = asked(browser)
    answered(owners, sent, decision="decline")
    before = AuditEntry.objects.count()
    status, said = answered(owners, sent, decision="grant")
    assert status == 422
    assert "was answered before: declined. Nothing was changed." in said
    assert AuditEntry.objects.count() == before
    assert allocations_of(analyst.user, dataset.budget_id, needed=False) == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"decision": "grant", "answer": ""}, "Give the analyst a reason."),
        ({"decision": "grant", "epsilon_limit": ""}, "Type how much ε they may use"),
        ({"decision": ""}, "Press one of the buttons."),
        ({"decision": "pass_on"}, "Analysts ask for budget, and data owners answer."),
    ],
)
def test_an_incomplete_answer_says_what_is_missing(
    browser: Client, owners: Client, dataset: Dataset, said: dict[str, str], told: str
) -> None:
    sent = asked(browser)
    status, text = answered(owners, sent, **said)
    assert (status, told in text) == (422, True)
    sent.refresh_from_db()
    assert sent.is_waiting


def test_the_same_waits_once_and_after_withdrawing_it_may_be_asked_anew(
    browser: Client, dataset: Dataset
) -> None:
    sent = asked(browser)
    again = browser.post(ASK, WANTED)
    assert again.status_code == 422
    assert "no owner has answered yet" in text_of(again.content)
    said = text_of(browser.post(f"/requests/{sent.pk}/withdraw/", follow=True).content)
    assert "State Withdrawn" in said
    assert AuditEntry.objects.latest("pk").action == "BUDGET_REQUEST_WITHDRAWN"
    assert asked(browser).pk != sent.pk


def test_a_colleague_sees_nothing_of_it(
    browser: Client,
    analyst: Membership,
    dataset: Dataset,
    client_for: Callable[[Membership], Client],
) -> None:
    """H1: within a tenant, analysts see their own requests only."""
    sent = asked(browser)
    colleague = client_for(join(analyst.tenant, Role.ANALYST, "carl"))
    assert "Visits" not in text_of(colleague.get("/requests/").content)
    assert colleague.get(f"/requests/{sent.pk}/").status_code == 404
    assert colleague.post(f"/requests/{sent.pk}/withdraw/").status_code == 404


def test_only_analysts_ask_and_only_owners_answer(
    analyst: Membership, owner: Membership, officer: Membership, dataset: Dataset
) -> None:
    """The services check the role themselves, whatever door they are called through."""
    wanted: dict[str, Any] = {
        "dataset": dataset,
        "about": "limit",
        "epsilon_nano": 20 * NANO,
        "reason": "x",
    }
    with pytest.raises(service.MayNot):
        service.ask_for_budget(membership=owner, **wanted)
    sent = service.ask_for_budget(membership=analyst, **wanted)
    with pytest.raises(service.MayNot):
        service.decline_request(membership=officer, request_id=sent.pk, answer="no")


def test_the_database_knows_no_half_answered_request(browser: Client, dataset: Dataset) -> None:
    sent = asked(browser)
    for change in ({"state": "declined"}, {"granted_nano": 5}, {"epsilon_nano": 0}):
        with pytest.raises(IntegrityError), transaction.atomic():
            BudgetRequest.objects.filter(pk=sent.pk).update(**change)


def test_a_refusal_leads_to_a_request_with_the_amount_that_would_do(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    lower_limit(dataset, 300_000_000)
    page = browser.post("/datasets/visits/quote/", counting.posted()).content.decode()
    assert f"{ASK}?about=limit&amp;epsilon=0.5" in page
    form = browser.get(f"{ASK}?about=limit&epsilon=0.5").content.decode()
    assert 'value="0.5"' in form
    assert '<option value="limit" selected>' in form


def test_without_an_allocation_the_request_is_for_one(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    Dataset.objects.update(needs_allocation=True)
    page = browser.post("/datasets/visits/quote/", counting.posted()).content.decode()
    assert f"{ASK}?about=allocation&amp;epsilon=0.5" in page


def test_beyond_the_limit_of_one_question_no_request_helps(
    browser: Client, dataset: Dataset, counting: Filled
) -> None:
    page = browser.post("/datasets/visits/quote/", counting.posted(epsilon="3")).content.decode()
    assert "One question on this dataset may cost at most" in page
    assert ASK not in page


def test_the_list_takes_few_statements(
    browser: Client, owners: Client, dataset: Dataset, django_assert_max_num_queries: Any
) -> None:
    asked(browser)
    asked(browser, about="limit", epsilon_limit="20")
    with django_assert_max_num_queries(12):
        owners.get("/requests/")
    with django_assert_max_num_queries(12):
        owners.get(f"/requests/{BudgetRequest.objects.latest('asked_at').pk}/")
