"""Workers of a product that stand still for a while, so that something waits."""

import os
import signal
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg

from tests.journeys.product import Product, workers_of
from tests.servers.waiting import PATIENCE, until, within

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

        def stopped_between() -> bool:
            _send(workers, signal.SIGSTOP)
            if within(0.5, lambda: connection.execute(_OPEN).fetchone() == (0,), every=0.01):
                return True
            _send(workers, signal.SIGCONT)
            return False

        until(stopped_between, "some transaction is always open")


@contextmanager
def _nobody_writes(state: Path) -> Generator[None]:
    """The lock of SQLite's writers is taken, so that no worker has it."""
    with closing(sqlite3.connect(state / "dpgov.sqlite3", timeout=PATIENCE)) as connection:
        connection.isolation_level = None
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def _send(workers: list[int], number: int) -> None:
    for pid in workers:
        os.kill(pid, number)
    if number == signal.SIGSTOP:
        until(lambda: all(map(_is_stopped, workers)), "they go on", every=0.01)


def _is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def _works_on(pid: int, queue: str) -> bool:
    return queue.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
