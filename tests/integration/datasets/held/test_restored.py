"""A9, F11: what an officer books for what a restored backup lacks is not shed by ending a hold.

The backup was made before “Later” was released. It is held there and was never open, though people
asked about it since, and an officer may book ε 2 of its 9 for that; “Earlier” has ε 3.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import Decision, approve
from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.models import Budget, DatabaseMark
from dpgov.budgets.services import confirm_budget, freeze_tenant
from dpgov.datasets import storage
from dpgov.datasets.crossing import living_among
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import change_new_data_rule, decide_as_agreed, request_decision
from dpgov.datasets.services.held.deciding import (
    DISCARD_HELD_DATASET,
    RELEASE_HELD_DATASET,
    SHARE_HELD_DATASET_BUDGET,
)
from dpgov.datasets.services.held.looks import pause
from dpgov.language.translation import retold
from dpgov.limits.shared_budgets import candidates
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import actor_of
from tests.integration.datasets import quick
from tests.integration.datasets.arriving import CHANGED, PEOPLE, arrives
from tests.integration.datasets.held.test_hold_decisions import decide
from tests.integration.datasets.held.test_others_rows import NAMES
from tests.integration.datasets.held.test_others_rows import PEOPLE as FEW
from tests.made_once import made_once

SignIn = Callable[[Membership], Client]
BOOKED = 2 * NANO
AGAIN = CHANGED["one row changed"](PEOPLE)


def _restored(tenant_id: Any) -> None:
    freeze_tenant(tenant_id=tenant_id, reason="restored")


def _confirmed(officer: Membership, dataset: Dataset, missing_nano: int | None = None) -> None:
    budget = Budget.objects.get(pk=dataset.budget_id)
    actor = actor_of(officer.user)
    confirm_budget(budget=budget, actor=actor, reason="receipts", missing_nano=missing_nano)


@made_once
def booked(held: Dataset, earlier: Dataset, officer: Membership) -> Dataset:
    """“Later”, with what was asked about it since the backup."""
    _restored(held.tenant_id)
    _confirmed(officer, earlier)
    _confirmed(officer, held, BOOKED)
    return held


def _asked_for(browser: Client, held: Dataset, kind: str, **more: str) -> ChangeRequest:
    data = {"kind": kind, "reason": "looked at", **more}
    answer = browser.post(reverse("datasets:held", args=[held.pk]), data)
    assert answer.status_code == 302, answer.content.decode()
    return ChangeRequest.objects.latest("requested_at")


def _approved(request: ChangeRequest, officer: Membership) -> Decision:
    return approve(
        request_id=request.pk, decider=officer, reason="agreed", carry_out=decide_as_agreed
    )


def _budget(dataset: Dataset) -> Budget:
    """That which it has now."""
    return Dataset.objects.select_related("budget").get(pk=dataset.pk).budget


def test_what_was_booked_on_it_cannot_be_left_for_another_budget(
    browser: Client, officer: Membership, booked: Dataset, earlier: Dataset
) -> None:
    """A9, F11: the page offers what it offers for data that was open, and a shared budget."""
    address = reverse("datasets:held", args=[booked.pk])
    page = browser.get(address).content.decode()
    assert SHARE_HELD_DATASET_BUDGET not in page
    assert "put both datasets under a shared budget first" in " ".join(page.split())
    asked = {"kind": SHARE_HELD_DATASET_BUDGET, "earlier": str(earlier.pk), "reason": "same"}
    assert browser.post(address, asked).status_code == 422
    assert set(candidates(booked.tenant)) == {booked, earlier}


def test_nor_by_a_decision_that_was_asked_for_before_it_was_booked(
    browser: Client, officer: Membership, held: Dataset, earlier: Dataset
) -> None:
    """A9, F11: days may lie between the two, and a restore."""
    request = _asked_for(browser, held, SHARE_HELD_DATASET_BUDGET, earlier=str(earlier.pk))
    _restored(held.tenant_id)
    _confirmed(officer, earlier)
    _confirmed(officer, held, BOOKED)
    ended = _approved(request, officer).request
    assert ended.state == ChangeRequest.State.STALE
    assert "could be asked about before" in retold(ended.outcome)
    held.refresh_from_db()
    assert (held.held_at is None, held.opened_at) == (False, None)
    assert (_budget(held).spent_nano, _budget(held).limit_nano) == (BOOKED, 9 * NANO)


def test_discarded_it_keeps_what_was_booked_and_the_same_file_finds_it(
    browser: Client,
    officer: Membership,
    booked: Dataset,
    django_capture_on_commit_callbacks: Any,
) -> None:
    """A9, F11: it is archived, as data that was open; its people's budget goes on from there."""
    with django_capture_on_commit_callbacks(execute=True):
        decide(browser, officer, booked, DISCARD_HELD_DATASET)
    booked.refresh_from_db()
    assert (booked.held_at, booked.archived_at is None) == (None, False)
    version = current_version(booked).pk
    assert living_among([version]) == {version}
    assert storage.data_path(version).exists()
    again = arrives(browser, AGAIN, name="Again")
    assert again.budget_id == booked.budget_id
    assert (_budget(again).spent_nano, _budget(again).limit_nano) == (BOOKED, 9 * NANO)
    assert reconcile(booked.tenant).findings == ()


