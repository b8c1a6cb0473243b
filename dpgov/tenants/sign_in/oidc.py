"""OpenID Connect as the library does it, but stricter about what a provider says.

Only the JSON value true confirms an address: "false" is a text, and would count as true. And the
answer has to be one to this very request, whose nonce it bears.
"""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers import registry
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare, get_random_string

_NONCE = "oidc_nonce"


class StrictProvider(OpenIDConnectProvider):  # type: ignore[misc]
    """Sends a nonce, and believes in an address that is confirmed without any doubt."""

    def get_auth_params_from_request(self, request: HttpRequest, action: str) -> dict[str, Any]:
        """What the library sends, and a nonce that this browser's session remembers."""
        nonce = request.session[_NONCE] = get_random_string(32)
        params: dict[str, Any] = super().get_auth_params_from_request(request, action)
        return {**params, "nonce": nonce}

    def sociallogin_from_response(
        self, request: HttpRequest, response: dict[str, Any]
    ) -> SocialLogin:
        """Raises OAuth2Error when the identity token is missing or answers another request."""
        expected = request.session.pop(_NONCE, "")
        nonce = response.get("id_token", {}).get("nonce")
        if not expected or not constant_time_compare(str(nonce), expected):
            raise OAuth2Error("The nonce is not that of this request.")
        return super().sociallogin_from_response(request, response)

    def extract_email_addresses(self, data: dict[str, Any]) -> list[EmailAddress]:
        """The one address that the provider names; confirmed only by the JSON value true."""
        found: list[EmailAddress] = super().extract_email_addresses(data)
        for address in found:
            address.verified = address.verified is True
        return found


def use_strict_provider() -> None:
    """In place of the library's own, for whichever provider is set up."""
    registry.load()
    registry.register(StrictProvider)
