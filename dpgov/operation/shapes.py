"""How the API's answers are made of values."""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeVar

from rest_framework import serializers
from rest_framework.fields import SkipField

T = TypeVar("T")
_Field = serializers.Field[Any, Any, Any, Any]


class ApiShape(serializers.Serializer[T]):
    """The shape of an answer: it is made of a value, and never given anything to check.

    Django REST framework makes every field anew for each answer, to tell it whom that is for. Most
    do not ask: these are made once in a process. Shapes within this one are made for each answer,
    and methods are its own.
    """

    def get_fields(self) -> dict[str, Any]:
        """By name, in the order in which they are declared; copies, which no answer was made of."""
        return {name: _copied(field) for name, field in self._declared_fields.items()}

    def to_representation(self, instance: T) -> dict[str, Any]:
        """What the framework would make of it."""
        found: dict[str, Any] = {}
        for name, method, field in _ways(type(self)):
            if method:
                found[name] = getattr(self, method)(instance)
                continue
            own = field or self._own(name)
            try:
                value = own.get_attribute(instance)
            except SkipField:
                continue
            found[name] = None if value is None else own.to_representation(value)
        return found

    def _own(self, name: str) -> _Field:
        """The field of this answer alone."""
        kept: dict[str, _Field] = vars(self).setdefault("_kept", {})
        if name not in kept:
            kept[name] = _copied(self._declared_fields[name])
            kept[name].bind(field_name=name, parent=self)
        return kept[name]


@cache
def _ways(shape: type[ApiShape[Any]]) -> tuple[tuple[str, str, _Field | None], ...]:
    """Of each field its name, and its method or what is the same in each answer."""
    return tuple(_way(name, field) for name, field in shape().fields.items())


def _way(name: str, field: Any) -> tuple[str, str, _Field | None]:
    if isinstance(field, serializers.SerializerMethodField):
        return name, str(field.method_name), None
    if any(isinstance(one, serializers.BaseSerializer) for one in _within(field)):
        return name, "", None
    for one in _within(field):
        one.parent = _NOBODY
    return name, "", field


def _within(field: Any) -> Iterator[Any]:
    """The field, and what its values are made of."""
    while field is not None:
        yield field
        field = getattr(field, "child", None)


class _Nobody:
    """Whom an answer is for, to a field that is in all of them: it must not ask."""

    parent, partial = None, False

    @property
    def _context(self) -> Callable[..., Any]:
        raise TypeError("this field is the same in each answer, and asks for whom it is")


_NOBODY = _Nobody()


def _copied(field: _Field) -> _Field:
    """Its own `parent` and `context`; shapes in a list of them ask for it, too."""
    own: _Field = object.__new__(type(field))
    vars(own).update(vars(field))
    child = vars(own).get("child")
    if isinstance(child, serializers.BaseSerializer):
        vars(own)["child"] = _copied(child)
        vars(own)["child"].parent = own
    return own
