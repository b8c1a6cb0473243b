"""H10 in Chromium: a tab of another organisation says so before anything typed there is lost."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from dpgov.datasets.models import Draft, Upload
from dpgov.tenants.models import Membership, Project, Role
from tests.integration.dashboards.test_charts_in_browser import browser
from tests.integration.datasets.registering import send_file
from tests.made_once import made_once

__all__ = ["browser"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("beside_a_loop", "long"),
]
ClientFor = Callable[[Membership], Client]
_DEAF = "window.BroadcastChannel = class { addEventListener() {} postMessage() {} }"


@made_once
def there(owner: Membership, stranger: Membership) -> Membership:
    """The owner's second organisation, Elsewhere Institute."""
    return Membership.objects.create(tenant=stranger.tenant, user=owner.user, role=Role.OWNER)


@made_once
def signed_in(owner: Membership, client_for: ClientFor) -> Client:
    return client_for(owner)


@pytest.fixture
def tabs(
    browser: Browser, live_server: LiveServer, signed_in: Client, there: Membership
) -> BrowserContext:
    context = browser.new_context(base_url=live_server.url)
    session = signed_in.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    return context


def _go_elsewhere(tabs: BrowserContext) -> None:
    tab = tabs.new_page()
    tab.goto("/")
    tab.locator(".user-menu > button").click()
    tab.get_by_role("button", name="Go to Elsewhere Institute").click()
    tab.locator(".user-menu > button").click()
    expect(tab.get_by_text("Data owner at Elsewhere Institute")).to_be_visible()


def _says_so(tab: Page) -> None:
    expect(tab.get_by_role("alert").filter(has_text="Copy what you typed")).to_be_visible()


def test_what_is_typed_stays_and_is_not_sent_elsewhere(tabs: BrowserContext) -> None:
    tab = tabs.new_page()
    tab.goto("/projects/")
    name = tab.locator("#main form[method=post] [name=name]")
    name.fill("Merger")
    expect(tab.locator("#outdated")).to_be_hidden()
    _go_elsewhere(tabs)
    _says_so(tab)
    name.press("Enter")
    expect(tab.locator("#outdated")).to_be_focused()
    assert name.input_value() == "Merger"
    assert not Project.objects.exists()


def test_a_form_that_keeps_itself_says_that_it_no_longer_does(
    tabs: BrowserContext, signed_in: Client, owner: Membership
) -> None:
    """Also where nobody told this tab: the server's refusal does."""
    send_file(signed_in)
    upload = Upload.objects.get()
    tab = tabs.new_page()
    tab.add_init_script(_DEAF)
    tab.goto(reverse("datasets:register", args=[upload.pk]))
    _go_elsewhere(tabs)
    expect(tab.locator("#outdated")).to_be_hidden()
    tab.locator("form[data-autosave] [name=name]").fill("Of the other organisation")
    _says_so(tab)
    assert not Draft.objects.filter(typed__icontains="Of the other").exists()
