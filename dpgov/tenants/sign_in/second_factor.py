"""Asks for a second factor where DPGOV_MFA_REQUIRED names the person's role.

Until one is set up, every page leads to where that is done. Must never stand in the way of setting
it up, signing out, choosing a language, or going to another organisation.
"""

from collections.abc import Callable
from typing import Any

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from dpgov.tenants.models import Membership

# Its own routes bear no room's name: account_*, mfa_*, sessions, health and the API's description.
# The API itself is opened by tokens alone, which are made on a page of a room.
_FREE = frozenset({"tenants:switch", "tenants:join", "tenants:language"})
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
    if membership is None or membership.role not in settings.DPGOV_MFA_REQUIRED:
        return False
    return not Authenticator.objects.filter(user_id=membership.user_id, type__in=_FACTORS).exists()


def _is_guarded(name: str) -> bool:
    room, colon, _page = name.partition(":")
    return bool(colon) and room != "v1" and name not in _FREE
