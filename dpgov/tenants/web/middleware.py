"""What surrounds each request: whose it is, when its session ends, and that no cache keeps it."""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import islice
from typing import cast

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone

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


class SessionEndsMiddleware:
    """Ends a session so many days after its sign-in, and prolongs it while it is used.

    Without a click it ends by itself, SESSION_COOKIE_AGE after the last one; that is noted at most
    every five minutes, or a page in use would write at each click.
    """

    _NOTED_EVERY = timedelta(minutes=5)

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.user.is_authenticated:
            if _signed_in_seconds(request) > settings.SESSION_LONGEST_AGE:
                logout(request)
            else:
                self._prolong(request)
        return self.get_response(request)

    def _prolong(self, request: HttpRequest) -> None:
        until = getattr(request.session, "kept_until", None)
        whole = timedelta(seconds=settings.SESSION_COOKIE_AGE)
        if until is not None and until - timezone.now() < whole - self._NOTED_EVERY:
            request.session.modified = True


def _signed_in_seconds(request: HttpRequest) -> float:
    """How long ago this session was signed in to; the library notes each proof of who it is."""
    proofs = request.session.get("account_authentication_methods", [])
    return time.time() - min((proof["at"] for proof in proofs), default=time.time())


class LettersMiddleware:
    """Letters about sign-in leave when the answer has been sent.

    How long an answer takes must not tell whether there was anybody to write to.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        letters: list[Callable[[], object]] = []
        request.letters = letters  # type: ignore[attr-defined]
        response = self.get_response(request)
        response._resource_closers.extend(letters)  # type: ignore[attr-defined]
        return response


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
