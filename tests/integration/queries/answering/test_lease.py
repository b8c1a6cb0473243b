"""One charge has one answer, however often a worker is told to look."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Charge
from dpgov.budgets.services import freeze_tenant
from dpgov.datasets.models import Dataset
from dpgov.operation.clock import database_now
from dpgov.queries.answering import answer
from dpgov.queries.answering.ending import seal
from dpgov.queries.answering.lease import Claim, LostLease, claim, mark_opened
from dpgov.queries.asking.once import IdempotencyConflict
from dpgov.queries.asking.submit import submit
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.cast import answer_query, publish_now
from tests.integration.children import run_at_once
from tests.integration.queries.answering.unnoticed import freeze_unnoticed

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("times", [2, 16, 50])
def test_the_same_message_many_times_at_once_gives_one_release(
    analyst: Membership, ask: Callable[..., Query], times: int
) -> None:
    """B3: 2 to 50 deliveries at once; one process seals the answer and one publishes it."""
    query = ask(analyst)
    ended = run_at_once([lambda: int(answer_query(query.pk))] * times)
    assert sum(ended) == 1
    assert sum(run_at_once([publish_now] * times)) == 1
    assert Release.objects.filter(query=query).count() == 1
    assert Charge.objects.filter(query_id=query.pk).count() == 1
    released = AuditEntry.objects.filter(action="QUERY_RELEASED", subject=f"query:{query.pk}")
    assert released.count() == 1


def test_a_late_message_returns_the_stored_bytes(
    analyst: Membership, ask: Callable[..., Query], answer_all: Callable[[], int]
) -> None:
    """B3: looking again at an answered query changes neither its bytes nor its charge."""
    query = ask(analyst)
    answer_all()
    before = Release.objects.values().get(query=query)
    assert not answer_query(query.pk)
    assert Release.objects.values().get(query=query) == before
    assert Charge.objects.filter(query_id=query.pk).count() == 1


def test_a_query_is_not_taken_from_a_worker_whose_lease_still_runs(
    analyst: Membership, ask: Callable[..., Query]
) -> None:
    """B3: a repeated message uses up no attempt; after the lease the next worker may try."""
    query = ask(analyst)
    first = claim(query.pk)
    assert first is not None
    assert claim(query.pk) is None
    Query.objects.filter(pk=query.pk).update(lease_until=database_now())
    second = claim(query.pk)
    assert second is not None
    assert (first.fence, second.fence) == (1, 2)


def test_a_worker_that_slept_past_its_lease_can_settle_nothing(
    analyst: Membership, ask: Callable[..., Query], settings: object
) -> None:
    """B1: the second worker's fence outdates the first one's, whatever the first computed."""
    settings.DPGOV_LEASE_SECONDS = 0  # type: ignore[attr-defined]
    query = ask(analyst)
    asleep, awake = claim(query.pk), claim(query.pk)
    assert asleep is not None
    assert awake is not None
    with pytest.raises(LostLease):
        mark_opened(asleep)
    with pytest.raises(LostLease):
        seal(asleep, body={"late": True}, started=timedelta())
    assert not publish_now()
    seal(awake, body={"late": False}, started=timedelta())
    for late in (asleep, awake):
        with pytest.raises(LostLease):
            seal(late, body={"late": True}, started=timedelta())
    publish_now()
    with pytest.raises(LostLease):
        seal(asleep, body={"late": True}, started=timedelta())
    assert Release.objects.get().body == '{"late":false}'
    assert Charge.objects.filter(query_id=query.pk).count() == 1


def test_sixteen_clients_with_one_key_get_one_query(analyst: Membership, dataset: Dataset) -> None:
    """B6: the same request from 16 processes at once is one query with one reservation."""
    plan = {"dataset": dataset.slug, "statistics": [{"statistic": "count"}], "epsilon": "0.5"}

    def send() -> int:
        sent = submit(membership=analyst, dataset=dataset, raw_plan=plan, idempotency_key="the-key")
        return int(sent.created)

    assert sum(run_at_once([send] * 16)) == 1
    assert Query.objects.count() == 1
    dataset.budget.refresh_from_db()
    assert dataset.budget.reserved_nano == 500_000_000


def test_a_key_is_not_reused_for_another_question(analyst: Membership, dataset: Dataset) -> None:
    """B6: the same key with another body is a conflict, and reserves nothing."""
    plan = {"dataset": dataset.slug, "statistics": [{"statistic": "count"}], "epsilon": "0.5"}
    submit(membership=analyst, dataset=dataset, raw_plan=plan, idempotency_key="the-key")
    with pytest.raises(IdempotencyConflict):
        submit(
            membership=analyst,
            dataset=dataset,
            raw_plan=plan | {"epsilon": "0.25"},
            idempotency_key="the-key",
        )
    dataset.budget.refresh_from_db()
    assert dataset.budget.reserved_nano == 500_000_000


def test_what_the_guard_keeps_out_waits_as_if_nobody_had_taken_it(
    analyst: Membership,
    ask: Callable[..., Query],
    dataset: Dataset,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A9: its dataset was frozen in the moment in which its answer was to be kept."""

    def opened(held: Claim) -> bool:
        first = mark_opened(held)
        freeze_tenant(tenant_id=dataset.tenant_id, reason="restored")
        return first

    query = ask(analyst)
    freeze_unnoticed(monkeypatch)
    monkeypatch.setattr(answer, "mark_opened", opened)
    assert answer_query(query.pk) is False
    query.refresh_from_db()
    assert (query.state, query.attempts, query.lease_until) == (Query.State.QUEUED, 0, None)
    assert query.sealed_text == ""
