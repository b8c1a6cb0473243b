"""What the two persons see, and what the pages let them do."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from dpgov.approvals.kinds import Effect
from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import request_change
from dpgov.budgets.models import Budget
from dpgov.budgets.services import freeze_tenant
from dpgov.budgets.services.raising import request_raise
from dpgov.datasets.models import Dataset
from dpgov.datasets.services.held.deciding import RELEASE_HELD_DATASET
from dpgov.oversight.web import approvals
from dpgov.privacy.accounting.loss import Currency, Mode
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.answers import Answer
from tests.cast import answer_now
from tests.declared import declare_otherwise
from tests.integration.budgets.test_refunds import spoil
from tests.made_once import made_once
from tests.small_dataset import register_small_dataset

NANO = 10**9
RHO = Currency(Mode.ZCDP, Decimal("1e-6"))
ClientFor = Callable[[Membership], Client]
Asking = Callable[..., Query]


def text(answer: Answer, status: int = 200) -> str:
    assert answer.status_code == status
    return " ".join(answer.content.decode().split())


def address(name: str, change: ChangeRequest) -> str:
    return reverse(f"oversight:{name}", args=[change.pk])


@made_once
def raise_to_15(dataset: Dataset, owner: Membership) -> ChangeRequest:
    return request_raise(
        membership=owner, budget=dataset.budget, limit_nano=15 * NANO, reason="a second wave"
    )


def test_a_raise_is_requested_only_after_the_page_said_what_it_means(
    dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    """F8: first what it means for a person in the data, for this very number; then the request."""
    browser, url = client_for(owner), reverse("limits:raise_limit", args=[dataset.slug])
    typed = {"epsilon_limit": "15", "reason": "a second wave"}
    told = text(browser.post(url, typed))
    assert "the guarantee weakens from ε 10 to ε 15" in told
    assert not ChangeRequest.objects.exists()
    text(browser.post(url, typed | {"confirmed": "12000000000"}))
    assert not ChangeRequest.objects.exists()
    sent = browser.post(url, typed | {"confirmed": "15000000000"}, follow=True)
    assert "Another person has to approve it" in text(sent)
    assert ChangeRequest.objects.get().payload["after_nano"] == 15 * NANO
    assert Budget.objects.get(pk=dataset.budget_id).limit_nano == 10 * NANO
    assert "requested already" in text(browser.get(url))


def test_both_persons_are_told_whether_people_or_single_rows_are_protected(
    dataset: Dataset,
    raise_to_15: ChangeRequest,
    owner: Membership,
    officer: Membership,
    client_for: ClientFor,
) -> None:
    """F8: what protects rows says nothing of a person, who may have many of them."""
    typed = {"epsilon_limit": "15", "reason": "a second wave"}
    url = reverse("limits:raise_limit", args=[dataset.slug])

    def told() -> tuple[str, str]:
        decided = client_for(officer).get(address("approval", raise_to_15))
        return text(client_for(owner).post(url, typed)), text(decided)

    for of_rows in told():
        assert "as likely as not that a certain row is in the data" in of_rows
        assert "because of one row" in of_rows
    declare_otherwise(Dataset.objects.filter(pk=dataset.pk), unit="person", private_id="age")
    for of_people in told():
        assert "as likely as not that a certain person is in the data" in of_people
        assert "because of one person" in of_people
    declare_otherwise(Dataset.objects.filter(pk=dataset.pk), neighbouring="change_one")
    for of_values in told():
        assert "as likely as not that a certain person has these values and not those" in of_values
        assert "is in the data" not in of_values


def test_a_raised_epsilon_delta_limit_says_what_its_rho_means(
    owner: Membership, officer: Membership, client_for: ClientFor
) -> None:
    """L20: of ε 3 at δ 1e-6 odds move 29.46 times and a guess to 96.72%, not e³ and 95.26%."""
    dataset = register_small_dataset(owner, name="Ward", limit_nano=NANO, currency=RHO)
    change = request_raise(
        membership=owner, budget=dataset.budget, limit_nano=3 * NANO, reason="a second wave"
    )
    asked = client_for(owner).post(
        reverse("limits:raise_limit", args=[dataset.slug]),
        {"epsilon_limit": "3", "reason": "a second wave"},
    )
    decided = client_for(officer).get(address("approval", change))
    for told in (text(asked), text(decided)):
        assert "29.5 times as likely" in told
        assert "96.72% certain" in told
        assert "but for a probability of δ 1e-6" in told
        assert "20.09" not in told


@pytest.mark.parametrize("typed", ["10", "9", "", "NaN", "1e400"])
def test_a_limit_that_is_no_raise_is_refused_at_its_field(
    typed: str, dataset: Dataset, owner: Membership, client_for: ClientFor
) -> None:
    """A5, F8"""
    url = reverse("limits:raise_limit", args=[dataset.slug])
    answer = client_for(owner).post(url, {"epsilon_limit": typed, "reason": "more"})
    assert "id_epsilon_limit_error" in text(answer, 422)
    assert not ChangeRequest.objects.exists()


def test_the_officer_sees_what_waits_and_approves_it(
    raise_to_15: ChangeRequest, officer: Membership, client_for: ClientFor, dataset: Dataset
) -> None:
    """F8: badge, list, before and after, reason, decision, history."""
    browser = client_for(officer)
    overview = text(browser.get("/"))
    assert 'text-bg-warning">1<span class="visually-hidden"> waiting for you' in overview
    listed = text(browser.get(reverse("oversight:approvals")))
    assert "Raise the limit of visits from ε 10 to ε 15" in listed
    shown = text(browser.get(address("approval", raise_to_15)))
    assert "a second wave" in shown
    assert "Approve and carry out" in shown
    refused = browser.post(address("approve", raise_to_15), {"reason": " "})
    assert "Give a reason" in text(refused, 422)
    done = browser.post(address("approve", raise_to_15), {"reason": "agreed"}, follow=True)
    assert "Approved and carried out." in text(done)
    assert "agreed" in text(done)
    assert Budget.objects.get(pk=dataset.budget_id).limit_nano == 15 * NANO
    assert 'visually-hidden"> waiting for you' not in text(browser.get("/"))
    again = browser.post(address("approve", raise_to_15), {"reason": "agreed"})
    assert "was decided before" in text(again, 422)


def test_who_asked_is_offered_to_withdraw_and_not_to_decide(
    raise_to_15: ChangeRequest, owner: Membership, officer: Membership, client_for: ClientFor
) -> None:
    """F8"""
    browser = client_for(owner)
    shown = text(browser.get(address("approval", raise_to_15)))
    assert "Withdraw my request" in shown
    assert "Approve and carry out" not in shown
    assert "Oscar (Compliance officer) can decide this" in shown
    own = browser.post(address("approve", raise_to_15), {"reason": "mine"})
    assert "another person has to decide" in text(own, 422)
    text(browser.post(address("withdraw", raise_to_15), follow=True))
    assert ChangeRequest.objects.get().state == "withdrawn"


def test_a_tenant_with_one_officer_is_told_what_to_do(
    dataset: Dataset, officer: Membership, client_for: ClientFor
) -> None:
    """F8"""
    change = request_raise(
        membership=officer, budget=dataset.budget, limit_nano=15 * NANO, reason="more"
    )
    shown = text(client_for(officer).get(address("approval", change)))
    assert "Nobody here can decide this yet" in shown
    assert "a second compliance officer" in shown


def test_a_rejection_changes_nothing(
    raise_to_15: ChangeRequest, officer: Membership, client_for: ClientFor, dataset: Dataset
) -> None:
    """F8"""
    done = client_for(officer).post(
        address("reject", raise_to_15), {"reason": "not justified"}, follow=True
    )
    assert "Rejected. Nothing was changed." in text(done)
    assert Budget.objects.get(pk=dataset.budget_id).limit_nano == 10 * NANO


def test_what_is_shown_once_is_on_no_later_page(
    owner: Membership,
    officer: Membership,
    client_for: ClientFor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F8: such as the code of an invitation."""
    change = request_change(
        membership=owner,
        kind=RELEASE_HELD_DATASET,
        subject="dataset:1",
        payload={"dataset": "00000000-0000-0000-0000-000000000001", "name": "Visits 2"},
        reason="other people",
    )
    monkeypatch.setattr(
        approvals, "carry_out", lambda _: Effect({"done": True}, shown_once="secret-code-7")
    )
    browser = client_for(officer)
    assert "secret-code-7" in text(browser.post(address("approve", change), {"reason": "ok"}))
    assert "secret-code-7" not in text(browser.get(address("approval", change)))


