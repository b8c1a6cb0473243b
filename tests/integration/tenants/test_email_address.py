"""The page on which people change the address that they sign in with."""

import re
from collections.abc import Callable

import pytest
from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage
from django.test import Client

from dpgov.tenants.accounts import set_password
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
