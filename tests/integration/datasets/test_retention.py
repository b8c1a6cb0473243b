"""L28: the data goes by itself after its last day, not before, and nothing else goes with it."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Budget, Charge
from dpgov.datasets import storage
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.datasets.services import (
    SHORTEST,
    TooSoon,
    end_retention,
    keep_until,
    pause_questions,
    resume_questions,
)
from dpgov.operation import clock
from dpgov.queries.models import Release
from dpgov.tenants.models import Membership
from tests.cast import Ask

pytestmark = pytest.mark.django_db(transaction=True)


def _over(dataset: Dataset) -> None:
    """Its last day was yesterday."""
    Dataset.objects.filter(pk=dataset.pk).update(kept_until=clock.today() - timedelta(days=1))


def _gone(dataset: Dataset) -> bool:
    return not storage.data_path(current_version(dataset).pk).exists()


def test_after_the_last_day_files_go_and_ledger_log_and_answers_stay(
    dataset: Dataset, analyst: Membership, ask: Ask, answer_all: Callable[[], int]
) -> None:
    """L28: archived and deleted by the sweeper, an entry each; a second round finds nothing."""
    ask(analyst)
    answer_all()
    spent = Budget.objects.get(pk=dataset.budget_id).spent_nano
    _over(dataset)
    assert (end_retention(), end_retention()) == (1, 0)
    assert _gone(dataset)
    assert Budget.objects.get(pk=dataset.budget_id).spent_nano == spent
    assert (Charge.objects.count(), Release.objects.count()) == (1, 1)
    steps = AuditEntry.objects.order_by("-sequence")[:2]
    assert [(step.action, step.actor_label) for step in steps] == [
        ("DATASET_DATA_DELETED", "sweeper"),
        ("DATASET_ARCHIVED", "sweeper"),
    ]


@pytest.mark.parametrize("days", [0, 1, 400])
def test_on_its_last_day_and_before_nothing_goes(dataset: Dataset, days: int) -> None:
    """L28: the whole last day is kept."""
    Dataset.objects.filter(pk=dataset.pk).update(kept_until=clock.today() + timedelta(days=days))
    assert end_retention() == 0
    assert not _gone(dataset)
    assert Dataset.objects.get(pk=dataset.pk).archived_at is None


def test_what_was_accepted_is_answered_before_its_data_goes(
    dataset: Dataset, analyst: Membership, ask: Ask, answer_all: Callable[[], int]
) -> None:
    """L28: nobody new can ask meanwhile."""
    ask(analyst)
    _over(dataset)
    assert end_retention() == 0
    assert Dataset.objects.get(pk=dataset.pk).archived_at is not None
    assert not _gone(dataset)
    assert answer_all() == 1
    assert end_retention() == 1
    assert _gone(dataset)


def test_a_machine_whose_clock_is_ahead_ends_nothing_too_early(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L14, L28: what is deleted never comes back; the day is the database's."""
    Dataset.objects.filter(pk=dataset.pk).update(kept_until=clock.today() + timedelta(days=1))
    ahead = clock.now() + timedelta(days=400)
    monkeypatch.setattr("dpgov.operation.clock.today", lambda: ahead.date())
    assert end_retention() == 0
    assert not _gone(dataset)


def test_a_paused_dataset_waits_for_its_owners(dataset: Dataset, owner: Membership) -> None:
    """L28: what waits in a pause would otherwise wait for ever."""
    pause_questions(dataset=dataset, user=owner.user, reason="a doubt")
    _over(dataset)
    assert end_retention() == 0
    resume_questions(dataset=dataset, user=owner.user)
    assert end_retention() == 1


def test_what_was_archived_while_it_was_held_goes_after_its_last_day(dataset: Dataset) -> None:
    """L28: a hold is waited for as long as somebody can decide about it, and no longer."""
    Dataset.objects.filter(pk=dataset.pk).update(held_at=clock.now(), held_reason="paused")
    _over(dataset)
    assert end_retention() == 0
    Dataset.objects.filter(pk=dataset.pk).update(archived_at=clock.now())
    assert (end_retention(), end_retention()) == (1, 0)
    assert _gone(dataset)


def test_what_has_no_last_day_stays(dataset: Dataset, foreign_dataset: Dataset) -> None:
    """L28: and of another organisation only what is over there."""
    _over(foreign_dataset)
    assert end_retention() == 1
    assert not _gone(dataset)
    assert _gone(foreign_dataset)


def test_the_day_is_changed_until_then_and_never_to_one_that_is_near(
    dataset: Dataset, owner: Membership, client_for: Callable[[Membership], Client]
) -> None:
    """L28: one entry for each change, none for a refusal."""
    first = clock.today() + SHORTEST
    with pytest.raises(TooSoon):
        keep_until(dataset=dataset, last_day=first - timedelta(days=1), user=owner.user)
    browser = client_for(owner)
    refused = browser.post("/datasets/visits/retention/", {"last_day": clock.today().isoformat()})
    assert refused.status_code == 422
    assert f"Choose {first}" in refused.text
    browser.post("/datasets/visits/retention/", {"last_day": first.isoformat()})
    assert Dataset.objects.get(pk=dataset.pk).kept_until == first
    browser.post("/datasets/visits/retention/", {"last_day": ""})
    assert Dataset.objects.get(pk=dataset.pk).kept_until is None
    assert AuditEntry.objects.filter(action="RETENTION_CHANGED").count() == 2