def test_where_nothing_is_missing_both_are_decided_as_ever(
    browser: Client,
    officer: Membership,
    held: Dataset,
    earlier: Dataset,
    django_capture_on_commit_callbacks: Any,
) -> None:
    """A9, F9: confirmed as it stands, nobody ever asked about it."""
    twin = arrives(browser, CHANGED["one row less"](PEOPLE), name="Twin")
    _restored(held.tenant_id)
    for each in (earlier, held, twin):
        _confirmed(officer, each)
    decide(browser, officer, held, SHARE_HELD_DATASET_BUDGET, earlier=str(earlier.pk))
    assert _budget(held) == _budget(earlier)
    with django_capture_on_commit_callbacks(execute=True):
        decide(browser, officer, twin, DISCARD_HELD_DATASET)
    twin.refresh_from_db()
    assert twin.opened_at is None
    assert not storage.data_path(current_version(twin).pk).exists()


@pytest.mark.parametrize("frozen", ["Earlier", "Later"])
def test_a_budget_is_shared_when_both_balances_are_confirmed(
    browser: Client,
    officer: Membership,
    client_for: SignIn,
    held: Dataset,
    earlier: Dataset,
    frozen: str,
) -> None:
    """A9: until then it is said which one is not, and the request waits for it."""
    request = _asked_for(browser, held, SHARE_HELD_DATASET_BUDGET, earlier=str(earlier.pk))
    _restored(held.tenant_id)
    left, confirmed = (earlier, held) if frozen == "Earlier" else (held, earlier)
    _confirmed(officer, confirmed)
    answer = client_for(officer).post(
        reverse("oversight:approve", args=[request.pk]), {"reason": "agreed"}
    )
    said = f"The balance of “{frozen}” is frozen after a restore."
    assert (answer.status_code, said in answer.content.decode()) == (422, True)
    held.refresh_from_db()
    assert held.held_at is not None
    assert _budget(held) != _budget(earlier)
    _confirmed(officer, left)
    assert _approved(request, officer).request.state == ChangeRequest.State.APPROVED
    assert _budget(held) == _budget(earlier)


def test_nothing_is_discarded_before_its_balance_is_confirmed(
    browser: Client, officer: Membership, held: Dataset
) -> None:
    """A9, F11: only then is it known whether its people lost anything."""
    request = _asked_for(browser, held, DISCARD_HELD_DATASET)
    _restored(held.tenant_id)
    with pytest.raises(BudgetFrozen):
        _approved(request, officer)
    request.refresh_from_db()
    held.refresh_from_db()
    assert (request.state, held.archived_at) == (ChangeRequest.State.WAITING, None)
    _confirmed(officer, held, BOOKED)
    assert _approved(request, officer).request.state == ChangeRequest.State.APPROVED
    held.refresh_from_db()
    assert held.opened_at is not None


@pytest.mark.parametrize("kind", [SHARE_HELD_DATASET_BUDGET, DISCARD_HELD_DATASET])
def test_nor_is_either_done_in_a_database_that_moved_and_is_not_frozen_yet(
    browser: Client,
    officer: Membership,
    held: Dataset,
    earlier: Dataset,
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A9: between the restore and the first who notices it."""
    request = _asked_for(browser, held, kind, earlier=str(earlier.pk))
    DatabaseMark.objects.update_or_create(pk=1, defaults={"identity": "where the backup was made"})
    monkeypatch.setattr("dpgov.budgets.services.freezing.identity", lambda: "here")
    connection.dpgov_at_home = None  # type: ignore[attr-defined]
    with pytest.raises(BudgetFrozen):
        _approved(request, officer)


@pytest.mark.parametrize("how", ["booked", "paused"])
def test_the_same_file_gets_no_budget_of_its_own_beside_what_was_spent(
    browser: Client, officer: Membership, held: Dataset, earlier: Dataset, how: str
) -> None:
    """A9, F11: held itself, what people asked about counts when its twin is decided about."""
    if how == "booked":
        _restored(held.tenant_id)
        _confirmed(officer, earlier)
        _confirmed(officer, held, BOOKED)
    else:
        decide(browser, officer, held, RELEASE_HELD_DATASET)
        pause(version=current_version(held), membership=officer, reason="whose are these?")
    again = arrives(browser, AGAIN, name="Again", epsilon_limit="9")
    ended = decide(browser, officer, again, RELEASE_HELD_DATASET).request
    assert ended.state == ChangeRequest.State.STALE
    assert "exactly the data of “Later”" in retold(ended.outcome)


def test_released_it_keeps_its_freeze_and_what_is_booked_then(
    browser: Client, officer: Membership, held: Dataset
) -> None:
    """A9: the budget is the one it came with, so that nothing is left behind."""
    _restored(held.tenant_id)
    decide(browser, officer, held, RELEASE_HELD_DATASET)
    assert _budget(held).frozen_at is not None
    _confirmed(officer, held, BOOKED)
    assert _budget(held).spent_nano == BOOKED


def test_what_an_open_dataset_with_its_budget_lost_is_not_taken_for_its_own(
    owner: Membership, officer: Membership
) -> None:
    """F9, F11: new data that waits, exactly that of another one, is deleted once discarded."""
    first = quick.registered(owner, FEW, NAMES, "Earlier")
    change_new_data_rule(tenant=owner.tenant, waits=True, user=officer.user)
    same = quick.registered(owner, FEW, NAMES, "Same")
    assert (same.held_reason, same.budget_id) == ("new_data", first.budget_id)
    _restored(owner.tenant_id)
    _confirmed(officer, first, BOOKED)
    request = request_decision(
        membership=owner, dataset=same, kind=DISCARD_HELD_DATASET, reason="no consent"
    )
    assert _approved(request, officer).request.state == ChangeRequest.State.APPROVED
    same.refresh_from_db()
    assert same.opened_at is None
    assert _budget(first).spent_nano == BOOKED
