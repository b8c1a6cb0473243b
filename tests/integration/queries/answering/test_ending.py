"""How a query can end without an answer, and who pays."""

import logging
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.utils import timezone
from structlog.testing import capture_logs

from dpgov.audit.models import AuditCheckpoint, AuditEntry
from dpgov.budgets.models import Budget
from dpgov.datasets.models import Dataset
from dpgov.datasets.selectors import current_version
from dpgov.engines.base import EngineFailure
from dpgov.queries.answering import answer
from dpgov.queries.answering.lease import claim, mark_opened
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.cast import answer_now, publish_now

pytestmark = pytest.mark.django_db(transaction=True)

HALF = 500_000_000
CANARY = "canary-7391-Zebra"
Asking = Callable[..., Query]


class BrokenEngine:
    """An engine that fails after the data was opened, quoting the data."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def answer(self, request: object) -> Any:
        raise self.error


def balance(dataset: Dataset) -> tuple[int, int]:
    budget = Budget.objects.get(pk=dataset.budget_id)
    return budget.reserved_nano, budget.spent_nano


def last_action(query: Query) -> str:
    return AuditEntry.objects.filter(subject=f"query:{query.pk}").latest("sequence").action


def test_a_failure_before_the_data_is_opened_costs_nothing(
    analyst: Membership, dataset: Dataset, ask: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B7: the reservation is voided and the audit log says so."""
    query = ask(analyst)

    def unavailable(version: object) -> None:
        raise ValueError("this plan cannot be prepared")

    monkeypatch.setattr(answer, "engine_for", unavailable)
    assert answer_now(query.pk)
    query.refresh_from_db()
    assert (query.state, query.opened_at) == (Query.State.VOIDED, None)
    assert balance(dataset) == (0, 0)
    assert last_action(query) == "QUERY_VOIDED"


@pytest.mark.parametrize(
    "error",
    [EngineFailure(), TimeoutError(CANARY), ValueError(CANARY), MemoryError(CANARY)],
    ids=lambda error: type(error).__name__,
)
def test_a_failure_after_the_data_was_opened_is_charged_and_looks_like_any_other(
    analyst: Membership,
    dataset: Dataset,
    ask: Asking,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    """B7, E3, B11: charged in full; what the engine said reaches neither log, row nor audit."""
    caplog.set_level(logging.DEBUG)
    query = ask(analyst)
    monkeypatch.setattr(answer, "engine_for", lambda version: BrokenEngine(error))
    assert answer_now(query.pk)
    query.refresh_from_db()
    assert query.state == Query.State.FAILED
    assert balance(dataset) == (0, HALF)
    assert last_action(query) == "QUERY_FAILED"
    assert not Release.objects.exists()
    written = caplog.text + str(list(AuditEntry.objects.values())) + str(vars(query))
    assert CANARY not in written


def test_an_answer_is_tried_at_most_twice_and_then_charged(
    analyst: Membership, dataset: Dataset, ask: Asking, settings: Any
) -> None:
    """B7: workers that die with the data open use up both attempts; the sweep books the charge."""
    settings.DPGOV_LEASE_SECONDS = 0
    query = ask(analyst)
    for _ in range(2):
        held = claim(query.pk)
        assert held is not None
        mark_opened(held)
    assert claim(query.pk) is None
    assert sweep().given_up == 1
    publish_now()
    query.refresh_from_db()
    assert query.state == Query.State.FAILED
    assert balance(dataset) == (0, HALF)


def test_one_that_nothing_was_held_for_ends_no_other_organisations_round(
    analyst: Membership, dataset: Dataset, foreign_dataset: Dataset, ask: Asking
) -> None:
    """B7: a planted row is told in the program's log; a question of somebody else still expires,
    and what else a round does is done.
    """
    honest, planted = ask(analyst), ask(analyst)
    long_ago = timezone.now() - timedelta(days=2)
    Query.objects.filter(pk=honest.pk).update(submitted_at=long_ago)
    version = current_version(foreign_dataset)
    planted.pk, planted.dataset, planted.version = uuid4(), foreign_dataset, version
    planted.tenant_id, planted.analyst_id = foreign_dataset.tenant_id, foreign_dataset.owner_id
    planted.save(force_insert=True)
    Query.objects.filter(pk=planted.pk).update(submitted_at=long_ago - timedelta(days=1))
    with capture_logs() as logged:
        call_command("sweep", stdout=StringIO())
    assert "a question could not be given up" in [entry["event"] for entry in logged]
    honest.refresh_from_db()
    assert honest.state == Query.State.EXPIRED
    checkpointed = AuditCheckpoint.objects.values_list("tenant_id", flat=True)
    assert {analyst.tenant_id, foreign_dataset.tenant_id} <= set(checkpointed)


@pytest.mark.parametrize(
    ("opened", "state", "expected"),
    [(False, Query.State.EXPIRED, (0, 0)), (True, Query.State.FAILED, (0, HALF))],
    ids=["never opened", "opened once"],
)
def test_expiry_obeys_the_same_rule(
    analyst: Membership,
    dataset: Dataset,
    ask: Asking,
    settings: Any,
    opened: bool,
    state: str,
    expected: tuple[int, int],
) -> None:
    """B7: an old query is given back only if its data was never opened."""
    settings.DPGOV_LEASE_SECONDS = 0
    query = ask(analyst)
    if opened:
        held = claim(query.pk)
        assert held is not None
        mark_opened(held)
    Query.objects.filter(pk=query.pk).update(submitted_at=timezone.now() - timedelta(days=2))
    assert sweep().given_up == 1
    publish_now()
    query.refresh_from_db()
    assert query.state == state
    assert balance(dataset) == expected
