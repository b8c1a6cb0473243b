"""A broker that repeats itself, a long queue under fire, and clocks that jump."""

import signal
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count
from django.utils import timezone

from dpgov.audit.models import AuditEntry
from dpgov.budgets.findings import ledger_findings
from dpgov.budgets.models import Charge
from dpgov.operation.clock import database_now
from dpgov.queries.answering.ending import seal
from dpgov.queries.answering.lease import Claim, LostLease, claim
from dpgov.queries.answering.sweep import sweep
from dpgov.queries.models import Query, Release
from dpgov.tenants.models import Membership
from tests.cast import publish_now
from tests.integration.queries.answering.workers import Pids, prefork_fleet, send, solo_fleet
from tests.servers.waiting import PATIENCE, end_of, until

pytestmark = pytest.mark.django_db(transaction=True)

KILLS = 40
QUEUED = 2_000
BEGUN, OVER = "a delivery begins", "a delivery is over"
# What stands in a long queue takes its time.
LONG_PATIENCE = 3 * PATIENCE
BODY = {"answers": [], "format": 1}


@pytest.mark.long
def test_a_message_that_comes_again_while_its_task_still_runs_gives_one_release(
    analyst: Membership, ask: Callable[..., Query], tmp_path: Path
) -> None:
    """B4: the broker's patience (1 s) is shorter than the task (3 s), and two workers listen."""
    log = tmp_path / "worker.log"
    slow = {"app": "tests.integration.queries.answering.slow"}
    with prefork_fleet(log, **slow), prefork_fleet(log, **slow):
        queries = [ask(analyst, epsilon=0.001) for _ in range(4)]
        _until_all_ended()
        # The control: Redis does repeat itself; what it repeats shall be over, too.
        least = len(queries) + (connection.vendor == "postgresql")
        until(lambda: least <= _told(log, BEGUN) <= _told(log, OVER), end_of(log))
    _each_is_answered_once(len(queries))


@pytest.mark.long
def test_forty_killed_workers_leave_nothing_of_two_thousand_questions_behind(
    analyst: Membership, ask: Callable[..., Query], tmp_path: Path, settings: Any
) -> None:
    """B5: Redis loses some of the messages; the sweeper brings every question to its end."""
    for _ in range(QUEUED):
        ask(analyst, epsilon=0.001)
    settings.DPGOV_LEASE_SECONDS = 2
    fleet = prefork_fleet if connection.vendor == "postgresql" else solo_fleet
    with fleet(tmp_path / "worker.log", DPGOV_LEASE_SECONDS="2") as pids:
        until(_Killer(pids).has_killed_enough, end_of(tmp_path / "worker.log"), every=0.25)
        _until_all_ended(pids)
    assert Query.objects.count() == QUEUED
    ended = dict(Query.objects.order_by().values_list("state").annotate(Count("pk")))
    assert ended[Query.State.RELEASED] >= QUEUED - KILLS, ended
    _each_is_answered_once(ended[Query.State.RELEASED])


def _told(log: Path, word: str) -> int:
    return log.read_text().count(word)


class _Killer:
    """Kills one worker process at each look."""

    def __init__(self, pids: Pids) -> None:
        self._pids, self._killed = pids, 0

    def has_killed_enough(self) -> bool:
        if alive := self._pids():
            self._killed += send(alive[self._killed % len(alive)], signal.SIGKILL)
        return self._killed >= KILLS


def _until_all_ended(pids: Pids = list) -> None:
    def is_over() -> bool:
        pids()
        sweep()
        publish_now()
        return not Query.objects.exclude(state__in=Query.ENDED).exists()

    until(is_over, "questions were lost", patience=LONG_PATIENCE, every=0.5)


def _each_is_answered_once(answers: int) -> None:
    assert ledger_findings() == []
    assert Release.objects.count() == answers
    charged = Query.objects.filter(state__in=Query.CHARGED)
    assert Charge.objects.count() == charged.count()
    assert set(Charge.objects.values_list("query_id")) == set(charged.values_list("pk"))
    endings = AuditEntry.objects.filter(subject__startswith="query:").exclude(
        action="QUERY_SUBMITTED"
    )
    assert endings.count() == endings.values("subject").distinct().count() == Query.objects.count()


@pytest.mark.parametrize("hours", [1, -1])
def test_a_jump_of_a_workers_clock_neither_takes_a_lease_nor_gives_one_away(
    hours: int, analyst: Membership, ask: Callable[..., Query], monkeypatch: pytest.MonkeyPatch
) -> None:
    """B12: on PostgreSQL leases use the database's time; everywhere a jump gives one release."""
    query = ask(analyst, epsilon=0.001)
    first = claim(query.pk)
    assert first is not None
    with monkeypatch.context() as patch:
        _jump(patch, hours)
        second = claim(query.pk)
        if connection.vendor == "postgresql":
            assert second is None
    Query.objects.filter(pk=query.pk).update(lease_until=database_now())
    with monkeypatch.context() as patch:
        _jump(patch, hours)
        later = claim(query.pk)
        if connection.vendor == "postgresql":
            assert later is not None
    for held in filter(None, (first, second, later)):
        try:
            seal(held, body=BODY, started=timedelta())
        except LostLease:
            continue
    publish_now()
    assert Release.objects.count() == Charge.objects.count() == 1


@pytest.mark.parametrize("first_ahead", [True, False], ids=["set back", "set forward"])
@pytest.mark.parametrize("jump", [timedelta(hours=1), timedelta(days=1)], ids=["hour", "day"])
def test_a_jump_of_the_databases_clock_gives_no_second_answer(
    jump: timedelta,
    first_ahead: bool,
    analyst: Membership,
    ask: Callable[..., Query],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """L14: a lease that ends early is taken by another, whose answer is the only one; one that was
    given while the clock was ahead ends late, and nobody else has it before.
    """
    query = ask(analyst, epsilon=0.001)
    first = _claimed_at(query, jump if first_ahead else timedelta(), monkeypatch)
    second = _claimed_at(query, timedelta() if first_ahead else jump, monkeypatch)
    held = [claim for claim in (first, second) if claim is not None]
    assert len(held) == (1 if first_ahead else 2)
    for claimed in held[:-1]:
        with pytest.raises(LostLease):
            seal(claimed, body=BODY, started=timedelta())
    seal(held[-1], body=BODY, started=timedelta())
    for claimed in held:
        with pytest.raises(LostLease):
            seal(claimed, body=BODY, started=timedelta())
    publish_now()
    assert Release.objects.count() == Charge.objects.count() == 1
    assert ledger_findings() == []


def _claimed_at(query: Query, ahead: timedelta, monkeypatch: pytest.MonkeyPatch) -> Claim | None:
    """What a worker gets while the database's clock is so far ahead."""
    with monkeypatch.context() as patch:
        patch.setattr("dpgov.queries.answering.lease.database_now", lambda: database_now() + ahead)
        return claim(query.pk)


def _jump(patch: pytest.MonkeyPatch, hours: int) -> None:
    """Every clock that Python code of ours could look at."""
    really, seconds = timezone.now, time.time

    def now() -> datetime:
        return really() + timedelta(hours=hours)

    patch.setattr("django.utils.timezone.now", now)
    patch.setattr("time.time", lambda: seconds() + 3600 * hours)
