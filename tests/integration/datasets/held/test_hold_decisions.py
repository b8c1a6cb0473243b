"""F9: two persons decide what becomes of a held dataset."""

import hashlib
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from dpgov.approvals.models import ChangeRequest
from dpgov.approvals.services import Decision, approve
from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset, Look, VersionFingerprint
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import (
    change_new_data_rule,
    decide_as_agreed,
    finish_deletions,
    request_decision,
)
from dpgov.datasets.services.held.deciding import (
    DISCARD_HELD_DATASET,
    RELEASE_HELD_DATASET,
    SHARE_HELD_DATASET_BUDGET,
)
from dpgov.datasets.services.held.looks import let_begin, pause
from dpgov.language.translation import retold
from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership
from tests.eager import refused
from tests.integration.datasets import quick
from tests.integration.datasets.arriving import CHANGED, PEOPLE, arrives
from tests.integration.datasets.held import test_others_rows
from tests.integration.datasets.invented import as_csv, people
from tests.integration.datasets.registering import register, uploaded
from tests.triggers import without_triggers


def decide(
    browser: Client, officer: Membership, dataset: Dataset, kind: str, **more: Any
) -> Decision:
    """The owner asks in the browser, the officer approves; both with a reason."""
    data = {"kind": kind, "reason": "looked at", **more}
    response = browser.post(reverse("datasets:held", args=[dataset.pk]), data)
    assert response.status_code == 302, response.content.decode()
    request = ChangeRequest.objects.latest("requested_at")
    return approve(
        request_id=request.pk, decider=officer, reason="agreed", carry_out=decide_as_agreed
    )


def entries() -> list[str]:
    return list(AuditEntry.objects.order_by("sequence").values_list("action", flat=True))


def test_released_it_has_the_budget_it_came_with(
    browser: Client, officer: Membership, held: Dataset, earlier: Dataset
) -> None:
    """F9: other people; one entry for the hold, the request and the decision each."""
    decide(browser, officer, held, RELEASE_HELD_DATASET)
    held.refresh_from_db()
    assert (held.held_at, held.held_reason) == (None, "")
    assert held.budget_id != earlier.budget_id
    assert held.budget.limit_nano == 9 * NANO
    assert browser.get(reverse("datasets:detail", args=[held.slug])).status_code == 200
    assert entries()[-4:] == [
        "FILE_UPLOADED",
        "DATASET_HELD",
        "CHANGE_REQUESTED",
        "CHANGE_APPROVED",
    ]


def test_of_the_same_people_it_shares_what_is_left(
    browser: Client, officer: Membership, held: Dataset, earlier: Dataset
) -> None:
    """F9, F11: the limit and what is spent are those of the earlier dataset."""
    decide(browser, officer, held, SHARE_HELD_DATASET_BUDGET, earlier=str(earlier.pk))
    held.refresh_from_db()
    assert held.held_at is None
    assert held.budget_id == earlier.budget_id
    assert held.budget.limit_nano == 3 * NANO


def test_discarded_its_file_is_gone_and_it_counts_for_nothing(
    browser: Client,
    officer: Membership,
    held: Dataset,
    earlier: Dataset,
    django_capture_on_commit_callbacks: Any,
) -> None:
    """F9: the same file later is held again; it does not find a fresh budget to share."""
    path = storage.data_path(current_version(held).pk)
    assert path.exists()
    with django_capture_on_commit_callbacks(execute=True):
        decide(browser, officer, held, DISCARD_HELD_DATASET)
    assert not path.exists()
    assert browser.get(reverse("datasets:held", args=[held.pk])).status_code == 404
    assert "Later" not in browser.get(reverse("datasets:list")).content.decode()
    again = arrives(browser, CHANGED["one row changed"](PEOPLE), name="Again")
    assert again.held_at is not None
    assert again.budget_id != held.budget_id


def test_discarded_by_a_process_that_dies_its_file_is_removed_by_the_sweeper(
    browser: Client, officer: Membership, held: Dataset
) -> None:
    """L22: no owner could delete it any more; a mark beside it waits, and nothing else goes."""
    path = storage.data_path(current_version(held).pk)
    kept = arrives(browser, CHANGED["one row changed"](PEOPLE), name="Kept")
    decide(browser, officer, held, DISCARD_HELD_DATASET)
    assert path.exists(), "the control: what follows the commit did not happen"
    assert finish_deletions() == 1
    assert not path.exists()
    assert storage.data_path(current_version(kept).pk).exists()