@pytest.mark.django_db(transaction=True)
def test_a_refund_is_offered_for_unread_data_only(
    dataset: Dataset,
    owner: Membership,
    analyst: Membership,
    officer: Membership,
    ask: Asking,
    client_for: ClientFor,
) -> None:
    """F8: listed for owners and officers until somebody has asked for it."""
    answered, unread = ask(analyst), ask(analyst)
    answer_now(answered.pk)
    spoil(dataset)
    answer_now(unread.pk)
    browser = client_for(owner)
    assert "Charged, but never opened" in text(browser.get(reverse("oversight:approvals")))
    refused = text(browser.get(reverse("limits:refund", args=[answered.pk])))
    assert "This question cannot be refunded" in refused
    url = reverse("limits:refund", args=[unread.pk])
    sent = text(browser.post(url, {"reason": "damaged"}, follow=True))
    assert "Refund ε 0.5 of a question about visits" in sent
    assert "Charged, but never opened" not in text(browser.get(reverse("oversight:approvals")))
    change = ChangeRequest.objects.get()
    done = client_for(officer).post(address("approve", change), {"reason": "seen"}, follow=True)
    assert "Approved and carried out." in text(done)
    assert Budget.objects.get(pk=dataset.budget_id).spent_nano == NANO // 2


def test_a_frozen_dataset_is_on_every_page_of_owners_and_officers_alone(
    dataset: Dataset,
    owner: Membership,
    analyst: Membership,
    officer: Membership,
    admin: Membership,
    client_for: ClientFor,
) -> None:
    """A9: analysts learn it when they ask, and no more."""
    freeze_tenant(tenant_id=dataset.tenant_id, reason="Restored from Sunday's backup.")
    for person in (owner, officer):
        assert "frozen after a restore" in text(client_for(person).get("/datasets/"))
    for person in (analyst, admin):
        assert "frozen after a restore" not in text(client_for(person).get("/datasets/"))
    shown = text(client_for(owner).get(reverse("oversight:frozen")))
    assert "Restored from Sunday&#x27;s backup." in shown
    assert "A compliance officer confirms this." in shown


