"""What reads rows, put together once."""

import copy
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet
from django.db.models.query import prefetch_related_objects
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import TransactionManagementError

from dpgov.operation.prepared.places import P, Shaped, put_in

R = TypeVar("R")


@dataclass(frozen=True, eq=False, slots=True)
class _Statement:
    """A queryset's SQL with places for values, and how rows are made of what comes back."""

    rows: Any
    compiler: SQLCompiler
    sql: str
    parameters: tuple[Any, ...]

    def ask(self, values: Sequence[Any]) -> list[Any]:
        """Its rows with these values; raises TransactionManagementError for a lock without one."""
        asked = _Asked(self, values)
        if self.rows.query.select_for_update:
            # Django looks for it when a statement is put together.
            _in_transaction(connections[self.rows.db])
        found: list[Any] = list(self.rows._iterable_class(asked))
        lookups = self.rows._prefetch_related_lookups
        if found and lookups:
            prefetch_related_objects(found, *lookups)
        return found


def _in_transaction(connection: BaseDatabaseWrapper) -> None:
    if connection.features.has_select_for_update and connection.get_autocommit():
        raise TransactionManagementError("a row is locked outside of a transaction")


class _Asked:
    """What an iterable class of Django reads of a queryset and its query.

    The one thing here that Django's own documentation does not describe, see ADR 55.
    """

    def __init__(self, statement: _Statement, values: Sequence[Any]) -> None:
        rows = statement.rows
        self.query, self.db, self.model, self._rows = self, rows.db, rows.model, rows
        self._fields, self._known_related_objects = rows._fields, rows._known_related_objects
        connection = connections[rows.db]
        parameters = put_in(statement.parameters, values, connection)
        self._compiler = copy.copy(statement.compiler)
        self._compiler.connection = connection
        self._compiler.get_converters = lambda *_, **__: _converters(statement, connection)  # type: ignore[method-assign]
        self._compiler.as_sql = lambda *_, **__: (statement.sql, parameters)  # type: ignore[method-assign]

    def get_compiler(self, *_: Any, **__: Any) -> SQLCompiler:
        return self._compiler

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows.query, name)


_here = threading.local()


def _converters(statement: _Statement, connection: BaseDatabaseWrapper) -> Any:
    """How what this connection returns becomes Python's: found out once for each of a thread."""
    kept: dict[_Statement, tuple[BaseDatabaseWrapper, Any]] = vars(_here).setdefault("kept", {})
    of, found = kept.get(statement, (None, None))
    if of is not connection:
        compiler = copy.copy(statement.compiler)
        compiler.connection = connection
        found = compiler.get_converters([one for one, *_ in compiler.select[: compiler.col_count]])
        kept[statement] = connection, found
    return found


class Prepared(Shaped[P, QuerySet[Any, R], _Statement], Generic[P, R]):
    """A function that makes a queryset, turned into one that reads its rows."""

    def __call__(self, *values: P.args, **told: P.kwargs) -> list[R]:
        """The rows, read anew each time."""
        if self._is_for_once(values):
            return list(self._build(*values, **told))
        statement = self._kept(values, told)
        return [] if statement is None else statement.ask(values)

    def first(self, *values: P.args, **told: P.kwargs) -> R | None:
        """The first of these rows; None where there is none."""
        return next(iter(self(*values, **told)), None)

    def _made(self, built: QuerySet[Any, R]) -> _Statement | None:
        compiler = built.query.get_compiler(using=built.db)
        try:
            sql, parameters = compiler.as_sql()
        except EmptyResultSet:
            return None
        # That of this thread, which may end long before the statement does.
        compiler.connection = None
        return _Statement(built, compiler, sql, tuple(parameters))


def keep_related(owner: Model, name: str, rows: list[Any]) -> None:
    """`rows` are what `owner.<name>.all()` gives from now on, as after `prefetch_related`."""
    manager = getattr(owner, name)
    kept = manager.get_queryset()
    kept._result_cache, kept._prefetch_done = rows, True
    for row in rows:
        setattr(row, manager.field.name, owner)
    vars(owner).setdefault("_prefetched_objects_cache", {})[name] = kept
