"""Places for values in a statement, and which statement a call is about."""

import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import date, datetime
from functools import reduce, update_wrapper
from itertools import count, islice
from operator import or_
from typing import Any, ClassVar, Generic, Never, ParamSpec, TypeAlias, TypeVar
from uuid import UUID

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    BigIntegerField,
    DateField,
    DateTimeField,
    Expression,
    Field,
    Q,
    TextField,
    UUIDField,
)

from dpgov.operation import clock

P = ParamSpec("P")
B = TypeVar("B")
S = TypeVar("S")
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


class Shaped(Generic[P, B, S]):
    """A function that builds something of Django's, and the statements that were made of it.

    Each positional parameter (UUID, str, int, date or datetime, or a tuple of UUIDs; never None)
    is a value that differs from one call to the next, and is nothing but a place while the
    statement is put together: what would turn it into text, or look into it, fails there. Keyword
    parameters say which statement it is; there is one for each. The function may look at nothing
    else: no clock, no language, no setting. All that there are stand in `Shaped.known`.
    """

    known: ClassVar["list[Shaped[Any, Any, Any]]"] = []

    def __init__(self, build: Callable[P, B]) -> None:
        parameters = inspect.signature(build).parameters.values()
        self._build = build
        self._kinds = {
            each.name: each.annotation for each in parameters if each.kind is not each.KEYWORD_ONLY
        }
        self._statements: dict[_Shape, S | None] = {}
        update_wrapper(self, build)
        self.known.append(self)

    def __call__(self, *values: P.args, **told: P.kwargs) -> Any:
        raise NotImplementedError

    def statement(self, lengths: Iterable[int] = (), **told: Any) -> S | None:
        """It, put together; None where it concerns no row, whatever the values are."""
        return self._made(self._build(*_places(self._kinds.values(), iter(lengths)), **told))

    def _made(self, built: B) -> S | None:
        raise NotImplementedError

    def _is_for_once(self, values: Sequence[Any]) -> bool:
        """Whether these values have a statement that is not kept. Raises TypeError for too few."""
        if len(values) != len(self._kinds) or None in values:
            raise TypeError(f"{self._build.__name__} takes a value for each of {[*self._kinds]}")
        return clock.is_moved() or any(len(one) > _MOST for one in values if isinstance(one, tuple))

    def _kept(self, values: Sequence[Any], told: dict[str, Any]) -> S | None:
        lengths = tuple(len(one) for one in values if isinstance(one, tuple))
        shape = (lengths, tuple(sorted(told.items())))
        if shape not in self._statements:
            self._statements[shape] = self.statement(lengths, **told)
        return self._statements[shape]


def _places(kinds: Iterable[Any], lengths: Iterator[int]) -> Iterator[Any]:
    """As the parameters are declared, each place with its number among all values."""
    numbers = count()
    for kind in kinds:
        if kind in _FIELDS:
            yield _Place(next(numbers), _FIELDS[kind]())
        else:
            within = islice(numbers, next(lengths))
            yield tuple(_Place(number, UUIDField()) for number in within)


def put_in(
    parameters: Iterable[Any], values: Iterable[Any], connection: BaseDatabaseWrapper
) -> tuple[Any, ...]:
    """The parameters of a statement, each value of a call in its place."""
    each = [*_each(values)]
    return tuple(
        one.output_field.get_db_prep_value(each[one.number], connection)
        if isinstance(one, _Place)
        else one
        for one in parameters
    )


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
