"""Statements that a process puts together once, and asks with other values each time.

To put one together takes Django longer than the database takes to answer it. Whose rows are sought
differs from one time to the next, and the statement does not. Nothing of an answer is kept.
"""

import copy
import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import reduce, update_wrapper
from itertools import count, islice
from operator import or_
from typing import Any, ClassVar, Generic, Never, ParamSpec, TypeAlias, TypeVar
from uuid import UUID

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    BigIntegerField,
    DateField,
    DateTimeField,
    Expression,
    Field,
    Model,
    Q,
    QuerySet,
    TextField,
    UUIDField,
)
from django.db.models.query import prefetch_related_objects
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import TransactionManagementError

from dpgov.operation import clock

P = ParamSpec("P")
R = TypeVar("R")
_FIELDS: "dict[Any, type[Field[Any, Any]]]" = {
    UUID: UUIDField,
    str: TextField,
    int: BigIntegerField,
    date: DateField,
    datetime: DateTimeField,
}


# Longer lists are rare, and each length is a statement of its own.
_MOST = 8
_Shape: TypeAlias = tuple[tuple[int, ...], tuple[tuple[str, Any], ...]]


class _Place(Expression):
    """Where a value belongs; what stands for it in a statement until it is asked."""

    def __init__(self, number: int, field: "Field[Any, Any]") -> None:
        super().__init__(output_field=field)
        self.number = number

    def as_sql(self, compiler: Any, connection: Any, **_: Any) -> Any:
        return "%s", [self]

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) if _django_asks() else self._is_looked_into()

    def __hash__(self) -> int:
        return super().__hash__() if _django_asks() else self._is_looked_into()

    def __bool__(self) -> bool:
        return _django_asks() or self._is_looked_into()

    def __str__(self) -> str:
        return str(self._is_looked_into())

    def _is_looked_into(self) -> Never:
        raise TypeError("what this place is for is not known while a statement is put together")


def _django_asks() -> bool:
    """Django compares whatever it is given; in our own code that would decide about a statement."""
    return str(sys._getframe(2).f_globals["__name__"]).startswith("django.")


@dataclass(frozen=True, slots=True)
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
        parameters = tuple(
            each.output_field.get_db_prep_value(values[each.number], connection)
            if isinstance(each, _Place)
            else each
            for each in statement.parameters
        )
        self._compiler = copy.copy(statement.compiler)
        self._compiler.connection = connection
        self._compiler.as_sql = lambda *_, **__: (statement.sql, parameters)  # type: ignore[method-assign]

    def get_compiler(self, *_: Any, **__: Any) -> SQLCompiler:
        return self._compiler

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows.query, name)


class Prepared(Generic[P, R]):
    """A function that makes a queryset, turned into one that reads its rows.

    Each positional parameter (UUID, str, int, date or datetime, or a tuple of UUIDs; never None)
    is a value that differs from one call to the next, and is nothing but a place while the
    statement is put together: what would turn it into text, or look into it, fails there. Keyword
    parameters say which statement it is; there is one for each. The function may look at nothing
    else: no clock, no language, no setting. All that there are stand in `Prepared.known`.
    """

    known: ClassVar["list[Prepared[Any, Any]]"] = []

    def __init__(self, build: Callable[P, QuerySet[Any, R]]) -> None:
        parameters = inspect.signature(build).parameters.values()
        self._build = build
        self._kinds = {
            each.name: each.annotation for each in parameters if each.kind is not each.KEYWORD_ONLY
        }
        self._statements: dict[_Shape, _Statement | None] = {}
        update_wrapper(self, build)
        self.known.append(self)

    def __call__(self, *values: P.args, **told: P.kwargs) -> list[R]:
        """The rows, read anew each time."""
        if len(values) != len(self._kinds) or None in values:
            raise TypeError(f"{self._build.__name__} takes a value for each of {[*self._kinds]}")
        if clock.is_moved() or any(len(one) > _MOST for one in values if isinstance(one, tuple)):
            return list(self._build(*values, **told))
        lengths = tuple(len(one) for one in values if isinstance(one, tuple))
        shape = (lengths, tuple(sorted(told.items())))
        if shape not in self._statements:
            self._statements[shape] = self.statement(lengths, **told)
        statement = self._statements[shape]
        return [] if statement is None else statement.ask([*_each(values)])

    def first(self, *values: P.args, **told: P.kwargs) -> R | None:
        """The first of these rows; None where there is none."""
        return next(iter(self(*values, **told)), None)

    def statement(self, lengths: Iterable[int] = (), **told: Any) -> "_Statement | None":
        """It, put together; None where it finds nothing, whatever the values are."""
        rows = self._build(*_places(self._kinds.values(), iter(lengths)), **told)
        compiler = rows.query.get_compiler(using=rows.db)
        try:
            sql, parameters = compiler.as_sql()
        except EmptyResultSet:
            return None
        # That of this thread, which may end long before the statement does.
        compiler.connection = None
        return _Statement(rows, compiler, sql, tuple(parameters))


def _places(kinds: Iterable[Any], lengths: Iterator[int]) -> Iterator[Any]:
    """As the parameters are declared, each place with its number among all values."""
    numbers = count()
    for kind in kinds:
        if kind in _FIELDS:
            yield _Place(next(numbers), _FIELDS[kind]())
        else:
            within = islice(numbers, next(lengths))
            yield tuple(_Place(number, UUIDField()) for number in within)


def _each(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple):
            yield from value
        else:
            yield value


def among(path: str, values: Collection[UUID]) -> Q:
    """What `path__in=values` says: that looks into what it is given, which no place allows."""
    if not any(isinstance(value, _Place) for value in values):
        return Q(**{f"{path}__in": values})
    return reduce(or_, (Q(**{path: value}) for value in values))


def keep_related(owner: Model, name: str, rows: list[Any]) -> None:
    """`rows` are what `owner.<name>.all()` gives from now on, as after `prefetch_related`."""
    manager = getattr(owner, name)
    kept = manager.get_queryset()
    kept._result_cache, kept._prefetch_done = rows, True
    for row in rows:
        setattr(row, manager.field.name, owner)
    vars(owner).setdefault("_prefetched_objects_cache", {})[name] = kept
