"""M58, B12: whether a sweeper runs, seen from every machine, whatever becomes of a clock."""

import math
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.db.utils import IntegrityError, OperationalError

from dpgov.operation import clock
from dpgov.queries.answering import heartbeat
from dpgov.queries.answering.heartbeat import Heart, Sweeps, last_beat
from dpgov.queries.answering.workers import ready_file
from dpgov.queries.models import Sweeper
from tests.house.tree import ROOT
from tests.integration.queries.answering.workers import database_url, environment
from tests.servers.postgres import APP, SWEEPER
from tests.servers.waiting import PATIENCE, end_of, until

HOUR = timedelta(hours=1)
GRACE = heartbeat.GRACE_SECONDS


class Clocks:
    """The clock of the database, which somebody sets, and one of this process that only runs."""

    def __init__(self) -> None:
        self.ahead, self.passed = timedelta(), 1000.0

    def monotonic(self) -> float:
        return self.passed

    def now(self) -> Any:
        return clock.Now() + self.ahead

    def wait(self, seconds: float) -> None:
        self.passed += seconds
        self.ahead += timedelta(seconds=seconds)


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    made = Clocks()
    monkeypatch.setattr(heartbeat, "time", made)
    monkeypatch.setattr(heartbeat, "Now", made.now)
    return made


@pytest.fixture(autouse=True)
def new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that has seen nothing yet."""
    monkeypatch.setattr(heartbeat, "_seen", None)


def is_alive() -> bool:
    beat = last_beat()
    return beat is not None and beat.is_alive


def is_alive_to_a_new_process(monkeypatch: pytest.MonkeyPatch) -> bool:
    with monkeypatch.context() as patch:
        patch.setattr(heartbeat, "_seen", None)
        return is_alive()


@contextmanager
def sweeper_on(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of its own, as the sweeper's role, with nothing in common but the database."""
    home.mkdir(mode=0o700)
    url = database_url().replace(f"//{APP}:", f"//{SWEEPER}:")
    changes = {"DPGOV_HOME": str(home), "DPGOV_DATABASE_URL": url}
    command = [sys.executable, "manage.py", "sweep", "--every", "0.2"]
    with (home / "log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment(**changes), stdout=log, stderr=log
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)


@pytest.mark.django_db(transaction=True)
def test_a_sweeper_on_one_machine_is_seen_from_another_and_so_is_its_end(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M58: two state folders, one sweeper."""
    settings.DPGOV_HOME = tmp_path / "web"
    assert last_beat() is None
    with sweeper_on(tmp_path / "sweeper") as process:
        log = end_of(tmp_path / "sweeper/log")
        until(lambda: is_alive() or process.poll() is not None, log)
        assert process.poll() is None, log()
        beat = last_beat()
        assert beat is not None
        assert beat.started_at <= clock.now()
    assert (tmp_path / "sweeper/operation/sweeper.ready").exists(), "for its own health check"
    assert not ready_file("sweeper").exists()
    assert is_alive(), "within its grace"
    clocks = Clocks()
    clocks.passed = time.monotonic() + GRACE + 1
    monkeypatch.setattr(heartbeat, "time", clocks)
    assert not is_alive()


@pytest.mark.django_db
def test_its_word_holds_for_one_grace(clocks: Clocks, monkeypatch: pytest.MonkeyPatch) -> None:
    """M58: for a process that has looked before, and for one that has not."""
    Heart().beat(Sweeps(rounds=1))
    assert is_alive()
    clocks.wait(GRACE - 2)
    assert is_alive()
    assert is_alive_to_a_new_process(monkeypatch)
    clocks.wait(4)
    assert not is_alive()
    assert not is_alive_to_a_new_process(monkeypatch)


@pytest.mark.django_db
def test_a_clock_set_back_wakes_no_dead_sweeper(
    clocks: Clocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """M58, B12: its last word would be of the future for an hour, and fresh after that."""
    Heart().beat(Sweeps())
    assert is_alive()
    clocks.wait(2 * GRACE)
    for back in (HOUR, timedelta(seconds=2 * GRACE)):
        clocks.ahead -= back
        assert not is_alive()
        clocks.ahead += back
    clocks.ahead -= HOUR
    assert not is_alive_to_a_new_process(monkeypatch)
    beat = last_beat()
    assert beat is not None
    assert 2 * GRACE <= beat.age < 3 * GRACE


@pytest.mark.django_db
def test_to_a_process_that_looks_for_the_first_time_it_is_dead_after_one_grace_at_most(
    clocks: Clocks,
) -> None:
    """M58, B12: the worst that a clock set back can do; nothing is known of the time before."""
    Heart().beat(Sweeps())
    clocks.wait(10 * GRACE)
    clocks.ahead = timedelta(seconds=1)
    assert is_alive()
    clocks.passed += GRACE
    assert not is_alive()


@pytest.mark.django_db
@pytest.mark.parametrize("jump", [HOUR, -HOUR])
def test_a_clock_that_jumps_stops_no_living_sweeper(clocks: Clocks, jump: timedelta) -> None:
    """M58, B12: neither for who has looked before nor, from its next word on, for anybody else."""
    heart = Heart()
    heart.beat(Sweeps())
    assert is_alive()
    clocks.ahead += jump
    assert is_alive()
    clocks.wait(5)
    heart.beat(Sweeps())
    clocks.ahead -= jump
    assert is_alive(), "spoken between two looks of which the first saw the word before it"
    clocks.wait(5)
    heart.beat(Sweeps())
    heartbeat._seen = None
    assert is_alive()


@pytest.mark.django_db
def test_a_word_of_the_future_is_believed_by_nobody_who_sees_it_first(clocks: Clocks) -> None:
    """M58: its age is told as infinite, so that whoever watches it is told."""
    Heart().beat(Sweeps())
    clocks.ahead -= HOUR
    beat = last_beat()
    assert beat is not None
    assert (beat.age, beat.is_alive) == (math.inf, False)


@pytest.mark.django_db
def test_it_tells_since_when_it_runs(clocks: Clocks) -> None:
    """M58: a new process begins anew; the words are counted on."""
    first, second = Heart(), Heart()
    first.beat(Sweeps())
    began = Sweeper.objects.get().started_at
    clocks.wait(5)
    first.beat(Sweeps(rounds=1))
    assert Sweeper.objects.get().started_at == began
    second.beat(Sweeps())
    row = Sweeper.objects.get()
    assert (row.number, row.rounds, row.started_at > began) == (3, 0, True)


@pytest.mark.django_db
def test_a_database_that_is_away_ends_no_sweeper(monkeypatch: pytest.MonkeyPatch) -> None:
    """M58: what it did is told by its next word."""
    heart = Heart()
    with monkeypatch.context() as patch:
        patch.setattr(Sweeper.objects, "update", _away)
        heart.beat(Sweeps(rounds=1))
    assert last_beat() is None
    heart.beat(Sweeps(rounds=2, broken_off=1))
    assert Sweeper.objects.get().rounds == 2


def _away(**_told: Any) -> int:
    raise OperationalError


@pytest.mark.django_db
def test_there_is_one_row() -> None:
    """M58: the database refuses a second."""
    Heart().beat(Sweeps())
    row = Sweeper.objects.get()
    row.pk = 2
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)
