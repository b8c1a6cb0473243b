"""Rectangles of two columns in a browser: asked for, drawn as squares, and one of them free."""

import re

from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import look_at

_ASK = "/datasets/adult-census-income/ask/"


def test_an_analyst_asks_for_rectangles_and_has_one_free(visit: Visit) -> None:
    page = visit().sign_in("analyst")
    page.goto(_ASK)
    _group(page, "age", "20", "80", "5")
    _group(page, "hours_per_week", "0", "90", "10")
    page.get_by_label("Statistic", exact=True).select_option("joint_cdf")
    page.get_by_label("Privacy loss ε").fill("0.8")
    page.get_by_role("button", name="Ask for ε 0.8").click()
    page.wait_for_url(re.compile("/queries/"))
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=60_000)
    expect(page.get_by_text("the fuller a square, the larger it is")).to_be_visible()
    look_at(page, "answer-rectangles")
    page.goto(_ASK)
    _group(page, "age", "30", "49", "19")
    _group(page, "hours_per_week", "20", "59", "39")
    page.get_by_label("Statistic", exact=True).select_option("count")
    page.get_by_role("button", name="Take this answer, free").first.click()
    page.wait_for_url(re.compile("/queries/"))
    expect(page.get_by_role("main")).to_contain_text("30–49")


def _group(page: Page, column: str, low: str, high: str, width: str) -> None:
    page.get_by_label("Group by", exact=True).select_option(column)
    page.get_by_role("button", name="Add grouping").click()
    group = page.get_by_role("group", name=f"Group by {column}")
    group.get_by_label("from").fill(low)
    group.get_by_label("to", exact=True).fill(high)
    group.get_by_label("width").fill(width)