def test_an_officer_confirms_and_books_what_is_missing(
    dataset: Dataset, officer: Membership, client_for: ClientFor
) -> None:
    """A9: too much is refused at its field, nothing is missing by itself."""
    Dataset.objects.filter(pk=dataset.pk).update(name="Visits of a year")
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
    browser, prefix = client_for(officer), str(dataset.budget_id)
    url = reverse("oversight:confirm_frozen", args=[dataset.budget_id])
    typed = {f"{prefix}-reason": "compared with the receipts", f"{prefix}-missing": "11"}
    assert "only ε 10 remains" in text(browser.post(url, typed), 422)
    assert "Give a reason" in text(browser.post(url, {f"{prefix}-missing": "2"}), 422)
    typed[f"{prefix}-missing"] = "2.5"
    assert "Confirm Visits of a year" in text(browser.get(reverse("oversight:frozen")))
    assert "Visits of a year is confirmed" in text(browser.post(url, typed, follow=True))
    budget = Budget.objects.get(pk=dataset.budget_id)
    assert (budget.frozen_at, budget.spent_nano) == (None, 2_500_000_000)
    again = text(browser.post(url, typed), 422)
    assert "confirmed before" in again
    assert Budget.objects.get(pk=dataset.budget_id).spent_nano == 2_500_000_000
