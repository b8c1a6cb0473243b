"""API sign-in: a hashed token, bound to one membership. A browser session never opens the API."""

from typing import Any

from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request


class TokenAuthentication(KnoxTokenAuthentication):
    """`Authorization: Token <value>`; the request then acts as the token's membership."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        # A cookie must not speak for an API call: there is no CSRF check on these routes.
        request._request.membership = None  # type: ignore[attr-defined]
        found: tuple[Any, Any] | None = super().authenticate(request)
        if found is not None:
            request._request.membership = found[1].membership  # type: ignore[attr-defined]
        return found

    def authenticate_credentials(self, token: bytes) -> tuple[Any, Any]:
        """The user and the token; raises AuthenticationFailed, whatever the bytes are."""
        if not token.isalnum():
            raise AuthenticationFailed("Invalid token.")
        found: tuple[Any, Any] = super().authenticate_credentials(token)
        return found
