"""What a door of the REST API may be asked for that answers with a file."""

from collections.abc import Iterable
from typing import Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.utils.mediatypes import media_type_matches


class _OwnTypes(DefaultContentNegotiation):
    """Takes who asks for the file's own type; the file goes out as it is, and refusals as JSON."""

    types: tuple[str, ...] = ()

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> Any:
        """The first renderer where a type of the file was asked for; else as everywhere."""
        wanted = self.get_accept_list(request)
        if any(media_type_matches(own, one) for own in self.types for one in wanted):
            first = next(iter(renderers))
            return first, first.media_type
        return super().select_renderer(request, renderers, format_suffix)


def as_one_of(*types: str) -> type[DefaultContentNegotiation]:
    """The negotiation of a door whose file has one of these media types."""
    plain = tuple(one.partition(";")[0] for one in types)
    return type("OwnTypes", (_OwnTypes,), {"types": plain})
