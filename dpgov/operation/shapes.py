"""How the API's answers are made of values."""

import copy
from typing import Any, TypeVar

from rest_framework import serializers

T = TypeVar("T")


class ApiShape(serializers.Serializer[T]):
    """The shape of an answer: it is made of a value, and never given anything to check.

    Django REST framework calls the constructor of every field again for each answer. These fields
    are copies of the declared ones instead, which no answer has ever been made with.
    """

    def get_fields(self) -> dict[str, Any]:
        """By name, in the order in which they are declared."""
        return {name: _copied(field) for name, field in self._declared_fields.items()}


def _copied(field: Any) -> Any:
    """Its own `parent` and `context`; what stands in a list of shapes asks for them, too."""
    holds_shapes = isinstance(getattr(field, "child", None), serializers.BaseSerializer)
    return copy.deepcopy(field) if holds_shapes else copy.copy(field)
