"""Tables that turn into cards on a phone, in Chromium: nothing of them is cut off."""

import pytest
from playwright.sync_api import Page, expect

from dpgov.privacy.accounting.decimals import NANO
from dpgov.tenants.models import Membership
from tests.integration.dashboards.test_charts_in_browser import browser
from tests.integration.web.test_in_browser import complaints, window
from tests.small_dataset import register_small_dataset

__all__ = ["browser", "complaints", "window"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("beside_a_loop")]


def test_words_beside_a_number_go_on_in_the_next_line(window: Page, owner: Membership) -> None:
    """The odds at a budget of 20: “more than a million”, behind their label."""
    made = register_small_dataset(owner, name="Odds", limit_nano=20 * NANO)
    window.set_viewport_size({"width": 360, "height": 740})
    window.goto(f"/datasets/{made.slug}/understanding/")
    cards = window.locator(".table-responsive", has_text="more than a million").first
    expect(cards.locator("td.number").last).to_have_text("more than a million")
    assert cards.evaluate("box => box.scrollWidth <= box.clientWidth")