def test_the_mark_of_a_discard_that_was_not_decided_deletes_nothing(held: Dataset) -> None:
    """L22: it still waits for a decision, or goes on by one."""
    version = current_version(held).pk
    storage.leaving_path(version).touch()
    assert finish_deletions() == 0
    assert storage.data_path(version).exists()
    storage.leaving_path(version).unlink()


def test_of_two_held_twins_only_one_gets_a_budget(
    browser: Client, officer: Membership, held: Dataset
) -> None:
    """F9: when the second is decided, exactly its data has a budget already."""
    twin = arrives(browser, CHANGED["one row changed"](PEOPLE), name="Twin")
    decide(browser, officer, held, RELEASE_HELD_DATASET)
    decision = decide(browser, officer, twin, RELEASE_HELD_DATASET)
    assert decision.request.state == ChangeRequest.State.STALE
    assert "exactly the data of “Later”" in retold(decision.request.outcome)
    twin.refresh_from_db()
    assert twin.held_at is not None


def test_another_guarantee_cannot_share_a_budget(
    browser: Client, officer: Membership, earlier: Dataset
) -> None:
    """F9: losses under two relations cannot be added up; nothing happens."""
    later = arrives(browser, CHANGED["one row less"](PEOPLE), neighbouring="change_one")
    decision = decide(browser, officer, later, SHARE_HELD_DATASET_BUDGET, earlier=str(earlier.pk))
    assert decision.request.state == ChangeRequest.State.STALE
    later.refresh_from_db()
    assert later.held_at is not None


def test_a_budget_is_shared_with_an_own_dataset_that_is_not_held_itself(
    browser: Client, elsewhere: Client, held: Dataset
) -> None:
    """F9, H4: neither another tenant's, nor one that is held, nor none; said at the field."""
    foreign = arrives(elsewhere, as_csv(people(9)))
    twin = arrives(browser, CHANGED["one row less"](PEOPLE))
    for chosen in (str(foreign.pk), str(twin.pk), str(held.pk), "", "nonsense"):
        data = {"kind": "share_held_dataset_budget", "earlier": chosen, "reason": "same"}
        response = browser.post(reverse("datasets:held", args=[held.pk]), data)
        assert response.status_code == 422
        assert 'id="id_earlier_error"' in response.content.decode()
    assert not ChangeRequest.objects.exists()


