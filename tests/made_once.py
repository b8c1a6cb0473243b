"""What a fixture makes in the database is made once for a module; the next test has it again.

Half of the time of a test in `tests/integration` was its world: people, a dataset, questions with
answers, each by some fifty statements that Django puts together anew. For a fixture that is marked
`made_once`, the statements that wrote are kept, with the files and the value that came of them. The
next test that has the very same fixtures before it, in the same module and quarter of an hour (so
that no day begins between them), has the statements carried out as they were, triggers and all, and
a copy of the value. Whatever differs, by a row or by a number that the database gives, is undone,
and the fixture runs.

Tests that commit make their world themselves.
"""

import functools
import shutil
import sqlite3
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.conf import settings
from django.core import mail
from django.db import connection, transaction
from django.db.models import Model

from tests import read_once
from tests.row_numbers import changes, numbers

_Key = tuple[Any, ...]
_QUARTER = 900
_READS = ("SELECT", "WITH", "PRAGMA", "EXPLAIN", "SAVEPOINT", "RELEASE")
_WRITES = ("INSERT", "UPDATE", "DELETE")


def made_once(fixture: Callable[..., Any]) -> Any:
    """A fixture that makes rows, perhaps files, and a value; and nothing else that stays.

    The value is of models and what holds them: functions are the same in every test.
    """

    @functools.wraps(fixture)
    def made(*args: Any, **kwargs: Any) -> Any:
        test = _now[0] if _now else None
        if test is None or not test.is_as_fixtures_left_it():
            return fixture(*args, **kwargs)
        name = (fixture.__module__, fixture.__qualname__)
        return test.have(name, partial(fixture, *args, **kwargs))

    return pytest.fixture(made)


@dataclass(frozen=True)
class _Statement:
    """One that wrote, and the number that the database gave to a row."""

    sql: str
    params: Any
    many: bool
    number: int | None


@dataclass(frozen=True)
class _Made:
    """What a fixture wrote after certain others, and its value, which no test ever holds."""

    statements: tuple[_Statement, ...]
    changes: int
    files: tuple["_File", ...]
    touched: tuple["_Touched", ...]
    value: Any


@dataclass(frozen=True)
class _File:
    place: Path
    kept: Path

    def is_there(self) -> None:
        """A test may have deleted it or written over it."""
        self.place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(self.kept, self.place)


@dataclass(frozen=True)
class _Touched:
    """What an earlier fixture gave, as kept, and what its fields and known relations became."""

    kept: Model
    fields: dict[str, Any]
    forgotten: tuple[str, ...]

    def happens_to(self, here: Model) -> None:
        vars(here).update(self.fields)
        for relation in self.forgotten:
            here._state.fields_cache.pop(relation, None)


class _Differs(Exception):
    """It did not come to what it had come to before."""


class _Written:
    """Hears of all statements, and keeps those that write; it cannot keep one that takes back."""

    def __init__(self) -> None:
        self.statements: list[_Statement] = []
        self.complete = True

    def __call__(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
    ) -> Any:
        kind, before = sql.lstrip("(").split(maxsplit=1)[0].upper(), changes()
        result = execute(sql, params, many, context)
        # A function of the database may write, too.
        if kind in _WRITES or (kind in _READS and before != changes()):
            number = _number(context["cursor"].cursor) if kind == "INSERT" else None
            self.statements.append(_Statement(sql, params, many, number))
        self.complete = self.complete and kind in (*_READS, *_WRITES)
        return result


