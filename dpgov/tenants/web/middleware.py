"""What surrounds each request: whose it is, when its session ends, and that no cache keeps it.

In which language it is answered: by the reader's choice, else as the browser asks; the REST API
speaks English to everybody, so that answers can be compared. And a second factor is asked for where
DPGOV_MFA_REQUIRED names the person's role: until one is set up, every page leads to where that is
done, and nothing may stand in the way of it, of signing out, or of another organisation.
"""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import islice
from typing import Any, cast
from urllib.parse import urlsplit

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.middleware.locale import LocaleMiddleware
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from dpgov.operation import clock
from dpgov.operation.middleware import READING, is_api, is_metrics
from dpgov.operation.way_back import way_back
from dpgov.tenants.boundary import Scope, acting_as, change_to, current_scope, resumed
from dpgov.tenants.chosen import choose, chosen_among, has_chosen, tie
from dpgov.tenants.models import Membership, User
from dpgov.tenants.permissions import abilities
from dpgov.tenants.selectors import memberships_of

# Its own routes bear no room's name: account_*, mfa_*, sessions, health and the API's description.
# The API itself is opened by tokens alone, which are made on a page of a room.
_WITHOUT_A_FACTOR = frozenset(
    {"tenants:switch", "tenants:join", "tenants:welcome", "tenants:language"}
)
_FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
_WORDS = _("Your role needs a second factor. Set up an authenticator app or a passkey to go on.")


class SecondFactorMiddleware:
    """Stands behind TenantMiddleware, which knows the role."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *__: Any) -> HttpResponseBase | None:
        """The page itself, or the way to the set-up."""
        match = request.resolver_match
        if match is None or not _is_guarded(match.view_name):
            return None
        if not is_missing(getattr(request, "membership", None)):
            return None
        messages.warning(request, str(_WORDS))
        return redirect("mfa_index")


def is_missing(membership: Membership | None) -> bool:
    """Whether this person needs a second factor for this role, and has none."""
    asked = settings.DPGOV_MFA_REQUIRED
    if membership is None or not any(role in asked for role in membership.roles):
        return False
    return not Authenticator.objects.filter(user_id=membership.user_id, type__in=_FACTORS).exists()


def _is_guarded(name: str) -> bool:
    room, colon, _page = name.partition(":")
    return bool(colon) and room != "v1" and name not in _WITHOUT_A_FACTOR


def tenant(request: HttpRequest) -> dict[str, Any]:
    """`membership`, `tenant`, `can.<permission>` (lower-case names) and `languages`."""
    membership = getattr(request, "membership", None)
    return {
        "membership": membership,
        "tenant": membership.tenant if membership else None,
        "can": abilities(membership),
        "languages": settings.LANGUAGES,
    }


class LanguageMiddleware(LocaleMiddleware):
    """Django's own, but machines are always answered in English."""

    def process_request(self, request: HttpRequest) -> None:
        if is_api(request) or is_metrics(request):
            translation.activate(settings.LANGUAGE_CODE)
            request.LANGUAGE_CODE = translation.get_language()
        else:
            super().process_request(request)


@require_POST
def choose_language(request: HttpRequest) -> HttpResponseBase:
    """Remember the language in this browser and, for letters, with the person.

    Then back to where one was, on this site; from a page that a form's answer has drawn, to the one
    above it. Another language than those offered is a bad request.
    """
    code = request.POST.get("language", "")
    if code not in dict(settings.LANGUAGES):
        raise BadRequest
    if request.user.is_authenticated:
        User.objects.filter(pk=request.user.pk).update(language=code)
    response = set_language(request)
    here = urlsplit(response.headers.get("Location", ""))
    if (shown := way_back(here.path)) != here.path:
        response.headers["Location"] = shown
    return response


# How many parts of a streamed answer are read at a time, on one visit to the database.
_PARTS = 500


class TenantMiddleware:
    """Sets `request.membership`: the chosen membership of the signed-in user, or None.

    `request.memberships` are all of them. Read at each request, when its whole body is there, so
    that a removed role ends at once; what is at work by then, for milliseconds, is carried out.
    Until the answer is made, the database shows that membership's tenant and nothing else; nobody
    who is not signed in is shown any tenant.

    Where the chosen membership has ended, another one is chosen and the person is told. Whatever
    was sent then is refused: it was meant for the organisation that they have left.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        user = request.user
        person = user.pk if user.is_authenticated else None
        with acting_as(person):
            memberships = memberships_of(user) if user.is_authenticated else []
            membership = _acting(request, memberships)
            request.membership = membership  # type: ignore[attr-defined]
            request.memberships = memberships  # type: ignore[attr-defined]
            if membership is not None:
                tie(request, membership)
                change_to(membership.tenant_id, user_id=person)
            response = self.get_response(request)
            if isinstance(response, StreamingHttpResponse):
                parts = cast(Iterator[bytes], response.streaming_content)
                response.streaming_content = _within(current_scope(), parts)
        return response

    def process_view(self, request: HttpRequest, *__: Any) -> HttpResponseBase | None:
        """Nothing of an organisation is changed in the place of another one."""
        match = request.resolver_match
        if match is None or not getattr(request, "has_left", False) or request.method in READING:
            return None
        return render(request, "left.html", status=403) if _is_guarded(match.view_name) else None


def _acting(request: HttpRequest, memberships: list[Membership]) -> Membership | None:
    """What the session chose, or what is chosen in its place."""
    membership = chosen_among(request, memberships)
    request.has_left = membership is None and has_chosen(request)  # type: ignore[attr-defined]
    if membership is not None or not memberships:
        return membership
    choose(request, memberships[0])
    if request.method in READING and not is_api(request):
        text = _("You no longer belong to the organisation that you acted in. This is {name}.")
        messages.warning(request, text.format(name=memberships[0].tenant.name))
    return memberships[0]


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
    every five minutes, or a page in use would write at each click. What an open page asks by
    itself, as it says so, is no click.
    """

    _NOTED_EVERY = timedelta(minutes=5)
    _BY_ITSELF = "Looks-By-Itself"

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.user.is_authenticated:
            if _signed_in_seconds(request) > settings.SESSION_LONGEST_AGE:
                logout(request)
            elif self._BY_ITSELF not in request.headers:
                self._prolong(request)
        return self.get_response(request)

    def _prolong(self, request: HttpRequest) -> None:
        until = getattr(request.session, "kept_until", None)
        whole = timedelta(seconds=settings.SESSION_COOKIE_AGE)
        if until is not None and until - clock.now() < whole - self._NOTED_EVERY:
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

    Stands behind the static files, which are public. A page that says so itself, because it is of
    nobody (`strangers`), may be kept for a while by the reader's own browser.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        kept = getattr(response, "kept_seconds", 0)
        response.headers["Cache-Control"] = f"private, max-age={kept}" if kept else "no-store"
        return response
