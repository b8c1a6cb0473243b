"""Real Celery workers on the test database, and the means to hurt them."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from celery import current_app
from django.db import connection
from redis import Redis

from tests.servers.postgres import APP
from tests.servers.waiting import end_of, until

Pids = Callable[[], list[int]]
Worker = subprocess.Popen[bytes]

_READY = b" ready."


def environment(**changes: str) -> dict[str, str]:
    """The environment of a process that works on the test database."""
    return {**os.environ, "DPGOV_DATABASE_URL": database_url(), **changes}


def database_url() -> str:
    """The test database as a URL, whichever server it is on.

    On PostgreSQL as a production process connects: as the application's role, told nothing.
    """
    opened = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{opened['NAME']}"
    password = f":{opened['PASSWORD']}"
    place = f"{opened['HOST'] or '127.0.0.1'}:{opened['PORT'] or 5432}"
    return f"postgresql://{APP}{password}@{place}/{opened['NAME']}"


@contextmanager
def prefork_fleet(log: Path, *, app: str = "dpgov", **changes: str) -> Iterator[Pids]:
    """A production worker; what can be killed are the children of its pool, which it replaces."""
    worker = _started(log, ["--pool=prefork", "--concurrency=3"], changes, app)
    try:
        yield lambda: _children_of(worker)
    finally:
        _stop(worker)
        _forget_messages()


@contextmanager
def solo_fleet(log: Path, **changes: str) -> Iterator[Pids]:
    """Two embedded workers; asking for their pids also replaces the dead, as the demo does."""
    workers = [_started(log, ["--pool=solo"], changes) for _ in range(2)]

    def pids() -> list[int]:
        for place, worker in enumerate(workers):
            if worker.poll() is not None:
                workers[place] = _start(log, ["--pool=solo"], changes)
        return [worker.pid for worker in workers]

    try:
        yield pids
    finally:
        for worker in workers:
            _stop(worker)
        _forget_messages()


@contextmanager
def one_worker(log: Path, *, app: str = "dpgov", **changes: str) -> Iterator[Worker]:
    """A worker as each profile starts it, with a single place."""
    production = connection.vendor == "postgresql"
    pool = ["--pool=prefork", "--concurrency=1"] if production else ["--pool=solo"]
    worker = _started(log, [*pool, f"--hostname={log.stem}@%h"], changes, app)
    try:
        yield worker
    finally:
        _stop(worker)
        _forget_messages()


@contextmanager
def reader_of_files(log: Path, **changes: str) -> Iterator[Worker]:
    """A worker that reads files that shall be registered, in the embedded profile's way."""
    pool = ["--pool=solo", "--queues=reading", "--hostname=reader@%h"]
    worker = _started(log, pool, changes)
    try:
        yield worker
    finally:
        _stop(worker)
        _forget_messages()


def _forget_messages() -> None:
    """What killed workers left in the broker would keep the next test's worker busy."""
    current_app.control.purge()
    url: str = current_app.conf.broker_url
    if url.startswith("redis"):
        with Redis.from_url(url) as broker:
            broker.delete("unacked", "unacked_index")


def send(pid: int, number: signal.Signals) -> bool:
    """Signal a process that may be gone already; whether it was there."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def _started(log: Path, pool: list[str], changes: dict[str, str], app: str = "dpgov") -> Worker:
    """A worker that is ready to take messages."""
    ready_before = log.read_bytes().count(_READY) if log.exists() else 0
    worker = _start(log, pool, changes, app)

    def is_ready() -> bool:
        assert worker.poll() is None, end_of(log)()
        return log.read_bytes().count(_READY) > ready_before

    try:
        until(is_ready, end_of(log))
    except AssertionError:
        _stop(worker)
        raise
    return worker


def _start(log: Path, pool: list[str], changes: dict[str, str], app: str = "dpgov") -> Worker:
    command = [sys.executable, "-m", "celery", "-A", app, "worker", *pool]
    with log.open("ab") as output:
        return subprocess.Popen(
            [*command, "--loglevel=INFO", "--without-gossip", "--without-mingle"],
            env=environment(**changes),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _stop(worker: Worker) -> None:
    if worker.poll() is None:
        os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()


def _children_of(worker: Worker) -> list[int]:
    """The pool processes of a worker, whichever of its threads started them."""
    lists = Path(f"/proc/{worker.pid}/task").glob("*/children")
    return [int(pid) for children in lists for pid in children.read_text().split()]
