"""The page on which people change the address that they sign in with."""

import re
from collections.abc import Callable

import pytest
from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage
from django.test import Client

from dpgov.tenants.accounts import password_path, set_password
from dpgov.tenants.models import Membership
from tests.integration.tenants.test_signing_in import PASSWORD, sign_in

pytestmark = pytest.mark.django_db
PAGE, NEW = "/account/email/", "anna.new@example.org"


@pytest.fixture
def person(analyst: Membership) -> Membership:
    set_password(user=analyst.user, password=PASSWORD)
    return analyst


@pytest.fixture
def browser(person: Membership) -> Client:
    browser = Client()
    sign_in(browser, person)
    browser.post("/account/reauthenticate/", {"password": PASSWORD})
    return browser


def test_it_is_found_in_the_menu_and_where_letters_are_chosen(
    analyst: Membership, client_for: Callable[[Membership], Client]
) -> None:
    client = client_for(analyst)
    for page, links in (("/", 1), ("/notices/choices/", 2)):
        assert client.get(page).text.count(f'href="{PAGE}"') == links


def test_the_only_address_is_neither_removed_nor_chosen(browser: Client) -> None:
    page = browser.get(PAGE).text
    assert "in use" in page
    assert "action_send" in page
    assert "action_remove" not in page
    assert "action_primary" not in page


def add_and_confirm(browser: Client, sent: list[EmailMessage]) -> None:
    """Add the new address, and follow the link that goes to it."""
    browser.post(PAGE, {"action_add": "", "email": NEW})
    page = browser.get(PAGE).text
    assert "not confirmed" in page
    assert "action_primary" not in page
    assert "action_remove" in page
    (letter,) = [one for one in sent if one.to == [NEW]]
    link = re.search(r"/account/confirm-email/\S+", str(letter.body))
    assert link is not None
    browser.post(link[0])


def test_a_new_address_is_chosen_once_it_is_confirmed(
    person: Membership, browser: Client, mailoutbox: list[EmailMessage]
) -> None:
    before = person.user.email
    EmailAddress.objects.create(user=person.user, email=before, primary=True, verified=True)
    add_and_confirm(browser, mailoutbox)
    person.user.refresh_from_db()
    assert person.user.email == before
    assert "action_primary" in browser.get(PAGE).text
    browser.post(PAGE, {"action_primary": "", "email": NEW})
    person.user.refresh_from_db()
    assert person.user.email == NEW
    browser.post(PAGE, {"action_remove": "", "email": before})
    assert [one.email for one in EmailAddress.objects.filter(user=person.user)] == [NEW]


def test_it_takes_the_place_of_one_that_nobody_confirmed(
    person: Membership, browser: Client, mailoutbox: list[EmailMessage]
) -> None:
    add_and_confirm(browser, mailoutbox)
    person.user.refresh_from_db()
    assert person.user.email == NEW


def kept(person: Membership) -> str:
    """The address that the account signs in with."""
    person.user.refresh_from_db()
    return person.user.email


@pytest.mark.parametrize("action", ["action_primary", "action_remove"])
def test_what_nobody_confirmed_takes_no_address_s_place_without_the_button_either(
    person: Membership, browser: Client, action: str
) -> None:
    """H8: somebody else's name in the log, and in what two persons decide, could be had so."""
    before = kept(person)
    browser.post(PAGE, {"action_add": "", "email": NEW})
    response = browser.post(
        PAGE, {action: "", "email": NEW if action == "action_primary" else before}, follow=True
    )
    assert "first" in response.text
    assert kept(person) == before
    assert EmailAddress.objects.filter(user=person.user).count() == 2


def test_that_another_organisation_s_person_has_an_address_does_not_show(
    person: Membership, browser: Client, stranger: Membership
) -> None:
    """H8: the same answers for an address that nobody has."""
    told = []
    for address in (stranger.user.email, NEW):
        browser.post(PAGE, {"action_add": "", "email": address})
        page = browser.post(PAGE, {"action_primary": "", "email": address}, follow=True)
        told.append((page.status_code, page.redirect_chain, address in page.text))
        browser.post(PAGE, {"action_remove": "", "email": address})
    assert told[0] == told[1]
    assert kept(person) != stranger.user.email


def test_whoever_reads_the_mail_of_two_accounts_does_not_make_them_one(
    person: Membership, browser: Client, stranger: Membership, mailoutbox: list[EmailMessage]
) -> None:
    """Its link confirms nothing, and breaks nothing."""
    before, taken = kept(person), stranger.user.email
    browser.post(PAGE, {"action_add": "", "email": taken})
    (letter,) = [one for one in mailoutbox if one.to == [taken]]
    link = re.search(r"/account/confirm-email/\S+", str(letter.body))
    assert link is not None
    assert browser.post(link[0]).status_code < 500
    assert not EmailAddress.objects.get(user=person.user, email=taken).verified
    EmailAddress.objects.filter(email=taken).update(verified=True)
    page = browser.post(PAGE, {"action_primary": "", "email": taken}, follow=True)
    assert "You sign in to another account" in page.text
    assert kept(person) == before


def test_an_address_that_was_only_typed_is_no_name_to_sign_in_with(
    person: Membership, browser: Client, stranger: Membership, mailoutbox: list[EmailMessage]
) -> None:
    """H8: neither with a password of one's own, nor by a link to set one."""
    set_password(user=stranger.user, password=f"{PASSWORD} of another")
    browser.post(PAGE, {"action_add": "", "email": stranger.user.email})
    other = Client()
    answer = other.post("/account/login/", {"login": stranger.user.email, "password": PASSWORD})
    assert answer.status_code == 200
    assert "_auth_user_id" not in other.session
    mailoutbox.clear()
    other.post("/account/password/reset/", {"email": stranger.user.email})
    (letter,) = mailoutbox
    assert password_path(stranger.user).rsplit("-", 2)[0] in str(letter.body)
    assert password_path(person.user).rsplit("-", 2)[0] not in str(letter.body)


def test_another_address_asks_for_the_password_once_more(
    person: Membership, mailoutbox: list[EmailMessage]
) -> None:
    """Whoever finds a browser open cannot have the account's links sent to themselves."""
    left_open = Client()
    sign_in(left_open, person)
    asked = left_open.post(PAGE, {"action_add": "", "email": NEW})
    assert asked.status_code == 302
    assert "/account/reauthenticate/" in asked["Location"]
    assert not EmailAddress.objects.filter(email=NEW).exists()
    assert mailoutbox == []
    left_open.post(asked["Location"], {"password": "wrong"}, follow=True)
    assert not EmailAddress.objects.filter(email=NEW).exists()
    left_open.post(asked["Location"], {"password": PASSWORD}, follow=True)
    assert EmailAddress.objects.filter(email=NEW).exists()
