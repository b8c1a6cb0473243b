"""Questions that take all memory or never end, in a real worker: killed, charged, tried twice."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as live
from django.core.checks import run_checks

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Charge
from dpgov.queries.models import Query, Release
from dpgov.queries.sweep import sweep
from dpgov.tenants.models import Membership
from tests.integration.queue.workers import prefork_fleet

PATIENCE = 180
HUNGRY_APP = "tests.integration.operation.hungry"
Ask = Callable[..., Query]


@pytest.mark.django_db(transaction=True)
def test_a_process_that_is_killed_for_its_memory_is_tried_twice_and_charged(
    analyst: Membership, ask: Ask, settings: Any, tmp_path: Path
) -> None:
    """B14: nobody answers, the sweep ends it, and the data had been opened."""
    query = _ended(ask(analyst), settings, tmp_path, way="killed")
    assert query.attempts == 2
    _failed_and_charged(query)


@pytest.mark.django_db(transaction=True)
def test_memory_beyond_the_bound_is_refused_and_the_worker_lives_to_say_so(
    analyst: Membership, ask: Ask, settings: Any, tmp_path: Path
) -> None:
    """B14: the first attempt ends it, charged; the process goes on."""
    query = _ended(ask(analyst), settings, tmp_path, way="memory", DPGOV_QUERY_MEMORY_MB="100")
    assert query.attempts == 1
    _failed_and_charged(query)


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_scan_that_ignores_every_request_to_end_is_killed_and_charged(
    analyst: Membership, ask: Ask, settings: Any, tmp_path: Path
) -> None:
    """B14: the hard limit, twice, each time before the lease is over."""
    changes = {"DPGOV_QUERY_SECONDS": "1"}
    query = _ended(ask(analyst), settings, tmp_path, way="time", lease=25, **changes)
    assert query.attempts == 2
    _failed_and_charged(query)
    assert (tmp_path / "worker.log").read_text().count("Hard time limit (21s) exceeded") == 2


def _ended(
    query: Query, settings: Any, folder: Path, *, way: str, lease: int = 1, **changes: str
) -> Query:
    """Let a hungry worker at it and sweep until it has ended, the lease being so many seconds."""
    settings.DPGOV_LEASE_SECONDS = lease
    changes |= {"DPGOV_LEASE_SECONDS": str(lease), "HUNGRY": way}
    pause, until = threading.Event(), time.monotonic() + PATIENCE
    with prefork_fleet(folder / "worker.log", app=HUNGRY_APP, **changes):
        while query.state not in Query.ENDED:
            assert time.monotonic() < until, (folder / "worker.log").read_text()[-3000:]
            sweep()
            pause.wait(0.3)
            query.refresh_from_db()
    return query


def _failed_and_charged(query: Query) -> None:
    assert query.state == Query.State.FAILED
    assert Charge.objects.get(query_id=query.pk).amount_nano == query.cost_nano
    assert not Release.objects.exists()
    assert AuditEntry.objects.filter(subject=f"query:{query.pk}").count() == 2


def test_the_bounds_of_time_are_in_order() -> None:
    """B4, B14: a lease outlives the process that holds it."""
    assert live.DPGOV_QUERY_SECONDS < live.CELERY_TASK_SOFT_TIME_LIMIT
    assert live.CELERY_TASK_SOFT_TIME_LIMIT < live.CELERY_TASK_TIME_LIMIT
    assert live.CELERY_TASK_TIME_LIMIT < live.DPGOV_LEASE_SECONDS
    assert "dpgov.E001" not in {message.id for message in run_checks()}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DPGOV_LEASE_SECONDS", 45),
        ("DPGOV_QUERY_SECONDS", 300),
        ("CELERY_TASK_TIME_LIMIT", 35),
        ("CELERY_BROKER_TRANSPORT_OPTIONS", {"visibility_timeout": 30}),
    ],
)
def test_bounds_in_another_order_stop_every_command(settings: Any, name: str, value: Any) -> None:
    """B4, B14"""
    setattr(settings, name, value)
    found = [message for message in run_checks() if message.id == "dpgov.E001"]
    assert len(found) == 1
    assert found[0].is_serious()
