"""Processes that meet at a row: each waits for another's word, or until somebody waits for it."""

import os
import select

from django.db import OperationalError, connection
from psycopg.errors import DeadlockDetected

from tests.servers.waiting import PATIENCE, until


class Turn:
    """A signal from one process to another. Who waits too long goes on, and the test fails."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()

    def give(self) -> None:
        os.write(self.writer, b"x")

    def wait(self) -> None:
        select.select([self.reader], [], [], PATIENCE)


def conflict() -> OperationalError:
    """What the database says to one of two that wait for each other, whose step it ends."""
    error = OperationalError()
    error.__cause__ = DeadlockDetected()
    return error


def until_somebody_waits(done: Turn) -> None:
    """Until another process waits for a lock, or has not had to. SQLite lets nobody else in."""
    if connection.vendor != "postgresql":
        return
    until(lambda: bool(select.select([done.reader], [], [], 0)[0]) or _waiting(), "nobody waits")


def _waiting() -> bool:
    with connection.cursor() as cursor:
        # What a transaction has seen of the other sessions once, it goes on seeing.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        # What a session waits for is told to its own role alone, that it waits to everybody.
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)"
            " WHERE NOT granted AND datname = current_database())"
        )
        return bool(cursor.fetchone()[0])
