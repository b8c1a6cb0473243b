"""Signing in with an OpenID Connect provider of the installation; off unless it is set up."""

from collections.abc import Generator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from dpgov.configuration.oidc import oidc_settings
from dpgov.configuration.reading import Environment
from dpgov.tenants.accounts import set_password
from dpgov.tenants.models import Membership, User
from tests.integration.tenants.test_signing_in import PASSWORD, sign_in, signed_in
from tests.servers.identity import Identity, identity_provider

pytestmark = pytest.mark.django_db


class Variables(Environment):
    """An environment that holds these variables and no others."""

    def __init__(self, **variables: str) -> None:
        super().__init__()
        self.ENVIRON = variables


@pytest.fixture
def provider(settings: Any) -> Generator[Identity]:
    with identity_provider() as found:
        chosen = oidc_settings(
            Variables(
                DPGOV_OIDC_URL=found.url,
                DPGOV_OIDC_NAME="Harbour",
                DPGOV_OIDC_CLIENT_ID="dpgov",
                DPGOV_OIDC_CLIENT_SECRET="secret",  # noqa: S106 - of a made-up provider
            )
        )
        settings.SOCIALACCOUNT_PROVIDERS = chosen.providers
        assert chosen.origins == [found.url]
        yield found


def sign_in_there(browser: Client, provider: Identity, *, nonce: str | None = None) -> Any:
    """There and back again, as a browser does it; the provider says the nonce, or another one."""
    away = browser.post("/account/oidc/openid/login/?process=login")
    assert away.status_code == 302
    asked = parse_qs(urlsplit(away.headers["Location"]).query)
    assert asked["code_challenge_method"] == ["S256"]
    provider.nonce = asked["nonce"][0] if nonce is None else nonce
    back = {"code": "code", "state": asked["state"][0]}
    return browser.get("/account/oidc/openid/login/callback/", back)


def test_without_a_provider_there_is_no_such_page(client: Client) -> None:
    assert oidc_settings(Variables()).providers == {}
    assert client.get("/account/oidc/openid/login/").status_code == 404
    assert "Sign in with Harbour" not in client.get("/account/login/").content.decode()


def test_a_person_whose_address_the_provider_confirms_is_signed_in(
    client: Client, provider: Identity, analyst: Membership
) -> None:
    """H6: with PKCE; the account that is there is used, and no other one is made."""
    provider.email = analyst.user.email
    assert "Sign in with Harbour" in client.get("/account/login/").content.decode()
    before = User.objects.count()
    sign_in_there(client, provider)
    assert signed_in(client)
    assert provider.asked_with != ""
    assert User.objects.count() == before
    assert SocialAccount.objects.get().user == analyst.user


@pytest.mark.parametrize("verified", [False, None, "false", "true", 1, [0], {}])
def test_an_address_that_the_provider_did_not_confirm_opens_nothing(
    verified: object, client: Client, provider: Identity, analyst: Membership
) -> None:
    """H6: only the JSON value true confirms."""
    provider.email, provider.verified = analyst.user.email, verified
    sign_in_there(client, provider)
    assert not signed_in(client)
    assert not SocialAccount.objects.exists()


@pytest.mark.parametrize("nonce", ["", "another", "é"])
def test_an_answer_to_another_request_opens_nothing(
    nonce: str, client: Client, provider: Identity, analyst: Membership
) -> None:
    """H6: the identity token bears the nonce of this very request."""
    provider.email = analyst.user.email
    sign_in_there(client, provider, nonce=nonce)
    assert not signed_in(client)


def test_somebody_unknown_gets_no_account(client: Client, provider: Identity) -> None:
    """H6: nobody signs up by themselves, there neither."""
    provider.email = "unknown@example.org"
    sign_in_there(client, provider)
    assert not signed_in(client)
    assert not User.objects.exists()


def test_the_second_factor_is_asked_for_all_the_same(
    client: Client, provider: Identity, analyst: Membership
) -> None:
    """H6"""
    provider.email = analyst.user.email
    TOTP.activate(analyst.user, generate_totp_secret())
    sign_in_there(client, provider)
    assert not signed_in(client)


def test_an_answer_that_nobody_asked_for_is_refused(
    client: Client, provider: Identity, analyst: Membership
) -> None:
    """H6: a forged state."""
    provider.email = analyst.user.email
    client.get("/account/oidc/openid/login/callback/", {"code": "code", "state": "forged"})
    assert not signed_in(client)


def test_a_password_that_others_may_know_ends_when_the_holder_comes(
    client: Client, provider: Identity, analyst: Membership
) -> None:
    """H6: nobody had confirmed the address of this account before."""
    set_password(user=analyst.user, password=PASSWORD)
    EmailAddress.objects.create(user=analyst.user, email=analyst.user.email, verified=False)
    provider.email = analyst.user.email
    sign_in_there(client, provider)
    assert signed_in(client)
    assert sign_in(Client(), analyst) != 302
