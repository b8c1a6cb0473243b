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
from django.db.models.query import (
    ModelIterable,
    get_related_populators,
    prefetch_related_objects,
)
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
        connection = connections[self.rows.db]
        parameters = put_in(self.parameters, values, connection)
        if self.rows.query.select_for_update:
            # Django looks for it when a statement is put together.
            _in_transaction(connection)
        found = self._read(connection, parameters)
        lookups = self.rows._prefetch_related_lookups
        if found and lookups:
            prefetch_related_objects(found, *lookups)
        return found

    def _read(self, connection: BaseDatabaseWrapper, parameters: Sequence[Any]) -> list[Any]:
        if self.rows._iterable_class is not ModelIterable or self.rows._known_related_objects:
            return list(self.rows._iterable_class(_Asked(self, connection, parameters)))
        models = _kept_here(_Models, self, connection)
        with connection.cursor() as cursor:
            cursor.execute(self.sql, parameters)
            return models.of_rows(cursor.fetchall())


def _in_transaction(connection: BaseDatabaseWrapper) -> None:
    if connection.features.has_select_for_update and connection.get_autocommit():
        raise TransactionManagementError("a row is locked outside of a transaction")


class _Asked:
    """What an iterable class of Django reads of a queryset and its query.

    The one thing here that Django's own documentation does not describe, see ADR 55.
    """

    def __init__(
        self, statement: _Statement, connection: BaseDatabaseWrapper, parameters: Sequence[Any]
    ) -> None:
        rows = statement.rows
        self.query, self.db, self.model, self._rows = self, rows.db, rows.model, rows
        self._fields, self._known_related_objects = rows._fields, rows._known_related_objects
        self._compiler = copy.copy(statement.compiler)
        self._compiler.connection = connection
        converters = _kept_here(_Converters, statement, connection).each
        self._compiler.get_converters = lambda *_, **__: converters  # type: ignore[method-assign]
        self._compiler.as_sql = lambda *_, **__: (statement.sql, parameters)  # type: ignore[method-assign, assignment]

    def get_compiler(self, *_: Any, **__: Any) -> SQLCompiler:
        return self._compiler

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows.query, name)


class _Converters:
    """How what this connection returns becomes Python's."""

    def __init__(self, statement: _Statement, connection: BaseDatabaseWrapper) -> None:
        compiler = copy.copy(statement.compiler)
        compiler.connection = connection
        self.connection = connection
        self.each = compiler.get_converters(
            [one for one, *_ in compiler.select[: compiler.col_count]]
        )

    def of_row(self, row: Sequence[Any]) -> list[Any]:
        """Its values."""
        found = list(row)
        for place, (converters, expression) in self.each.items():
            for convert in converters:
                found[place] = convert(found[place], expression, self.connection)
        return found


class _Models(_Converters):
    """How rows become models, as the iterable class of Django makes them."""

    def __init__(self, statement: _Statement, connection: BaseDatabaseWrapper) -> None:
        super().__init__(statement, connection)
        compiler, self._db = statement.compiler, statement.rows.db
        told = compiler.klass_info or {}
        self._model = told["model"]
        self._own = slice(told["select_fields"][0], told["select_fields"][-1] + 1)
        self._names = [one.target.attname for one, *_ in compiler.select[self._own]]
        self._related = get_related_populators(told, compiler.select, self._db)  # type: ignore[call-arg]
        self._further = tuple((compiler.annotation_col_map or {}).items())

    def of_rows(self, rows: Sequence[Sequence[Any]]) -> list[Any]:
        """A model for each, with all that was selected beside it."""
        return [self._of(self.of_row(row)) for row in rows]

    def _of(self, row: list[Any]) -> Any:
        found = self._model.from_db(self._db, self._names, row[self._own])
        for related in self._related:
            related.populate(row, found)
        for name, place in self._further:
            setattr(found, name, row[place])
        return found


C = TypeVar("C", bound=_Converters)
_here = threading.local()


def _kept_here(kind: type[C], statement: _Statement, connection: BaseDatabaseWrapper) -> C:
    """What depends on the connection is found out once for each of a thread."""
    kept: dict[_Statement, C] = vars(_here).setdefault("kept", {})
    found = kept.get(statement)
    if found is None or found.connection is not connection:
        found = kept[statement] = kind(statement, connection)
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
