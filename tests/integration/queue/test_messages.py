"""The broker carries hints: forged ones are dropped, lost ones are sent again."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from dpgov.queries import submit as submitting
from dpgov.queries import sweep as sweeping
from dpgov.queries.models import Query, Release
from dpgov.queries.sweep import sweep
from dpgov.queries.tasks import look
from dpgov.tenants.models import Membership

pytestmark = pytest.mark.django_db(transaction=True)

Asking = Callable[..., Query]


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
def test_a_forged_message_does_nothing(
    analyst: Membership, stranger: Membership, ask: Asking, forged: Any
) -> None:
    """H3: the worker believes the database row and nothing in the message."""
    query = ask(analyst)
    look(*forged(query, stranger))
    query.refresh_from_db()
    assert (query.state, query.attempts) == (Query.State.QUEUED, 0)
    assert not Release.objects.exists()


def test_an_honest_message_is_answered(analyst: Membership, ask: Asking) -> None:
    """H3: the control to the test above."""
    query = ask(analyst)
    look(str(query.pk), str(query.tenant_id))
    assert Release.objects.get().query_id == query.pk


def test_a_submission_is_accepted_while_the_broker_is_away(
    analyst: Membership, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B8: the message is lost, the query is not; the sweep finds it."""

    def refused(*arguments: object) -> None:
        raise ConnectionError("the broker is away")

    monkeypatch.setattr(look, "delay", refused)
    query = ask(analyst)
    assert query.state == Query.State.QUEUED
    sent: list[Query] = []
    monkeypatch.setattr(sweeping, "wake", lambda query: sent.append(query) is None)
    assert sweep().sent == 0, "a fresh query's own message may still be on its way"
    Query.objects.update(submitted_at=timezone.now() - timedelta(seconds=10))
    assert sweep().sent == 1
    assert sent == [query]


def test_a_message_is_sent_only_after_the_commit(
    analyst: Membership, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """J3: no broker call inside a transaction."""
    from django.db import connection

    inside: list[bool] = []
    monkeypatch.setattr(submitting, "wake", lambda query: inside.append(connection.in_atomic_block))
    ask(analyst)
    assert inside == [False]
