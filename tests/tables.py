"""The tables are made once in a run, by whichever process needs them first; the others copy them.

On SQLite a copy is a backup into the process's own database, on PostgreSQL a database made after
the model of another. Only the `migrate` with which Django makes a test database is replaced.
"""

import fcntl
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psycopg
from django.db import connection
from psycopg import sql

from dpgov.tenants.management.commands.migrate import Command
from dpgov.tenants.wall.grants import on_database
from dpgov.tenants.wall.roles import known_roles
from tests.profile import is_in_a_run, root_of_the_run

_KEPT = "kept_tables"


def make_once() -> None:
    """The next `migrate` of this process copies the tables if another process has made them."""
    made = Command.handle

    def handle(command: Command, *args: Any, **options: Any) -> None:
        replaced.stop()
        with _alone() as there:
            if there.exists():
                _take(there)
                return
            made(command, *args, **options)
            _keep(there)

    replaced = patch.object(Command, "handle", handle)
    replaced.start()


def begin_with_them(state: Path) -> None:
    """A product with this state folder finds them migrated, if they are made already; on SQLite."""
    if not is_in_a_run():
        return
    with _alone() as there:
        if connection.vendor == "sqlite" and there.exists():
            state.mkdir(mode=0o700)
            database = state / "dpgov.sqlite3"
            shutil.copy(there, database)
            database.chmod(0o600)


def like_them() -> str:
    """The database on PostgreSQL that a new one is best made after."""
    with _alone() as there:
        return _KEPT if there.exists() else "template1"


@contextmanager
def _alone() -> Iterator[Path]:
    """One process of the run at a time; where the others find that there are tables."""
    place = root_of_the_run() / _KEPT
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield place


def _keep(place: Path) -> None:
    beside = place.with_suffix(".new")
    if connection.vendor == "sqlite":
        with sqlite3.connect(beside) as copy:
            connection.connection.backup(copy)
        copy.close()
    else:
        _new_database(_KEPT, like=connection.settings_dict["NAME"])
        beside.touch()
    beside.replace(place)


def _take(place: Path) -> None:
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with sqlite3.connect(place) as kept:
            kept.backup(connection.connection)
        kept.close()
    else:
        name = connection.settings_dict["NAME"]
        _new_database(name, like=_KEPT)
        with connection.cursor() as cursor:
            # Who may connect belongs to a database, and to no copy of it.
            for statement in on_database(known_roles(), name):
                cursor.execute(statement)


def _new_database(name: str, *, like: str) -> None:
    """Nobody may be connected to a model, nor to what is replaced."""
    connection.close()
    of = connection.settings_dict
    where = {"host": of["HOST"], "port": of["PORT"], "password": of["PASSWORD"]}
    with psycopg.connect(**where, user="admin", dbname="postgres", autocommit=True) as admin:
        admin.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name)))
        names = [sql.Identifier(each) for each in (name, of["USER"], like)]
        admin.execute(sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {}").format(*names))
