"""Bodies that the REST API takes: they have the fields that are described, and nothing else.

Whoever writes a field's name otherwise than it is must not believe that it was heard: what it would
have protected would be left open, and the answer would be that of success.
"""

from collections.abc import Container
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError

_UNKNOWN = "There is no such field here."


class NothingElse(serializers.Serializer[Any]):
    """Refuses a field that it does not know, before it looks at the others."""

    def to_internal_value(self, data: Any) -> Any:
        """As before; raises ValidationError at each unknown field."""
        refuse_unknown(data, self.fields)
        return super().to_internal_value(data)


class WholeNumber(serializers.IntegerField):
    """A whole number as JSON writes one: neither a text nor `true` is taken for it."""

    def to_internal_value(self, data: Any) -> int:
        """The same; raises ValidationError."""
        if not isinstance(data, int) or isinstance(data, bool):
            self.fail("invalid")
        return data


def refuse_any(body: object) -> None:
    """For an operation that takes nothing: no body, or {}. Raises ValidationError otherwise."""
    NothingElse(data=body).is_valid(raise_exception=True)


def refuse_unknown(body: object, known: Container[str]) -> None:
    """Of a body that is read by hand; raises ValidationError at each unknown field.

    What is no object has no fields: whoever reads it refuses that.
    """
    if not isinstance(body, dict):
        return
    unknown = [name for name in body if name not in known]
    if unknown:
        raise ValidationError({name: [_UNKNOWN] for name in unknown})
