"""A9: what waited when a backup was made is answered once at most, and never given back.

Limit 10. The backup has 4 spent, and a question that waits and holds 0.5; what came after the
backup, that question among it, is known outside only. However the officer counts, the loss that
people really had is never more than what the ledger says.
"""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from dpgov.audit.actor import SWEEPER
from dpgov.audit.models import AuditEntry
from dpgov.budgets.errors import BudgetFrozen
from dpgov.budgets.models import Budget
from dpgov.budgets.services import freeze_tenant
from dpgov.datasets.models import Dataset
from dpgov.datasets.services import pause_questions
from dpgov.notices.events.follow import follow
from dpgov.notices.models import Notice
from dpgov.oversight.reconciliation.report import reconcile
from dpgov.queries.answering import answer
from dpgov.queries.answering.cancelling import cancel, may_cancel
from dpgov.queries.answering.ending import give_up, seal_failure
from dpgov.queries.answering.lease import Claim, LostLease, Stopped, claim, mark_opened
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.cast import answer_query, publish_now
from tests.made_once import made_once

pytestmark = pytest.mark.django_db(transaction=True)

HALF, NANO = 500_000_000, 10**9
Asking = Callable[..., Query]
Browsers = Callable[[Membership], Client]


@made_once
def waiting(analyst: Membership, ask: Asking, dataset: Dataset) -> Query:
    """It waited in the backup; its dataset is frozen now."""
    asked = ask(analyst)
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
    return asked


def _balance(dataset: Dataset) -> tuple[int, int, bool]:
    budget = Budget.objects.get(pk=dataset.budget_id)
    return budget.reserved_nano, budget.spent_nano, budget.frozen_at is not None


def _confirm(browser: Client, dataset: Dataset, **typed: str) -> tuple[int, str]:
    typed = {"reason": "compared with the receipts", **typed}
    answer = browser.post(
        reverse("oversight:confirm_frozen", args=[dataset.budget_id]),
        {f"{dataset.budget_id}-{name}": value for name, value in typed.items()},
        follow=True,
    )
    return answer.status_code, " ".join(answer.content.decode().split())


def test_what_remains_on_the_page_is_all_that_can_be_missing(
    waiting: Query, dataset: Dataset, officer: Membership, client_for: Browsers
) -> None:
    """A9: who enters it has booked the question too, and it is not answered again."""
    browser = client_for(officer)
    status, told = _confirm(browser, dataset, missing="10")
    assert (status, "only ε 9.5 remains" in told) == (422, True)
    assert _balance(dataset) == (HALF, 0, True)
    assert _confirm(browser, dataset, missing="9.5")[0] == 200
    assert _balance(dataset) == (0, 10 * NANO, False)
    assert answer_query(waiting.pk) is False
    assert (publish_now(), Release.objects.count()) == (0, 0)
    assert reconcile(dataset.tenant).findings == ()


def test_an_officer_who_says_nothing_of_it_ends_it(
    waiting: Query, dataset: Dataset, officer: Membership, client_for: Browsers
) -> None:
    """A9: also where nothing else is missing; the log says why, in an entry of the officer's."""
    _confirm(client_for(officer), dataset)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.opened_at) == (Query.State.FAILED, None)
    assert _balance(dataset) == (0, HALF, False)
    entry = AuditEntry.objects.get(action="QUERY_FAILED")
    assert entry.actor_label == officer.user.email
    assert json.loads(entry.detail)["restored"] == "yes"


def test_where_none_was_answered_elsewhere_it_goes_on(
    waiting: Query, dataset: Dataset, officer: Membership, client_for: Browsers
) -> None:
    """A9: after a move with all processes stopped nothing is lost."""
    shown = client_for(officer).get(reverse("oversight:frozen")).content.decode()
    assert "Questions that waited when the backup was made" in shown
    _confirm(client_for(officer), dataset, questions="go_on")
    assert answer_query(waiting.pk) is True
    assert publish_now() == 1
    assert _balance(dataset) == (0, HALF, False)


