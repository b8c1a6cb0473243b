"""E11: choosing one of thousands in Chromium: what is suggested, and what is added to the lines."""

from collections.abc import Callable

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from dpgov.datasets.audience import viewers_of
from dpgov.datasets.models import Dataset
from dpgov.tenants.models import Membership, Role
from tests.cast import join
from tests.integration.dashboards.test_charts_in_browser import browser
from tests.small_dataset import register_small_dataset

__all__ = ["browser"]
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("beside_a_loop", "long"),
]
ClientFor = Callable[[Membership], Client]


@pytest.fixture
def complaints() -> list[str]:
    """What the browser's console said."""
    return []


@pytest.fixture
def window(
    browser: Browser, live_server: LiveServer, owner: Membership, client_for: ClientFor,
    complaints: list[str],
) -> Page:  # fmt: skip
    """The owner's, signed in."""
    session = client_for(owner).cookies["sessionid"].value
    context = browser.new_context(base_url=live_server.url)
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    return page


def test_people_are_found_by_typing_and_added_a_line_each(
    window: Page, dataset: Dataset, analyst: Membership, complaints: list[str]
) -> None:
    """By the button and by Enter, nobody twice; the form is sent by its own button alone."""
    bela = join(analyst.tenant, Role.ANALYST, "bela")
    window.goto(f"/datasets/{dataset.slug}/audience/")
    line, box = (
        window.get_by_label("Find one to add"),
        window.get_by_role("textbox", name="Named people"),
    )
    line.press_sequentially("bel")
    suggested = window.locator("datalist option")
    expect(suggested).to_have_count(1)
    assert suggested.get_attribute("value") == bela.user.email
    line.fill(bela.user.email)
    window.get_by_role("button", name="Add").click()
    for _twice in range(2):
        line.fill(analyst.user.email)
        line.press("Enter")
    assert box.input_value() == f"{bela.user.email}\n{analyst.user.email}\n"
    window.get_by_label("Only named people").check()
    window.get_by_role("button", name="Save").click()
    expect(window.get_by_text("Who sees this dataset is changed.")).to_be_visible()
    assert {one.membership for one in viewers_of(dataset)} == {analyst, bela}
    assert complaints == []


def test_a_dataset_is_suggested_by_name_and_typed_by_its_short_name(
    window: Page, dataset: Dataset, owner: Membership, complaints: list[str]
) -> None:
    """Also where a page has two such lines: each has suggestions of its own."""
    register_small_dataset(owner, name="Stays")
    Dataset.objects.filter(pk=dataset.pk).update(name="Doctors' visits")
    window.goto("/history/")
    line = window.get_by_label("Dataset", exact=True)
    line.press_sequentially("doctors")
    expect(window.locator("#id_dataset-suggested option")).to_have_text("Doctors' visits")
    line.fill(dataset.slug)
    window.get_by_role("button", name="Filter").click()
    expect(window.get_by_text("No question fits these filters")).to_be_visible()
    expect(line).to_have_value(dataset.slug)
    assert complaints == []
