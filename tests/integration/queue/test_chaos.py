"""Half a minute of killed, frozen and cut off workers under load."""

import random
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count

from dpgov.audit.models import AuditEntry
from dpgov.budgets.models import Charge
from dpgov.budgets.selectors import ledger_findings
from dpgov.queries.models import Query, Release
from dpgov.queries.sweep import sweep
from dpgov.tenants.models import Membership
from tests.integration.queue.workers import celery_worker, children_of, send

SECONDS = 30
RECOVERY_SECONDS = 120
WORKER = {"DPGOV_LEASE_SECONDS": "1", "DPGOV_ANSWER_SLOT_MS": "1"}


@pytest.mark.django_db(transaction=True)
def test_workers_killed_every_50_ms_lose_nothing_and_answer_nothing_twice(
    analyst: Membership, ask: Callable[..., Query], tmp_path: Path, settings: Any
) -> None:
    """B1: kill -9, SIGSTOP past the lease, connections cut; invariants hold in every snapshot."""
    settings.DPGOV_LEASE_SECONDS = 1
    with celery_worker(tmp_path / "worker.log", children=3, **WORKER) as worker:
        kills = _under_attack(worker, lambda: ask(analyst, epsilon=0.0001))
        assert kills > 50
        _recover()
    ended = dict(Query.objects.values_list("state").annotate(Count("pk")))
    assert set(ended) <= {Query.State.RELEASED, Query.State.FAILED, Query.State.VOIDED}, ended
    assert ended[Query.State.RELEASED] > 0
    _each_ended_once()


def _under_attack(worker: subprocess.Popen[bytes], ask: Callable[[], Query]) -> int:
    stop, kills = threading.Event(), []
    attacker = threading.Thread(target=_attack, args=(worker, stop, kills))
    attacker.start()
    try:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            ask()
            _snapshot()
            sweep()
            stop.wait(0.2)
    finally:
        stop.set()
        attacker.join()
    return len(kills)


def _attack(worker: subprocess.Popen[bytes], stop: threading.Event, kills: list[int]) -> None:
    """Never touches the database: it belongs to the main thread."""
    frozen: dict[int, float] = {}
    while not stop.wait(0.05):
        alive = [pid for pid in children_of(worker) if pid not in frozen]
        if alive and len(frozen) < 1 and len(kills) % 20 == 19:
            victim = random.choice(alive)
            if send(victim, signal.SIGSTOP):
                frozen[victim] = time.monotonic() + 1.5
        elif alive and send(victim := random.choice(alive), signal.SIGKILL):
            kills.append(victim)
        for pid in [pid for pid, until in frozen.items() if until < time.monotonic()]:
            send(pid, signal.SIGCONT)
            del frozen[pid]
    for pid in frozen:
        send(pid, signal.SIGCONT)


def _snapshot() -> None:
    assert ledger_findings() == []
    if connection.vendor == "postgresql" and random.random() < 0.3:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


def _recover() -> None:
    """With the attack over, the sweep brings every accepted query to its end."""
    unfinished = Query.objects.exclude(state__in=Query.ENDED)
    until = time.monotonic() + RECOVERY_SECONDS
    pause = threading.Event()
    while unfinished.exists() and time.monotonic() < until:
        sweep()
        pause.wait(0.25)


def _each_ended_once() -> None:
    for query in Query.objects.all():
        charges = Charge.objects.filter(query_id=query.pk).count()
        releases = Release.objects.filter(query=query).count()
        entries = AuditEntry.objects.filter(subject=f"query:{query.pk}")
        assert entries.count() == 2, "submitted, and one ending"
        assert charges == (query.state != Query.State.VOIDED)
        assert releases == (query.state == Query.State.RELEASED)
