"""A passkey in a real browser: made on the page for second factors, used instead of a password.

The authenticator is Chromium's own virtual one. Passkeys belong to a domain, so that the product is
visited as localhost here; the person is a new one, so that nobody else's sign-in changes.
"""

from collections.abc import Callable, Generator
from dataclasses import replace
from urllib.parse import urlparse

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.browser import Visitor
from tests.journeys.conftest import Visit
from tests.journeys.looking import accessibility_problems
from tests.journeys.product import Product, link_in_the_latest_letter

ADDRESS, PASSWORD = "keyholder@example.org", "a harbour at dusk 7"
_AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def laptop(browser: Browser, product: Product) -> Generator[Visitor]:
    """A window with an authenticator behind it, which recognises its owner at once."""
    here = replace(product, url=product.url.replace("127.0.0.1", "localhost"), sessions={})
    window = Visitor(browser, here)
    devices = window.page.context.new_cdp_session(window.page)
    devices.send("WebAuthn.enable")
    devices.send("WebAuthn.addVirtualAuthenticator", {"options": _AUTHENTICATOR})
    yield window
    window.close()
    assert window.complaints == []


def test_a_passkey_is_added_and_signs_its_owner_in(
    visit: Visit, laptop: Visitor, product: Product
) -> None:
    page = laptop.page
    _invite(visit().sign_in("admin"))
    page.goto(urlparse(link_in_the_latest_letter(product)).path)
    _join(page)
    _sign_in(page, _with_the_password)
    _add_a_passkey(page, laptop.picture)
    _sign_out(page)
    _sign_in(page, _with_the_passkey)
    expect(page.get_by_role("button", name="Key Holder")).to_be_visible()


def _invite(page: Page) -> None:
    page.goto("/members/invitations/")
    page.get_by_label("E-mail address").fill(ADDRESS)
    page.get_by_role("button", name="Send the invitation").click()
    expect(page.get_by_role("table")).to_contain_text(ADDRESS)


def _join(page: Page) -> None:
    page.get_by_label("Your name").fill("Key Holder")
    for field in page.locator("input[type=password]").all():
        field.fill(PASSWORD)
    page.get_by_role("button", name="Join").click()
    page.wait_for_url("**/join/welcome/")


def _add_a_passkey(page: Page, picture: Callable[[str], None]) -> None:
    page.get_by_role("button", name="Key Holder").click()
    page.get_by_role("link", name="Two-factor sign-in and passkeys").click()
    heading = page.get_by_role("heading", name="Passkeys and security keys")
    keys = page.locator("section").filter(has=heading)
    keys.get_by_role("link", name="Add").click()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_label("Name").fill("This laptop")
    page.get_by_label("Passwordless").check()
    picture("passkey-new")
    assert accessibility_problems(page) == []
    page.get_by_role("button", name="Add").click()
    expect(page.locator("main")).to_contain_text("Recovery codes")
    page.goto("/account/mfa/webauthn/")
    expect(page.locator("main")).to_contain_text("This laptop")
    picture("passkeys")
    assert accessibility_problems(page) == []


def _sign_in(page: Page, prove: Callable[[Page], None]) -> None:
    page.goto("/account/login/")
    prove(page)
    page.wait_for_url(lambda url: urlparse(url).path == "/")


def _with_the_password(page: Page) -> None:
    page.get_by_label("Email").fill(ADDRESS)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def _with_the_passkey(page: Page) -> None:
    page.get_by_role("button", name="Sign in with a passkey").click()


def _sign_out(page: Page) -> None:
    page.get_by_role("button", name="Key Holder").click()
    page.get_by_role("button", name="Sign out").click()
