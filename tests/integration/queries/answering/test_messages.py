"""The broker carries hints: forged ones are dropped, lost ones are sent again."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import pairwise
from typing import Any
from uuid import uuid4

import pytest
from celery import current_app
from django.utils import timezone

from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset
from dpgov.queries.answering import sweep as sweeping
from dpgov.queries.answering import tasks
from dpgov.queries.answering.lease import claim
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.answering.tasks import look, messages
from dpgov.queries.answering.turns import number_waiting
from dpgov.queries.asking import submit as submitting
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.cast import publish_now
from tests.triggers import without_triggers

pytestmark = pytest.mark.django_db(transaction=True)

Asking = Callable[..., Query]


@pytest.fixture(autouse=True)
def _empty_broker() -> Iterator[None]:
    current_app.control.purge()
    yield
    current_app.control.purge()


@pytest.mark.parametrize(
    "forged",
    [
        lambda q, other: (str(q.pk), str(other.tenant_id)),
        lambda q, other: (str(uuid4()), str(q.tenant_id)),
        lambda q, other: ("' OR 1=1 --", str(q.tenant_id)),
        lambda q, other: (None, None),
        lambda q, other: ({"id": str(q.pk)}, [str(q.tenant_id)]),
    ],
    ids=["another tenant", "no such query", "SQL", "nothing", "other types"],
)
def test_a_forged_message_is_a_wake_up_and_nothing_more(
    analyst: Membership, stranger: Membership, ask: Asking, forged: Any
) -> None:
    """H3: the worker believes the database and nothing in the message: the oldest comes first."""
    oldest, named = ask(analyst), ask(analyst)
    look(*forged(named, stranger))
    publish_now()
    assert Release.objects.get().query_id == oldest.pk
    named.refresh_from_db()
    assert (named.state, named.attempts) == (Query.State.QUEUED, 0)


def test_a_submission_is_accepted_while_the_broker_is_away(
    analyst: Membership, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B8: the message is lost, the query is not; the sweep finds it."""

    def refused(*arguments: object, **more: object) -> None:
        raise ConnectionError("the broker is away")

    with monkeypatch.context() as patch:
        patch.setattr(look, "apply_async", refused)
        query = ask(analyst)
        assert query.state == Query.State.QUEUED
    with monkeypatch.context() as patch:
        patch.setattr(sweeping, "_PATIENCE", timedelta(hours=1))
        assert sweep().sent == 0, "a fresh query's own message may still be on its way"
    _long_ago()
    assert sweep().sent == 1
    assert messages() == 1


def test_a_message_is_sent_only_after_the_commit(
    analyst: Membership, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """J3: no broker call inside a transaction."""
    from django.db import connection

    inside: list[bool] = []
    monkeypatch.setattr(submitting, "wake", lambda: inside.append(connection.in_atomic_block))
    ask(analyst)
    assert inside == [False]


def test_the_sweep_sends_no_more_than_wait_and_nothing_that_lies_there_already(
    analyst: Membership, ask: Asking
) -> None:
    """L11, R1: round after round without a worker, whatever the broker has lost meanwhile."""
    for _ in range(5):
        ask(analyst, epsilon=0.001)
    assert messages() == 5
    _long_ago()
    for _ in range(3):
        assert sweep().sent == 0
    current_app.control.purge()
    assert sweep().sent == 5
    assert messages() == 5
    _long_ago()
    assert sweep().sent == 0


def test_submitting_fills_the_broker_to_a_bound_only(
    analyst: Membership, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L11, R1: a worker that is done wakes the next one, so that few messages are enough."""
    for module in (tasks, sweeping):
        monkeypatch.setattr(module, "MOST_MESSAGES", 3)
    for _ in range(7):
        ask(analyst, epsilon=0.001)
    _long_ago()
    sweep()
    assert messages() == 3
    current_app.control.purge()
    look()
    assert messages() == 1, "who is done wakes the next one"


def test_pauses_between_messages_for_one_question_double_up_to_five_minutes(
    analyst: Membership, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R1: remembered in the row, so that a new sweeper goes on where the last one was."""
    query = ask(analyst)
    now = query.submitted_at + timedelta(seconds=3)
    sent_at: list[float] = []
    current_app.control.purge()
    for _ in range(350):
        monkeypatch.setattr(sweeping, "database_now", lambda now=now: now)
        if sweep().sent:
            sent_at.append((now - query.submitted_at).total_seconds())
            current_app.control.purge()
        now += timedelta(seconds=4)
    pauses = [later - earlier for earlier, later in pairwise(sent_at)]
    assert pauses == [4, 8, 16, 32, 64, 128, 256, 300, 300, 300][: len(pauses)]
    assert len(pauses) >= 8


def test_a_clock_that_went_back_does_not_keep_a_question_from_being_sent(
    analyst: Membership, ask: Asking
) -> None:
    """L14: the moment that the row remembers is a day ahead."""
    ask(analyst)
    current_app.control.purge()
    Query.objects.update(send_after=timezone.now() + timedelta(days=1))
    assert sweep().sent == 1


def test_questions_of_frozen_and_held_datasets_are_not_sent(
    analyst: Membership, ask: Asking, dataset: Dataset
) -> None:
    """R1: no worker may take them, so no worker is woken for them."""
    ask(analyst)
    current_app.control.purge()
    _long_ago()
    frozen = Budget.objects.filter(pk=dataset.budget_id)
    frozen.update(frozen_at=timezone.now())
    assert (sweep().sent, number_waiting()) == (0, 0)
    frozen.update(frozen_at=None)
    Dataset.objects.update(held_at=timezone.now(), held_reason="like_earlier_data")
    assert (sweep().sent, number_waiting()) == (0, 0)
    look()
    assert Query.objects.get().attempts == 0
    with without_triggers():
        Dataset.objects.update(held_at=None, held_reason="")
    assert sweep().sent == 1


def test_a_question_whose_worker_vanished_is_sent_at_once_when_its_lease_is_over(
    analyst: Membership, ask: Asking, settings: Any
) -> None:
    """B1: earlier pauses are forgotten when a worker takes it."""
    settings.DPGOV_LEASE_SECONDS = -1
    query = ask(analyst)
    Query.objects.update(sends=7, send_after=timezone.now() + timedelta(minutes=4))
    assert claim(query.pk) is not None
    current_app.control.purge()
    _long_ago()
    assert sweep().sent == 1


def _long_ago() -> None:
    Query.objects.update(submitted_at=timezone.now() - timedelta(seconds=10), send_after=None)
