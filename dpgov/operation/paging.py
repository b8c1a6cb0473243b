"""Pages of the REST API's lists: whatever an address says, it is a page or a refusal."""

from datetime import UTC, datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Field
from django.utils.timezone import is_naive
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination, LimitOffsetPagination
from rest_framework.request import Request


class SomeOfMany(LimitOffsetPagination):
    """By number, and never all at once."""

    max_limit = 200


class ByPosition(CursorPagination):
    """By the position of the last one seen; one that no list of ours wrote is not found."""

    def paginate_queryset(
        self, queryset: Any, request: Request, view: Any = None
    ) -> list[Any] | None:
        """A page of them; raises NotFound."""
        cursor = self.decode_cursor(request)
        if cursor is not None and cursor.position is not None:
            first = self.get_ordering(request, queryset, view)[0].removeprefix("-")
            self._check(queryset.model._meta.get_field(first), str(cursor.position))
        return super().paginate_queryset(queryset, request, view)

    def _check(self, field: "Field[Any, Any]", position: str) -> None:
        """Before the database reads it: there it would be no refusal but a failure."""
        try:
            value = field.clean(position, None)
            if isinstance(value, datetime) and (is_naive(value) or not value.astimezone(UTC)):
                raise NotFound(self.invalid_cursor_message)
        except (ValidationError, OverflowError):
            raise NotFound(self.invalid_cursor_message) from None
