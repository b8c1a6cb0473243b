"""Gives every request the membership that it acts as, and keeps answers out of caches."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import cast

from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse

from dpgov.tenants.boundary import Scope, acting_as, change_to, current_scope, resumed
from dpgov.tenants.selectors import membership_for_session, memberships_of

# How many parts of a streamed answer are read at a time, on one visit to the database.
_PARTS = 500


class TenantMiddleware:
    """Sets `request.membership`: the chosen membership of the signed-in user, or None.

    `request.memberships` are all of them. Read at each request, so that a removed role ends at
    once. Until the answer is made, the database shows that membership's tenant and nothing else;
    nobody who is not signed in is shown any tenant.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        user = request.user
        person = user.pk if user.is_authenticated else None
        with acting_as(person):
            memberships = list(memberships_of(user)) if user.is_authenticated else []
            membership = membership_for_session(memberships, request.session.get("membership"))
            request.membership = membership  # type: ignore[attr-defined]
            request.memberships = memberships  # type: ignore[attr-defined]
            if membership is not None:
                change_to(membership.tenant_id, user_id=person)
            response = self.get_response(request)
            if isinstance(response, StreamingHttpResponse):
                parts = cast(Iterator[bytes], response.streaming_content)
                response.streaming_content = _within(current_scope(), parts)
        return response


def _within(scope: Scope | None, parts: Iterator[bytes]) -> Iterator[bytes]:
    """A streamed answer is read after the request has left: it enters again for each stretch.

    Between two stretches nothing is entered, however slow or short the reader is.
    """
    while True:
        with resumed(scope):
            stretch = list(islice(parts, _PARTS))
        if not stretch:
            return
        yield b"".join(stretch)


class NoStoreMiddleware:
    """Forbids every cache to keep an answer, pages, fragments, errors and API alike.

    Stands behind the static files, which are public and the only thing worth keeping.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers["Cache-Control"] = "no-store"
        return response
