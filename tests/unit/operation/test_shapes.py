"""Answers of the API: fields that are copied are what Django REST framework would have made."""

from collections.abc import Iterator
from typing import Any

import pytest
from rest_framework import serializers
from rest_framework.fields import SkipField

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


class _Sparse(serializers.CharField):
    """There for some values alone."""

    def get_attribute(self, instance: Any) -> Any:
        if instance.startswith("-"):
            raise SkipField
        return None if instance == "0" else str(instance)


class _Text(str):
    def size(self) -> int:
        return len(self)


class _Rare(ApiShape[Any]):
    sparse = _Sparse()
    length = serializers.IntegerField(source="size")
    told = serializers.CharField(default="?", source="unknown")


@pytest.mark.parametrize("value", ["-", "0", "abc"])
def test_an_answer_is_what_the_framework_would_have_made_of_the_value(value: str) -> None:
    """What is left out, what is null, what is called and what has a default."""
    shape, text = _Rare(), _Text(value)
    assert shape.to_representation(text) == serializers.Serializer.to_representation(shape, text)


class _Curious(ApiShape[Any]):
    class _Asking(serializers.CharField):
        def to_representation(self, value: Any) -> str:
            return f"{value} for {self.context['reader']}"

    name = _Asking(source="*")


def test_a_field_that_asks_for_whom_an_answer_is_fails_and_tells_nobody_s() -> None:
    """It is the same in all answers: the first reader's name would stand in everybody's."""
    with pytest.raises(TypeError, match="asks for whom"):
        _ = _Curious("x", context={"reader": "Anna"}).data
