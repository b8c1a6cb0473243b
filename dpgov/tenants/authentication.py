"""API sign-in: a hashed token, bound to one membership."""

from typing import Any

from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from rest_framework.request import Request


class TokenAuthentication(KnoxTokenAuthentication):
    """`Authorization: Token <value>`; the request then acts as the token's membership."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        found: tuple[Any, Any] | None = super().authenticate(request)
        if found is not None:
            request._request.membership = found[1].membership  # type: ignore[attr-defined]
        return found
