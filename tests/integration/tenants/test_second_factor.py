"""A second factor where a role needs one; passkeys on the pages; sessions that can be ended."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.usersessions.models import UserSession
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from dpgov.tenants.accounts import set_password
from dpgov.tenants.models import Membership
from tests.integration.tenants.test_signing_in import PASSWORD, code_now, sign_in, signed_in

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
ROLES = ["owner", "officer", "admin"]
GUARDED = ["/", "/tokens/", "/notices/", "/datasets/"]
FREE = ["/account/mfa/", "/account/email/", "/account/sessions/", "/account/logout/", "/healthz"]


@pytest.fixture
def person(analyst: Membership) -> Membership:
    set_password(user=analyst.user, password=PASSWORD)
    return analyst


def type_the_password_again(browser: Client) -> None:
    """What every change of the own sign-in asks for."""
    browser.post(reverse("account_reauthenticate"), {"password": PASSWORD})


@pytest.mark.parametrize("path", GUARDED)
def test_a_role_that_needs_a_second_factor_is_led_to_where_one_is_set_up(
    path: str, owner: Membership, analyst: Membership, client_for: ClientFor, settings: Any
) -> None:
    """H6: also before a token can be made; other roles are left alone."""
    settings.DPGOV_MFA_REQUIRED = ROLES
    answer = client_for(owner).get(path)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/account/mfa/")
    assert client_for(owner).post("/tokens/", {"name": "x"}).status_code == 302
    assert owner.tokens.count() == 0
    assert client_for(analyst).get(path).status_code == 200


@pytest.mark.parametrize("path", FREE)
def test_nobody_is_locked_out_of_setting_it_up(
    path: str, owner: Membership, client_for: ClientFor, settings: Any
) -> None:
    settings.DPGOV_MFA_REQUIRED = ROLES
    settings.SECURE_SSL_REDIRECT = False
    assert client_for(owner).get(path).status_code == 200


def test_setting_it_up_opens_the_pages(person: Membership, settings: Any) -> None:
    """The whole way, by password and authenticator app, with an address nobody confirmed."""
    settings.DPGOV_MFA_REQUIRED = ["analyst"]
    EmailAddress.objects.create(user=person.user, email=person.user.email, primary=True)
    browser = Client()
    sign_in(browser, person)
    assert not signed_in(browser)
    url = reverse("mfa_activate_totp")
    assert browser.get(url).status_code == 302
    type_the_password_again(browser)
    assert browser.get(url).status_code == 200
    secret = browser.session["mfa.totp.secret"]
    assert browser.post(url, {"code": code_now(secret)}).status_code == 302
    assert signed_in(browser)


def test_recovery_codes_alone_are_no_second_factor(
    owner: Membership, client_for: ClientFor, settings: Any
) -> None:
    """H6"""
    settings.DPGOV_MFA_REQUIRED = ROLES
    Authenticator.objects.create(user=owner.user, type="recovery_codes", data={})
    assert client_for(owner).get("/").status_code == 302
    TOTP.activate(owner.user, generate_totp_secret())
    assert client_for(owner).get("/").status_code == 200


def test_a_word_that_is_no_role_is_refused_at_the_start(settings: Any) -> None:
    settings.DPGOV_MFA_REQUIRED = ["owners"]
    with pytest.raises(CommandError, match="names no role: owners"):
        call_command("check", "--tag", "security")


def test_the_sign_in_page_offers_a_passkey_without_inline_code(client: Client) -> None:
    """H6: what it holds inline is data, which no policy has to allow."""
    answer = client.get("/account/login/")
    page = answer.content.decode()
    assert "Sign in with a passkey" in page
    assert "mfa/js/webauthn.js" in page
    inline = [part.split(">")[0] for part in page.split("<script")[1:]]
    assert [tag for tag in inline if "src=" not in tag and "application/json" not in tag] == []
    assert "unsafe" not in answer.headers["Content-Security-Policy"]


def test_second_factors_and_keys_are_called_the_same_on_every_page(person: Membership) -> None:
    """As in the menu; a list that holds passkeys is not called that of security keys."""
    browser = Client()
    sign_in(browser, person)
    pages = {name: browser.get(reverse(name)).text for name in ("mfa_index", "mfa_list_webauthn")}
    titles = {name: re.findall(r"<h[12]>([^<]+)<", page) for name, page in pages.items()}
    assert titles["mfa_index"][:3] == [
        "Two-factor sign-in and passkeys",
        "Authenticator app",
        "Passkeys and security keys",
    ]
    assert f'href="{reverse("mfa_index")}">{titles["mfa_index"][0]}</a>' in pages["mfa_index"]
    assert titles["mfa_list_webauthn"][0] == titles["mfa_index"][2]


def test_what_is_left_of_recovery_codes_is_said_beside_them(person: Membership) -> None:
    browser, page = Client(), reverse("mfa_index")
    sign_in(browser, person)
    assert "None yet. You get them with an app or a key" in browser.get(page).text
    TOTP.activate(person.user, generate_totp_secret())
    assert "Active: after your password" in browser.get(page).text
    RecoveryCodes.activate(person.user)
    assert "10 of 10 are left." in browser.get(page).text


def test_a_passkey_can_be_added_after_the_password_was_typed(person: Membership) -> None:
    browser = Client()
    sign_in(browser, person)
    type_the_password_again(browser)
    page = browser.get(reverse("mfa_add_webauthn"))
    assert page.status_code == 200
    assert "mfa_webauthn_add" in page.content.decode()


def test_a_forged_passkey_opens_nothing(client: Client, person: Membership) -> None:
    """H6"""
    url = reverse("mfa_login_webauthn")
    asked = client.get(url, headers={"x-requested-with": "XMLHttpRequest"})
    assert "challenge" in asked.json()["request_options"]["publicKey"]
    client.post(url, {"credential": '{"id": "x", "response": {}}'})
    assert not signed_in(client)


def test_a_person_sees_their_sessions_and_ends_the_others(person: Membership) -> None:
    """H6"""
    here, elsewhere = (
        Client(headers={"user-agent": "Here"}),
        Client(headers={"user-agent": "Elsewhere"}),
    )
    for browser in (here, elsewhere):
        sign_in(browser, person)
    page = here.get(reverse("usersessions_list")).content.decode()
    assert "Here" in page
    assert "Elsewhere" in page
    here.post(reverse("usersessions_list"))
    assert signed_in(here)
    assert not signed_in(elsewhere)
    assert UserSession.objects.filter(user=person.user).count() == 1
