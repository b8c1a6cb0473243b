"""H6: signing in, its limits, its cookies and its second factor."""

import hashlib
import hmac
import struct
from base64 import b32decode

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.sessions.models import Session
from django.test import Client, override_settings
from django.urls import reverse

from dpgov.tenants.accounts import set_password
from dpgov.tenants.models import Membership
from tests.integration.tenants.conftest import MOMENT

pytestmark = pytest.mark.django_db
PASSWORD = "a quiet harbour at dawn"  # noqa: S105 - of invented people


@pytest.fixture
def person(analyst: Membership) -> Membership:
    set_password(user=analyst.user, password=PASSWORD)
    return analyst


def sign_in(client: Client, person: Membership, password: str = PASSWORD) -> int:
    posted = {"login": person.user.email, "password": password}
    return client.post("/account/login/", posted).status_code


def signed_in(client: Client) -> bool:
    return client.get("/tokens/").status_code == 200


def code_now(secret: str) -> str:
    """RFC 6238 with SHA-1, 30 seconds and 6 digits, written out: the tests' own authenticator."""
    digest = hmac.new(b32decode(secret), struct.pack(">Q", MOMENT), hashlib.sha1)
    start = digest.digest()[-1] & 15
    number = struct.unpack(">I", digest.digest()[start : start + 4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06d}"


def test_a_password_opens_a_session_and_signing_out_ends_it(
    client: Client, person: Membership
) -> None:
    assert sign_in(client, person) == 302
    assert signed_in(client)
    client.post("/account/logout/")
    assert not signed_in(client)


def test_a_session_prepared_by_somebody_else_is_not_kept(
    client: Client, person: Membership
) -> None:
    """H6: session fixation."""
    session = client.session
    session["planted"] = "yes"
    session.save()
    planted = session.session_key or ""
    assert planted
    client.cookies["sessionid"] = planted
    assert sign_in(client, person) == 302
    assert client.cookies["sessionid"].value != planted
    assert not Session.objects.filter(session_key=planted).exists()


@override_settings(SESSION_COOKIE_SECURE=True, CSRF_COOKIE_SECURE=True)
def test_cookies_are_out_of_reach_of_scripts_and_other_sites(
    client: Client, person: Membership
) -> None:
    """H6: flags of both cookies."""
    client.get("/account/login/")
    sign_in(client, person)
    for name in ("sessionid", "csrftoken"):
        cookie = client.cookies[name]
        assert cookie["httponly"]
        assert cookie["secure"]
        assert cookie["samesite"] == "Lax"


def test_a_post_without_the_csrf_token_is_refused(person: Membership) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(person.user)
    assert strict.post("/tokens/", {"name": "x"}).status_code == 403
    assert person.tokens.count() == 0


def test_nobody_signs_up_by_themselves(client: Client) -> None:
    page = client.post(
        "/account/signup/",
        {"email": "me@example.org", "password1": PASSWORD, "password2": PASSWORD},
    )
    assert "_auth_user_id" not in client.session
    assert page.status_code in (200, 403, 404)


def test_a_password_alone_does_not_pass_the_second_factor(
    client: Client, person: Membership
) -> None:
    """H6: neither a page nor a new password gets around it."""
    TOTP.activate(person.user, generate_totp_secret())
    sign_in(client, person)
    assert not signed_in(client)


def test_the_right_code_passes_once_and_its_replay_does_not(person: Membership) -> None:
    """H6: a code that was used is worth nothing to who saw it."""
    secret = generate_totp_secret()
    TOTP.activate(person.user, secret)
    outcomes = []
    for browser in (Client(), Client()):
        sign_in(browser, person)
        browser.post("/account/mfa/authenticate/", {"code": code_now(secret)})
        outcomes.append(signed_in(browser))
    assert outcomes == [True, False]


def test_the_code_that_activated_an_app_is_used_up(person: Membership) -> None:
    """H6, S16: the first one, too, works once."""
    browser = Client()
    sign_in(browser, person)
    browser.post("/account/reauthenticate/", {"password": PASSWORD})
    browser.get("/account/mfa/totp/activate/")
    code = code_now(browser.session["mfa.totp.secret"])
    assert browser.post("/account/mfa/totp/activate/", {"code": code}).status_code == 302
    other = Client()
    sign_in(other, person)
    other.post("/account/mfa/authenticate/", {"code": code})
    assert not signed_in(other)


def test_a_password_reset_does_not_sign_in(client: Client, person: Membership) -> None:
    """H6: MFA bypass by reset."""
    from dpgov.tenants.accounts import password_path

    TOTP.activate(person.user, generate_totp_secret())
    link = password_path(person.user)
    form = client.get(link, follow=True).redirect_chain[-1][0]
    new = "another harbour at dusk"
    done = client.post(form, {"password1": new, "password2": new}, follow=True)
    assert f'href="{reverse("account_login")}"' in done.content.decode().split("<main")[1]
    assert not signed_in(client)
    person.user.refresh_from_db()
    assert person.user.check_password(new)
