"""An administrator's tasks, and what everybody does for themselves."""

import hmac
import time
from base64 import b32decode
from collections.abc import Generator

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.product import Product
from tests.journeys.tasks.counting import Role, task


@pytest.fixture
def analyst(visit: Visit) -> Generator[str]:
    """The address of a member, whose role is afterwards as before."""
    yield "analyst@example.org"
    page = visit().sign_in("admin")
    page.goto("/members/")
    page.get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("status").or_(page.get_by_role("alert")).first).to_be_visible()


@pytest.fixture
def webhook(visit: Visit) -> None:
    """A web address of the organisation hears of everything."""
    page = visit().sign_in("admin")
    page.goto("/webhooks/")
    _add_webhook(page, "https://hooks.example.org/first")


@pytest.fixture
def one_factor(visit: Visit) -> Generator[None]:
    """The administrator signs in with a password alone, before and after."""
    yield
    page = visit().sign_in("admin")
    page.goto("/account/mfa/totp/deactivate/")
    page.get_by_role("button", name="Deactivate").click()


@task(Role.ADMIN, pages=2, clicks=3)
def test_invite_somebody(desk: Page) -> None:
    desk.get_by_role("link", name="Invite a member").click()
    desk.get_by_label("E-mail address").fill("guest@example.org")
    desk.get_by_role("button", name="Send the invitation").click()
    expect(desk.get_by_role("table")).to_contain_text("guest@example.org")


@task(Role.ADMIN, pages=3, clicks=5)
def test_ask_an_officer_to_agree_to_another_role(analyst: str, desk: Page) -> None:
    desk.get_by_role("link", name="Organisation").click()
    desk.get_by_label(f"Role of {analyst}").select_option(label="Compliance officer")
    desk.get_by_role("button", name=f"Save the role of {analyst}").click()
    desk.get_by_label("Reason").fill("A second officer has to decide.")
    desk.get_by_role("button", name="Request", exact=True).click()
    expect(desk.get_by_role("table")).to_contain_text("waits for a compliance officer")


@task(Role.ADMIN, pages=3, clicks=5)
def test_ask_an_officer_to_agree_to_a_second_role(analyst: str, desk: Page) -> None:
    desk.get_by_role("link", name="Organisation").click()
    desk.get_by_label(f"Role of {analyst}").select_option(label="Data owner and analyst")
    desk.get_by_role("button", name=f"Save the role of {analyst}").click()
    desk.get_by_label("Reason").fill("The owners are few, and know the figures.")
    desk.get_by_role("button", name="Request", exact=True).click()
    expect(desk.get_by_role("table")).to_contain_text("waits for a compliance officer")


@task(Role.ADMIN, pages=3, clicks=4)
def test_add_a_webhook(desk: Page) -> None:
    desk.get_by_role("link", name="Organisation").click()
    desk.get_by_role("link", name="Webhooks").click()
    _add_webhook(desk, "https://hooks.example.org/second")


@task(Role.ADMIN, pages=4, clicks=4)
def test_see_whether_a_webhook_hears_anything(webhook: None, desk: Page) -> None:
    desk.get_by_role("link", name="Organisation").click()
    desk.get_by_role("link", name="Webhooks").click()
    desk.get_by_role("link", name="Deliveries to https://hooks.example.org/first").click()
    desk.get_by_role("button", name="Send a test message").click()
    expect(desk.get_by_role("table")).to_contain_text("test")


@task(Role.ADMIN, pages=3, clicks=4)
def test_choose_which_notifications_to_receive(desk: Page) -> None:
    desk.get_by_role("link", name="Notifications").click()
    desk.get_by_role("link", name="Notification settings", exact=True).click()
    box = desk.get_by_role("checkbox", name="by e-mail").first
    box.set_checked(not box.is_checked())
    desk.get_by_role("button", name="Save").click()
    expect(desk.get_by_role("alert").or_(desk.get_by_role("status")).first).to_be_visible()


@task(Role.ADMIN, pages=4, clicks=7)
def test_turn_on_a_second_factor(one_factor: None, desk: Page, product: Product) -> None:
    desk.get_by_role("button", name="Adam Administrator").click()
    desk.get_by_role("link", name="Two-factor sign-in and passkeys").click()
    desk.get_by_role("link", name="Activate").first.click()
    desk.get_by_label("Password").fill(product.password)
    desk.get_by_role("button", name="Confirm").click()
    secret = desk.get_by_label("Authenticator secret").input_value()
    # A code holds for half a minute; the next one is waited for when little of it is left.
    desk.wait_for_function("() => Date.now() % 30000 < 24000")
    desk.get_by_label("Authenticator code").fill(_code(secret))
    desk.get_by_role("button", name="Activate").click()
    expect(desk.get_by_role("heading", name="Recovery codes")).to_be_visible()


def _code(secret: str) -> str:
    """What an authenticator app shows now (RFC 6238)."""
    moment = int(time.time() // 30).to_bytes(8, "big")
    digest = hmac.digest(b32decode(secret), moment, "sha1")
    at = digest[-1] & 15
    return f"{(int.from_bytes(digest[at : at + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06d}"


def _add_webhook(page: Page, url: str) -> None:
    page.get_by_label("Web address").fill(url)
    page.get_by_role("button", name="Add webhook").click()
    expect(page.get_by_label("Secret", exact=True)).to_be_visible()
