"""Workers of a product that stand still for a while, so that something waits."""

import os
import signal
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg

from tests.journeys.product import Product, workers_of

_PATIENCE = 60.0
_OPEN = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL"
)


@contextmanager
def nobody_works(product: Product, *, on: str = "") -> Generator[None]:
    """No worker does anything, or none `on` this queue; then they go on.

    None is stopped between its steps in the database: a page would wait for what it had locked.
    """
    stopped = [pid for pid in workers_of(product) if not on or _works_on(pid, on)]
    assert stopped
    try:
        _stop_between_transactions(product, stopped)
        yield
    finally:
        _send(stopped, signal.SIGCONT)


def _stop_between_transactions(product: Product, workers: list[int]) -> None:
    if not product.database:
        with _nobody_writes(product.home / "state"):
            _send(workers, signal.SIGSTOP)
        return
    with psycopg.connect(product.database, autocommit=True) as connection:
        deadline = time.monotonic() + _PATIENCE
        while True:
            _send(workers, signal.SIGSTOP)
            if _within(0.5, lambda: connection.execute(_OPEN).fetchone() == (0,)):
                return
            assert time.monotonic() < deadline, "some transaction is always open"
            _send(workers, signal.SIGCONT)


@contextmanager
def _nobody_writes(state: Path) -> Generator[None]:
    """The lock of SQLite's writers is taken, so that no worker has it."""
    with closing(sqlite3.connect(state / "dpgov.sqlite3", timeout=_PATIENCE)) as connection:
        connection.isolation_level = None
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def _send(workers: list[int], number: int) -> None:
    for pid in workers:
        os.kill(pid, number)
    if number == signal.SIGSTOP:
        assert _within(_PATIENCE, lambda: all(map(_is_stopped, workers)))


def _is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def _within(seconds: float, holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _works_on(pid: int, queue: str) -> bool:
    return queue.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