def test_the_freeze_costs_it_no_patience(
    waiting: Query, dataset: Dataset, officer: Membership, client_for: Browsers, settings: Any
) -> None:
    """A9: an officer takes longer than a day, and it has a day from then on."""
    Query.objects.filter(pk=waiting.pk).update(submitted_at=F("submitted_at") - timedelta(hours=25))
    _confirm(client_for(officer), dataset, questions="go_on")
    assert sweep().given_up == 0
    assert _balance(dataset) == (HALF, 0, False)
    settings.DPGOV_EXPIRY_SECONDS = 0
    assert sweep().given_up == 1
    assert _balance(dataset) == (0, 0, False)


@pytest.mark.parametrize("opened", [False, True])
def test_a_worker_that_still_holds_it_ends_it_no_more(
    analyst: Membership,
    ask: Asking,
    dataset: Dataset,
    officer: Membership,
    client_for: Browsers,
    opened: bool,
) -> None:
    """A9: opened or not, the asker is told the same."""
    held = claim(ask(analyst).pk)
    assert held is not None
    if opened:
        mark_opened(held)
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
    _confirm(client_for(officer), dataset)
    with pytest.raises(LostLease):
        mark_opened(held)
    assert _balance(dataset) == (0, HALF, False)
    page = client_for(analyst).get(reverse("queries:detail", args=[held.query.pk]))
    assert "restored from a backup" in page.content.decode()


def test_a_sealed_answer_stays_the_same_and_is_charged_once(
    analyst: Membership, ask: Asking, dataset: Dataset, officer: Membership, client_for: Browsers
) -> None:
    """A9: the bytes that appeared in what the backup lacks appear again."""
    asked = ask(analyst)
    answer_query(asked.pk)
    sealed = Query.objects.get(pk=asked.pk).sealed_text
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
    _confirm(client_for(officer), dataset, missing="9.5")
    assert publish_now() == 1
    assert Release.objects.get().body == sealed
    assert _balance(dataset) == (0, 10 * NANO, False)


