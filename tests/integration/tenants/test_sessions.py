"""H6: sessions end by themselves, and cookies are bound to this host."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from dpgov.configuration.environment import sign_in_settings
from dpgov.configuration.reading import Environment
from dpgov.tenants.accounts import set_password
from dpgov.tenants.models import Membership
from dpgov.tenants.sign_in.sessions import SessionStore
from tests.integration.tenants.test_signing_in import PASSWORD, sign_in, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(analyst: Membership) -> Client:
    """Signed in a moment ago."""
    set_password(user=analyst.user, password=PASSWORD)
    client = Client()
    sign_in(client, analyst)
    return client


def kept_for() -> timedelta:
    return Session.objects.get().expire_date - timezone.now()


def older(by: timedelta) -> None:
    session = Session.objects.get()
    Session.objects.update(expire_date=session.expire_date - by)


def test_an_idle_session_ends(browser: Client) -> None:
    """H6, S15: twelve hours after the last click."""
    assert signed_in(browser)
    assert timedelta(hours=11, minutes=50) < kept_for() <= timedelta(hours=12)
    older(timedelta(hours=12, seconds=1))
    assert not signed_in(browser)


def test_a_session_in_use_goes_on_and_is_not_written_at_each_click(browser: Client) -> None:
    """H6"""
    older(timedelta(minutes=4))
    before = kept_for()
    assert signed_in(browser)
    assert kept_for() <= before
    older(timedelta(hours=11))
    assert signed_in(browser)
    assert kept_for() > timedelta(hours=11, minutes=50)


def test_a_page_that_looks_again_by_itself_keeps_no_session(browser: Client) -> None:
    """H6: whoever left a list of questions open is signed out like anybody who left."""
    older(timedelta(hours=11))
    browser.get("/history/", headers={"looks-by-itself": "1"})
    assert kept_for() < timedelta(hours=1, minutes=1)
    assert signed_in(browser)
    assert kept_for() > timedelta(hours=11, minutes=50)


def test_a_session_ends_after_fourteen_days_however_much_it_is_used(browser: Client) -> None:
    """H6, S15"""
    session = browser.session
    for proof in session["account_authentication_methods"]:
        proof["at"] -= 14 * 86_400 + 1
    session.save()
    assert not signed_in(browser)
    assert not Session.objects.filter(session_key=session.session_key).exists()


def test_on_https_every_cookie_bears_the_prefix_of_this_host(
    client: Client, analyst: Membership, settings: Any
) -> None:
    """H6, S15: no other host can set them, nor read them over plain HTTP."""
    for name, value in sign_in_settings(Environment(), https=True).items():
        setattr(settings, name, value)
    set_password(user=analyst.user, password=PASSWORD)
    client.get("/account/login/", secure=True)
    posted = {"login": analyst.user.email, "password": PASSWORD}
    assert client.post("/account/login/", posted, secure=True).status_code == 302
    client.post("/language/", {"language": "de"}, secure=True)
    names = {n for n in client.cookies if not n.endswith("messages")}
    assert names == {
        f"__Host-{name}" for name in ("sessionid", "csrftoken", "django_language", "known_browser")
    }
    for name in names:
        cookie = client.cookies[name]
        assert (cookie["secure"], cookie["path"], cookie["domain"]) == (True, "/", "")
        assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


def read(session: SessionStore) -> dict[str, Any]:
    return dict(SessionStore(session.session_key).items())


def kept(**says: Any) -> SessionStore:
    """A session that says this in the database, as the next request opens it."""
    new = SessionStore()
    new.update(says)
    new.save()
    return SessionStore(new.session_key)


def test_what_is_taken_out_of_a_session_that_was_just_made_stays_out() -> None:
    session = SessionStore()
    session["draft"] = 1
    session.save()
    del session["draft"]
    session["range"] = 2
    session.save()
    assert read(session) == {"range": 2}


@pytest.mark.parametrize("again", [SessionStore.cycle_key, SessionStore.save])
def test_what_a_request_writes_and_takes_out_again_stays_out(again: Any) -> None:
    """Also where the session gets another key in between, as at signing in."""
    session = kept(user=1)
    session["draft"] = 2
    again(session)
    session.pop("draft")
    session.save()
    assert read(session) == {"user": 1}


@pytest.mark.parametrize("again", [SessionStore.cycle_key, SessionStore.save])
def test_what_a_request_changes_and_changes_back_is_as_it_was(again: Any) -> None:
    session = kept(user=1)
    session["user"] = 2
    again(session)
    session["user"] = 1
    session.save()
    assert read(session) == {"user": 1}


def test_a_session_that_is_made_behind_an_ended_one_keeps_what_both_say() -> None:
    """H6: the same person signs in again where their session had just ended."""
    session = kept(user=1)
    assert session["user"] == 1
    session.flush()
    session.create()
    session["user"] = 1
    session.save()
    assert read(session) == {"user": 1}


def test_who_signs_in_with_a_session_of_their_former_password_is_signed_in(
    browser: Client, analyst: Membership
) -> None:
    """H6: the old session ends and the new one begins within one request."""
    assert signed_in(browser)
    changed = f"{PASSWORD}, again"
    set_password(user=analyst.user, password=changed)
    assert sign_in(browser, analyst, changed) == 302
    assert signed_in(browser)
