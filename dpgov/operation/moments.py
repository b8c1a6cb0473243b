"""Moments by which a list is cut, in the addresses of the REST API and in forms."""

from datetime import UTC, datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django_filters import IsoDateTimeFilter
from django_filters.fields import IsoDateTimeField
from rest_framework import serializers


class MomentInUtc(forms.DateTimeField):
    """A moment that there is in UTC, too: at the ends of the calendar not every zone has one.

    Without an offset it is one of the pages' zone, where it has to be one moment and not two.
    """

    def to_python(self, value: Any) -> datetime | None:
        """Raises the form's ValidationError as for any other text that is no moment."""
        found: datetime | None = super().to_python(value)
        try:
            if found is not None:
                found.astimezone(UTC)
        except OverflowError as problem:
            raise ValidationError(self.error_messages["invalid"], code="invalid") from problem
        return found


class _Moment(MomentInUtc, IsoDateTimeField):  # type: ignore[misc]
    """The same as the API spells it, and in UTC."""

    def to_python(self, value: Any) -> datetime | None:
        """Raises the form's ValidationError."""
        found = super().to_python(value)
        return found if found is None else found.astimezone(UTC)


class MomentFilter(IsoDateTimeFilter):  # type: ignore[misc]
    """Of a set of filters."""

    field_class = _Moment


class MomentField(serializers.DateTimeField):
    """The same where a serializer reads the address."""

    def to_internal_value(self, value: Any) -> datetime | None:  # type: ignore[override]
        """Raises the serializer's ValidationError."""
        try:
            found: datetime | None = _Moment().clean(value)
        except ValidationError as problem:
            raise serializers.ValidationError(problem.messages, code="invalid") from problem
        return found