@pytest.fixture
def frozen_at_work(
    analyst: Membership, ask: Asking, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> Query:
    """Its worker had opened the data when the dataset was frozen, and went on to the end."""

    def opened(held: Claim) -> bool:
        first = mark_opened(held)
        freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
        return first

    asked = ask(analyst)
    with monkeypatch.context() as patch:
        patch.setattr(answer, "mark_opened", opened)
        assert answer_query(asked.pk) is False
    asked.refresh_from_db()
    assert (asked.state, asked.sealed_text) == (Query.State.QUEUED, "")
    assert asked.opened_at
    return asked


def test_what_is_drawn_while_it_is_frozen_never_appears(
    frozen_at_work: Query, dataset: Dataset, officer: Membership, client_for: Browsers
) -> None:
    """A9: it has noise of its own, and may be the second answer for one charge."""
    _confirm(client_for(officer), dataset, questions="end")
    assert (publish_now(), Release.objects.count()) == (0, 0)
    frozen_at_work.refresh_from_db()
    assert (frozen_at_work.state, frozen_at_work.outcome) == (Query.State.FAILED, "")
    assert _balance(dataset) == (0, HALF, False)
    assert reconcile(dataset.tenant).findings == ()


def test_where_none_was_answered_elsewhere_what_was_opened_is_answered_once(
    frozen_at_work: Query, dataset: Dataset, officer: Membership, client_for: Browsers
) -> None:
    """A9, B2: by another draw, as the first one was kept nowhere."""
    _confirm(client_for(officer), dataset, questions="go_on")
    assert answer_query(frozen_at_work.pk) is True
    assert (publish_now(), Release.objects.count()) == (1, 1)
    assert _balance(dataset) == (0, HALF, False)


def test_a_failure_that_two_persons_could_refund_is_not_kept_while_it_is_frozen(
    analyst: Membership, ask: Asking, dataset: Dataset
) -> None:
    """A9: in what the backup lacks the same question may have been answered."""
    held = claim(ask(analyst).pk)
    assert held is not None
    mark_opened(held)
    freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
    with pytest.raises(Stopped):
        seal_failure(held, started=held.passed(), never_read=True)
    give_up(held.query, fence=held.fence, actor=SWEEPER)
    assert Query.objects.get().state == Query.State.RUNNING
    assert _balance(dataset) == (HALF, 0, True)


def test_the_database_itself_keeps_no_answer_about_a_frozen_dataset(waiting: Query) -> None:
    """A9: whoever writes it; a worker's statement may have waited while the freeze went on."""
    found = {"state": "sealed", "outcome": "released", "sealed_text": "{}"}
    with pytest.raises(IntegrityError, match="frozen"), transaction.atomic():
        Query.objects.filter(pk=waiting.pk).update(**found, due_at=timezone.now())
    assert Query.objects.get().state == Query.State.QUEUED


@pytest.mark.parametrize("way", ["expired", "exhausted", "gone"])
def test_nothing_comes_back_while_it_is_frozen(
    waiting: Query, dataset: Dataset, settings: Any, way: str
) -> None:
    """A9: what an officer sees as remaining does not grow before, or after, they enter it."""
    mine, now = Query.objects.filter(pk=waiting.pk), waiting.submitted_at
    if way == "expired":
        mine.update(submitted_at=now - timedelta(seconds=settings.DPGOV_EXPIRY_SECONDS + 60))
    elif way == "exhausted":
        mine.update(state="running", attempts=99, lease_until=now - timedelta(hours=1))
    else:
        Dataset.objects.filter(pk=dataset.pk).update(
            archived_at=now, held_at=now, held_reason="a doubt"
        )
    assert sweep().given_up == 0
    waiting.refresh_from_db()
    give_up(waiting, fence=waiting.fence, actor=SWEEPER)
    assert _balance(dataset) == (HALF, 0, True)


def test_nobody_cancels_it_while_it_is_frozen(
    waiting: Query, dataset: Dataset, analyst: Membership, owner: Membership
) -> None:
    """A9, L27: in a pause as well."""
    pause_questions(dataset=dataset, user=owner.user, reason="a doubt")
    assert not may_cancel(analyst, Query.objects.get(pk=waiting.pk))
    with pytest.raises(BudgetFrozen):
        cancel(membership=analyst, query_id=waiting.pk)
    assert _balance(dataset) == (HALF, 0, True)


def test_who_asked_it_is_told_why_it_was_charged(
    waiting: Query,
    dataset: Dataset,
    analyst: Membership,
    officer: Membership,
    client_for: Browsers,
    api_for: Callable[[Membership], APIClient],
) -> None:
    """A9: on its page, in the API and by a notification."""
    _confirm(client_for(officer), dataset)
    follow(waiting.tenant_id)
    told = Notice.objects.filter(person=analyst.user).select_related("event")
    assert [one.event.detail["state"] for one in told if "query" in one.event.detail] == [
        "restored"
    ]
    answer = api_for(analyst).get(f"/api/v1/queries/{waiting.pk}/release/")
    assert "restored from a backup" in answer.content.decode()


def test_it_is_ended_and_confirmed_or_neither(
    waiting: Query,
    dataset: Dataset,
    officer: Membership,
    client_for: Browsers,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A9, B2: what ends the confirmation half-way leaves everything frozen and held."""

    def crash(**_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dpgov.oversight.web.frozen.confirm_budget", crash)
    with pytest.raises(KeyboardInterrupt):
        _confirm(client_for(officer), dataset)
    waiting.refresh_from_db()
    assert waiting.state == Query.State.QUEUED
    assert _balance(dataset) == (HALF, 0, True)