@dataclass
class SoFar:
    """What a test has had made so far, as long as its fixtures alone have written."""

    begun: _Key
    changes: int = field(default_factory=changes)
    steps: list[_Key] = field(default_factory=list)
    # Of what is kept, this test's copies; of what this test holds, what is kept of it; and both.
    copies: dict[int, Any] = field(default_factory=dict)
    originals: dict[int, Any] = field(default_factory=dict)
    values: list[tuple[Any, Any]] = field(default_factory=list)

    def is_as_fixtures_left_it(self) -> bool:
        return connection.in_atomic_block and self.changes == changes()

    def have(self, name: _Key, make: Callable[[], Any]) -> Any:
        """The value of `make`, whose rows are there afterwards, made now or earlier."""
        key = (*self.begun, *self.steps, name)
        if (known := _kept.get(key)) is not None:
            with suppress(_Differs, sqlite3.Error, psycopg.Error), transaction.atomic():
                return self._again(known)
            return make()
        return self._first(key, make)

    def _again(self, known: _Made) -> Any:
        with connection.cursor() as cursor:
            for each in known.statements:
                run = cursor.cursor.executemany if each.many else cursor.cursor.execute
                run(each.sql, each.params)
                if cursor.cursor.description:
                    cursor.cursor.fetchall()
                if each.number is not None and each.number != _number(cursor.cursor):
                    raise _Differs
        if changes() - self.changes != known.changes:
            raise _Differs
        for file in known.files:
            file.is_there()
        for touched in known.touched:
            touched.happens_to(self.copies[id(touched.kept)])
        value = self._copy_for_this_test(known.value)
        self.changes = changes()
        return value

    def _copy_for_this_test(self, kept: Any) -> Any:
        """What two values share is shared by their copies."""
        value = deepcopy(kept, self.copies)
        for original in _copied(self.copies):
            self.originals[id(self.copies[id(original)])] = original
        self.values.append((value, kept))
        return value

    def _first(self, key: _Key, make: Callable[[], Any]) -> Any:
        written, files, letters = _Written(), _files(), len(mail.outbox)
        with connection.execute_wrapper(written):
            value = make()
        rows = changes() - self.changes
        if written.complete and len(mail.outbox) == letters and self._values_are_as_they_were():
            new = tuple(_keep(place) for place in _files() - files)
            touched = tuple(self._touched())
            kept = deepcopy(value, self.originals)
            _kept[key] = _Made(tuple(written.statements), rows, new, touched, kept)
            self.changes = changes()
            self.values.append((value, kept))
        return value

    def _values_are_as_they_were(self) -> bool:
        """Nobody put anything into what an earlier fixture gave: its copies would not have it."""
        return all(here == kept for here, kept in self.values if _says_what_it_holds(here))

    def _touched(self) -> Iterator[_Touched]:
        """A browser that signs in changes the account, for one, which the next test must see."""
        held = [(self.copies[id(kept)], kept) for kept in _copied(self.copies)]
        held += [(here, self.originals[id(here)]) for here in _copied(self.originals)]
        for here, kept in held:
            if isinstance(here, Model):
                names = [field.attname for field in here._meta.concrete_fields]
                now, before = vars(here), vars(kept)
                fields = {
                    name: now.get(name) for name in names if now.get(name) != before.get(name)
                }
                gone = tuple(set(kept._state.fields_cache) - set(here._state.fields_cache))
                if fields or gone:
                    yield _Touched(kept, fields, gone)


def _says_what_it_holds(value: object) -> bool:
    return type(value).__eq__ is not object.__eq__


def _number(cursor: Any) -> int | None:
    """The number that SQLite gave to the last row; on PostgreSQL they are set before a test."""
    return getattr(cursor, "lastrowid", None)


def _copied(memo: dict[int, Any]) -> list[Any]:
    """Of what `deepcopy` has made copies by this memo."""
    return list(memo.get(id(memo), ()))


_kept: dict[_Key, _Made] = {}
_now: list[SoFar] = []


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, Any, Any]:
    """What fixtures of ours were set up before makes a difference, and in which order."""
    value = yield
    if fixturedef.argname == "_django_db_helper":
        _begin(request.node)
    elif _now and fixturedef.func.__module__.startswith("tests."):
        _now[0].steps.append((fixturedef.argname, repr(getattr(request, "param", None))))
    return value


def pytest_runtest_teardown() -> None:
    _now.clear()


def _begin(test: pytest.Item) -> None:
    _now.clear()
    if not connection.in_atomic_block:
        return
    if _kept and next(iter(_kept))[0] != test.path:
        _forget()
    _now.append(SoFar((test.path, time.time() // _QUARTER, numbers(test.path))))


def _forget() -> None:
    """What was kept for a module that is done, with its files, which lie in memory as a rule."""
    for made in _kept.values():
        for file in made.files:
            file.kept.unlink(missing_ok=True)
    _kept.clear()


def _files() -> set[Path]:
    """Of the product; what `read_once` keeps beside them is never changed by a test."""
    home = Path(settings.DPGOV_HOME)
    beside = read_once.folder()
    return {each for each in home.rglob("*") if each.is_file() and beside not in each.parents}


def _keep(place: Path) -> _File:
    folder = Path(settings.DPGOV_HOME).parent / "made_once"
    folder.mkdir(exist_ok=True)
    kept = folder / str(uuid4())
    shutil.copy2(place, kept)
    return _File(place, kept)
