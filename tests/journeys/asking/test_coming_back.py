"""Back in the browser from an answer: the question that was asked, and its own price."""

import re

from playwright.sync_api import expect

from tests.journeys.conftest import Visit

ADULT = "/datasets/adult-census-income/"


def test_back_from_an_answer_leads_to_its_question_with_its_filter(visit: Visit) -> None:
    page = visit().sign_in("analyst")
    page.goto(f"{ADULT}ask/")
    page.get_by_label("Group by", exact=True).select_option("sex")
    page.get_by_role("button", name="Add grouping").click()
    expect(page.get_by_role("button", name=re.compile("Remove .*sex"))).to_be_visible()
    page.get_by_label("Privacy loss ε", exact=True).fill("0.011")
    page.get_by_role("button", name="Ask for ε 0.011", exact=True).click()
    page.wait_for_url(re.compile("/queries/"))
    page.go_back()
    expect(page.get_by_role("button", name=re.compile("Remove .*sex"))).to_be_visible()
    expect(page.get_by_label("Privacy loss ε", exact=True)).to_have_value("0.011")
    expect(page.get_by_role("button", name="Ask for ε 0.011", exact=True)).to_be_enabled()


def test_back_to_a_form_that_was_not_sent_prices_what_the_browser_fills_in(visit: Visit) -> None:
    """Else it would show the price of the form as it came, beside fields that say otherwise."""
    page = visit().sign_in("analyst")
    page.goto(f"{ADULT}ask/")
    page.get_by_label("Privacy loss ε", exact=True).fill("0.013")
    expect(page.get_by_role("button", name="Ask for ε 0.013", exact=True)).to_be_visible()
    page.goto("/notices/")
    page.go_back()
    held = page.get_by_label("Privacy loss ε", exact=True).input_value()
    expect(page.get_by_role("button", name=f"Ask for ε {held}", exact=True)).to_be_enabled()
    assert held == "0.013"
