"""API sign-in: a hashed token, bound to one membership. A browser session never opens the API."""

from datetime import timedelta
from hmac import compare_digest
from typing import Any

from django.db.models import QuerySet
from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from knox.crypto import hash_token
from knox.settings import CONSTANTS
from rest_framework.authentication import get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from dpgov.operation import clock
from dpgov.operation.prepared import Prepared
from dpgov.tenants.boundary import acting_as, change_to
from dpgov.tenants.crossing import users_of_token_key
from dpgov.tenants.models import ApiToken
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
        value = token.decode()
        for user_id in users_of_token_key(value[: CONSTANTS.TOKEN_KEY_LENGTH]):
            with acting_as(user_id):
                found = _meant_by(value)
                if found is not None:
                    user, _ = self.validate_user(found)
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


def _note_use(token: ApiToken) -> None:
    """At most once an hour, or each call would write."""
    now = clock.now()
    if token.used_at is None or now - token.used_at >= _NOTED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(used_at=now)


def _meant_by(value: str) -> ApiToken | None:
    """The token with this value that is good still, of the person who is acted for.

    One that is too old stays, so that its person sees what became of it; Knox would delete it.
    """
    digest = hash_token(value)
    same = (
        token
        for token in _with_key(value[: CONSTANTS.TOKEN_KEY_LENGTH])
        if compare_digest(digest, token.digest)
    )
    found = next(same, None)
    return None if found is None or found.is_too_old or found.is_of_another_password else found


@Prepared
def _with_key(key: str) -> QuerySet[ApiToken]:
    there: QuerySet[ApiToken] = ApiToken.objects.filter(token_key=key)
    return there.select_related("user", "membership__tenant", "membership__user")
