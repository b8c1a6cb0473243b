"""API sign-in: a hashed token, bound to one membership. A browser session never opens the API."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from knox.settings import CONSTANTS
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dpgov.operation import clock
from dpgov.operation.prepared import Prepared
from dpgov.tenants.boundary import acting_as, change_to
from dpgov.tenants.crossing import users_of_token_key
from dpgov.tenants.models import ApiToken, Membership
from dpgov.tenants.rates import count

_NOTED_EVERY = timedelta(hours=1)


class TokenAuthentication(KnoxTokenAuthentication):  # type: ignore[misc]
    """`Authorization: Token <value>`; the request then acts as the token's membership.

    It is counted here, so that one which the role refuses counts too; `RateThrottle` looks later.
    """

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        # A cookie must not speak for an API call: there is no CSRF check on these routes.
        request._request.membership = None  # type: ignore[attr-defined]
        change_to(None)
        found: tuple[Any, Any] | None = super().authenticate(request)
        if found is not None:
            membership = found[1].membership
            request._request.membership = membership  # type: ignore[attr-defined]
            change_to(membership.tenant_id, user_id=membership.user_id)
            request._request.rate = count(membership, found[1])  # type: ignore[attr-defined]
        return found

    def authenticate_credentials(self, token: bytes) -> tuple[Any, Any]:
        """The user and the token; raises AuthenticationFailed, whatever the bytes are.

        Tokens belong to persons, so each person whose token might be meant is asked in turn.
        """
        if not token.isalnum():
            raise AuthenticationFailed("Invalid token.")
        for user_id in users_of_token_key(token.decode()[: CONSTANTS.TOKEN_KEY_LENGTH]):
            with acting_as(user_id):
                user, found = super().authenticate_credentials(token)
                if found.is_of_another_password:
                    raise AuthenticationFailed("Invalid token.")
                found.membership = _membership(found.membership_id)
                _note_use(found)
                return user, found
        raise AuthenticationFailed("Invalid token.")

    def look_again(self, request: Request) -> None:
        """Whoever waited for long goes on as what they are by now; nothing is counted.

        Raises AuthenticationFailed where their token or membership has ended.
        """
        _scheme, token = get_authorization_header(request).split()
        _user, found = self.authenticate_credentials(token)
        request._request.membership = found.membership  # type: ignore[attr-defined]

    def _cleanup_token(self, auth_token: ApiToken) -> bool:
        """Whether it is too old; its row stays, so that its person sees what became of it."""
        return auth_token.is_too_old


def _note_use(token: ApiToken) -> None:
    """At most once an hour, or each call would write."""
    now = clock.now()
    if token.used_at is None or now - token.used_at >= _NOTED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(used_at=now)


def _membership(membership_id: UUID) -> Membership:
    found = _that.first(membership_id)
    if found is None:
        raise Membership.DoesNotExist
    return found


@Prepared
def _that(membership_id: UUID) -> QuerySet[Membership]:
    return Membership.objects.filter(pk=membership_id).select_related("tenant", "user")
