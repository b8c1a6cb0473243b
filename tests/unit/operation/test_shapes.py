"""Answers of the API: fields that are copied are what Django REST framework would have made."""

from collections.abc import Iterator
from typing import Any

import pytest
from rest_framework import serializers

import dpgov.urls  # noqa: F401 - all shapes are there
from dpgov.operation.shapes import ApiShape


class _Part(ApiShape[Any]):
    name = serializers.SerializerMethodField()

    def get_name(self, value: str) -> str:
        return f"{value} for {self.context['reader']}"


class _Whole(ApiShape[Any]):
    name = serializers.SerializerMethodField()
    part = _Part(source="*")
    parts = _Part(source="letters", many=True)
    numbers = serializers.ListField(child=serializers.IntegerField(), source="ones")

    def get_name(self, value: Any) -> str:
        return f"all for {self.context['reader']}"


class _Value(str):
    letters, ones = ("a", "b"), ("1", "2")


def _shapes(of: type[ApiShape[Any]] = ApiShape) -> Iterator[type[ApiShape[Any]]]:
    for one in of.__subclasses__():
        yield one
        yield from _shapes(one)


@pytest.mark.parametrize("shape", sorted({*_shapes()}, key=str))
def test_a_shape_has_the_fields_that_its_class_declares(
    shape: type[ApiShape[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By all that the framework tells of a field: its kind, arguments and order."""
    copied = repr(shape())
    monkeypatch.setattr(ApiShape, "get_fields", serializers.Serializer.get_fields)
    assert copied == repr(shape())


def test_two_answers_at_once_have_each_their_own_reader() -> None:
    """What one was made for is seen in no other, however deep it stands."""
    anna, otto = (_Whole(_Value("x"), context={"reader": name}) for name in ("Anna", "Otto"))
    first, second = anna.fields["name"], otto.fields["name"]
    assert (first.parent, second.parent) == (anna, otto)
    for reader, whole in (("Anna", anna), ("Otto", otto)):
        assert whole.data == {
            "name": f"all for {reader}",
            "part": {"name": f"x for {reader}"},
            "parts": [{"name": f"a for {reader}"}, {"name": f"b for {reader}"}],
            "numbers": [1, 2],
        }
