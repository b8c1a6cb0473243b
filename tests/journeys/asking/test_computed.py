"""D9: arithmetic of two columns in a browser: a column is added, asked for, and read as a chart."""

import re

from playwright.sync_api import expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import look_at


def test_an_analyst_asks_for_the_mean_of_a_difference_by_groups(visit: Visit) -> None:
    window = visit()
    page = window.sign_in("analyst")
    page.goto("/datasets/adult-census-income/ask/")
    page.get_by_text("Compute a column of two").click()
    page.get_by_label("First column").select_option("capital_gain")
    page.get_by_label("Sign").select_option(label="-")
    page.get_by_label("Second column").select_option("capital_loss")
    page.get_by_role("button", name="Add this column").click()
    column = page.get_by_role("group", name="capital_gain - capital_loss")
    expect(column).to_contain_text("From ")
    page.get_by_label("Statistic", exact=True).select_option("mean")
    page.get_by_label("of the column").select_option("capital_gain - capital_loss")
    page.get_by_label("Group by").select_option("sex")
    page.get_by_role("button", name="Add grouping").click()
    page.get_by_label("Privacy loss ε").fill("0.7")
    button = page.get_by_role("button", name="Ask for ε 0.7")
    expect(button).to_be_visible()
    quote = page.get_by_role("region", name="Price and precision")
    expect(quote).to_contain_text("for each sex")
    expect(page.locator(".htmx-request")).to_have_count(0)
    look_at(page, "ask-computed")
    button.click()
    page.wait_for_url(re.compile("/queries/"))
    expect(page.locator(".js-plotly-plot").first).to_be_visible(timeout=60_000)
    expect(page.get_by_role("heading", level=1)).to_contain_text("capital_gain - capital_loss")
    look_at(page, "answer-computed")
