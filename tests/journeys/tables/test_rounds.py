"""M13, M14: a set of tables in adaptive rounds, from what cannot be promised to what was drawn."""

import re

from playwright.sync_api import expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import accessibility_problems


def test_an_analyst_lets_rounds_choose_the_tables(visit: Visit) -> None:
    window = visit()
    page = window.sign_in("analyst")
    page.goto("/datasets/adult-census-income/tables/")
    for column in ("sex", "race", "relationship"):
        page.get_by_role("checkbox", name=column, exact=True).check()
    page.get_by_label("How are they drawn?").select_option(label="Adaptive rounds")
    quote = page.get_by_role("region", name="Price and precision")
    page.get_by_label("Rounds").fill("99")
    expect(quote).to_contain_text("Say how many rounds: from 1 to 20.")
    page.get_by_label("Rounds").fill("2")
    page.get_by_label("Privacy loss ε", exact=True).fill("0.11")
    expect(quote).to_contain_text("No error of the whole can be promised")
    expect(quote.get_by_role("row", name="One full table")).to_be_visible()
    page.get_by_role("button", name="Ask all for ε 0.11", exact=True).click()
    page.wait_for_url(re.compile("/queries/"))
    rounds = page.locator("summary", has_text=re.compile("^Round "))
    expect(rounds).to_have_count(2, timeout=60_000)
    rounds.last.click()
    expect(page.get_by_role("table")).to_have_count(2)
    expect(page.get_by_role("link", name="Synthetic rows as CSV")).to_be_visible()
    assert accessibility_problems(page) == []
