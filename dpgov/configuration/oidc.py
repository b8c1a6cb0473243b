"""One OpenID Connect provider from the environment, in the form that allauth reads.

Part of the composition root. Without DPGOV_OIDC_URL there is no provider, nor any page of one.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from dpgov.configuration.reading import Environment, secret_text

PROVIDER = "openid"
# Read only where a provider is named, and right in every place.
_WITH_A_PROVIDER = {
    "DPGOV_OIDC_NAME",
    "DPGOV_OIDC_CLIENT_ID",
    *("DPGOV_OIDC_CLIENT_SECRET", "DPGOV_OIDC_CLIENT_SECRET_FILE"),
    "DPGOV_OIDC_SIGN_IN_ORIGIN",
}


@dataclass(frozen=True, slots=True)
class Oidc:
    """allauth's settings, and where a sign-in form may lead besides ourselves."""

    providers: dict[str, Any]
    origins: list[str]


def oidc_settings(env: Environment) -> Oidc:
    """The provider that DPGOV_OIDC_URL names: its issuer, or its discovery document."""
    url = env.str("DPGOV_OIDC_URL", default="").rstrip("/")
    env.known |= _WITH_A_PROVIDER
    if not url:
        return Oidc({}, [])
    parts = urlsplit(url)
    app = {
        "provider_id": PROVIDER,
        "name": env.str("DPGOV_OIDC_NAME", default=parts.hostname or PROVIDER),
        "client_id": env.str("DPGOV_OIDC_CLIENT_ID"),
        "secret": secret_text(env, "DPGOV_OIDC_CLIENT_SECRET"),
        "settings": {"server_url": url},
    }
    return Oidc(
        {"openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}},
        [f"{parts.scheme}://{parts.netloc}", *_elsewhere(env)],
    )


def _elsewhere(env: Environment) -> list[str]:
    origin = env.str("DPGOV_OIDC_SIGN_IN_ORIGIN", default="")
    return [origin] if origin else []