def test_the_database_ends_no_hold_by_itself(held: Dataset) -> None:
    """L8: not by plain SQL, nor by turning it into one that an officer's look would end."""
    rows = Dataset.objects.filter(pk=held.pk)
    for change in (
        {"held_at": None, "held_reason": ""},
        {"held_reason": "new_data"},
        {"held_reason": "paused"},
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.update(**change)
    held.refresh_from_db()
    assert held.held_reason == "like_earlier_data"


def test_an_approval_ends_one_hold_and_not_the_next(
    browser: Client, officer: Membership, held: Dataset
) -> None:
    """L8: whatever the clocks say; the entry of the decision is what uses it up."""
    decide(browser, officer, held, RELEASE_HELD_DATASET)
    rows = Dataset.objects.filter(pk=held.pk)
    rows.update(held_at=timezone.now() - timedelta(days=1), held_reason="paused")
    with pytest.raises(DatabaseError, match="a hold ends"), transaction.atomic():
        rows.update(held_at=None, held_reason="")


def test_new_data_that_waits_needs_an_officer_s_look_at_its_newest_version(
    owner: Membership, officer: Membership, held: Dataset
) -> None:
    """L8: no owner's, nobody's, and none that paused it."""
    with without_triggers():
        Dataset.objects.filter(pk=held.pk).update(held_reason="new_data")
    made = {"tenant": held.tenant, "version": current_version(held)}
    for wrong in ({"by": owner.user, "outcome": "goes_on"}, {"outcome": "goes_on"}):
        with pytest.raises(DatabaseError, match="an officer looks"), transaction.atomic():
            Look.objects.create(**made, **wrong)
    rows = Dataset.objects.filter(pk=held.pk)
    look = Look.objects.create(**made, by=officer.user, outcome="paused")
    with pytest.raises(DatabaseError, match="a hold ends"), transaction.atomic():
        rows.update(held_at=None, held_reason="")
    Look.objects.filter(pk=look.pk).update(outcome="goes_on")
    rows.update(held_at=None, held_reason="")


def test_a_decision_happens_once(browser: Client, officer: Membership, held: Dataset) -> None:
    """F9: what was requested before somebody else decided is out of date."""
    address = reverse("datasets:held", args=[held.pk])
    browser.post(address, {"kind": "discard_held_dataset", "reason": "a mistake"})
    waiting = ChangeRequest.objects.get()
    decide(browser, officer, held, RELEASE_HELD_DATASET)
    decision = approve(
        request_id=waiting.pk, decider=officer, reason="late", carry_out=decide_as_agreed
    )
    assert decision.request.state == ChangeRequest.State.STALE
    held.refresh_from_db()
    assert (held.held_at, held.archived_at) == (None, None)


def test_with_another_key_nothing_is_registered(
    browser: Client, earlier: Dataset, settings: Any
) -> None:
    """F9, F11: a lost key must not make all data look new."""
    settings.DPGOV_FINGERPRINT_KEY = bytes(32)
    response = register(browser, uploaded(browser, as_csv(PEOPLE)))
    assert refused(response)
    assert "put the earlier key back" in response.content.decode()
    assert Budget.objects.count() == 1


def test_what_was_recorded_in_an_earlier_form_lets_nothing_look_new(
    browser: Client, earlier: Dataset, settings: Any
) -> None:
    """F9, F11: after an upgrade the same people would get a fresh budget; instead it is refused."""
    key = settings.DPGOV_FINGERPRINT_KEY
    first = hashlib.blake2b(b"id", key=key, digest_size=8).hexdigest()
    assert VersionFingerprint.objects.update(key_id=first) == 1
    response = register(browser, uploaded(browser, as_csv(PEOPLE)))
    assert refused(response)
    assert "in a way that this one does not recognise" in response.content.decode()
    assert Budget.objects.count() == 1


def _waiting_release_of_an_earlier_hold(owner: Membership, officer: Membership) -> ChangeRequest:
    """Requested while new data waited for its look; then let begin, and paused by another one."""
    change_new_data_rule(tenant=owner.tenant, waits=True, user=officer.user)
    new = quick.registered(owner, test_others_rows.PEOPLE, test_others_rows.NAMES, "New")
    request = request_decision(
        membership=owner, dataset=new, kind=RELEASE_HELD_DATASET, reason="nothing new here"
    )
    let_begin(version=current_version(new), membership=officer, reason="fine")
    pause(version=current_version(new), membership=officer, reason="these are the payroll's people")
    return request


def test_a_decision_about_one_hold_ends_no_later_one(
    owner: Membership, officer: Membership
) -> None:
    """F9: what a second person paused takes two who have seen that pause."""
    request = _waiting_release_of_an_earlier_hold(owner, officer)
    decision = approve(
        request_id=request.pk, decider=officer, reason="yes", carry_out=decide_as_agreed
    )
    assert decision.request.state == ChangeRequest.State.STALE
    assert "about an earlier hold" in retold(decision.request.outcome)
    assert Dataset.objects.get(name="New").held_reason == "paused"


def test_the_database_ends_no_hold_by_what_was_agreed_about_another_one(
    owner: Membership, officer: Membership
) -> None:
    """L8: approved beside the page, it is about the hold that it names."""
    request = _waiting_release_of_an_earlier_hold(owner, officer)
    decided = {"state": "approved", "decided_at": timezone.now(), "decided_by": officer.user}
    ChangeRequest.objects.filter(pk=request.pk).update(**decided)
    rows = Dataset.objects.filter(name="New")
    with pytest.raises(DatabaseError, match="as two persons approved"), transaction.atomic():
        rows.update(held_at=None, held_reason="")
