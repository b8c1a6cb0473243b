"""Gives every request the membership that it acts as, and keeps answers out of caches."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from dpgov.tenants.models import Membership
from dpgov.tenants.selectors import membership_for_session


class TenantMiddleware:
    """Sets `request.membership`: the chosen membership of the signed-in user, or None.

    Read from the database at each request, so that a removed role ends at once.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request.membership = _membership(request)  # type: ignore[attr-defined]
        return self.get_response(request)


def _membership(request: HttpRequest) -> Membership | None:
    if not request.user.is_authenticated:
        return None
    return membership_for_session(request.user, request.session.get("membership"))


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
