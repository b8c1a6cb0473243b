"""What a page does when a request of its scripts fails: it says so, and nothing typed is lost."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.journeys.asking.test_unsaved import asked_on_leaving
from tests.journeys.conftest import Visit
from tests.journeys.tasks.preparing import ADULT, upload

ASK = f"{ADULT}ask/"
OUTDATED = "#outdated"


def _price(page: Page, amount: str) -> None:
    page.get_by_label("Privacy loss ε", exact=True).fill(amount)


def _status(code: int) -> Callable[[Route], None]:
    """An answer as something between the browser and the server gives it: a whole page."""
    page = "<!doctype html><html><body><main id='main'>Come back later</main></body></html>"
    return lambda route: route.fulfill(status=code, body=page, content_type="text/html")


def test_who_was_signed_out_is_told_and_keeps_the_question(visit: Visit) -> None:
    """M99: the page that one signs in on is no part of this one."""
    page = visit().sign_in("analyst")
    page.goto(ASK)
    page.context.clear_cookies(name=re.compile("session"))
    _price(page, "0.411")
    expect(page.locator(OUTDATED)).to_be_visible()
    expect(page.locator("main")).to_have_count(1)
    for price in page.locator("#quote button[name=price]").all():
        expect(price).to_be_disabled()
    expect(page.get_by_label("Privacy loss ε", exact=True)).to_have_value("0.411")


@pytest.mark.parametrize("code", [400, 413, 429, 502])
def test_a_page_in_place_of_a_price_is_not_shown_as_one(visit: Visit, code: int) -> None:
    window = visit()
    window.expected = re.compile(str(code))
    page = window.sign_in("analyst")
    page.goto(ASK)
    page.route("**/quote/", _status(code))
    _price(page, "0.412")
    expect(page.locator("#quote [data-out-of-date]")).to_be_visible()
    expect(page.locator("main")).to_have_count(1)
    page.unroute("**/quote/")
    _price(page, "0.413")
    expect(page.get_by_role("button", name="Ask for ε 0.413", exact=True)).to_be_enabled()


def test_a_page_keeps_no_state_of_its_own_in_the_history(visit: Visit) -> None:
    """Some browsers would be led back to a fresh page, over what was typed."""
    page = visit().sign_in("analyst")
    page.goto(ASK)
    _price(page, "0.414")
    expect(page.get_by_role("button", name="Ask for ε 0.414", exact=True)).to_be_enabled()
    assert page.evaluate("history.state") is None


def test_an_answer_is_looked_for_again_after_a_look_that_failed(visit: Visit) -> None:
    window = visit()
    window.expected = re.compile("502")
    page = window.sign_in("analyst")
    page.clock.install()
    page.goto(ASK)
    page.route("**/status/**", _status(502), times=1)
    _price(page, "0.0141")
    page.get_by_role("button", name="Ask for ε 0.0141", exact=True).click()
    page.wait_for_url("**/queries/**")
    with page.expect_response(lambda answer: answer.status == 502):
        page.clock.fast_forward(20_000)
    page.clock.fast_forward(61_000)
    expect(page.locator(".answer-value")).to_contain_text("at 95%", timeout=30_000)


def test_the_curve_comes_with_the_first_price(visit: Visit) -> None:
    """A question without one has none; the price is made while the question stays."""
    page = visit().sign_in("analyst")
    page.goto(ASK)
    expect(page.get_by_label("Move along the curve")).to_be_visible()
    _price(page, "")
    page.get_by_label("Statistic", exact=True).select_option("mean")
    page.get_by_label("of the column").select_option("age")
    expect(page.locator("#curve")).to_contain_text("Complete the question")
    _price(page, "0.42")
    expect(page.get_by_label("Move along the curve")).to_be_visible()


def test_no_curve_of_another_question_stays(visit: Visit) -> None:
    window = visit()
    window.expected = re.compile("503")
    page = window.sign_in("analyst")
    page.goto(ASK)
    handle = page.get_by_label("Move along the curve")
    expect(handle).to_be_visible()
    page.route("**/curve/", _status(503), times=1)
    page.get_by_label("Statistic", exact=True).select_option("mean")
    page.get_by_label("of the column").select_option("age")
    expect(handle).to_have_count(0)
    _price(page, "0.43")
    expect(handle).to_be_visible()


def test_a_button_that_got_no_answer_says_so(visit: Visit) -> None:
    """M99: the form stands as it was, and nobody waits for a row that does not come."""
    window = visit()
    window.expected = re.compile("503")
    page = window.sign_in("analyst")
    page.goto(ASK)
    page.get_by_label("Group by", exact=True).select_option("sex")
    page.route("**/ask/", _status(503), times=1)
    button = page.get_by_role("button", name="Add grouping")
    button.click()
    said = page.get_by_role("alert").filter(has_text="did not answer this")
    expect(said).to_be_visible()
    _price(page, "0.415")
    expect(page.get_by_role("button", name="Ask for ε 0.415", exact=True)).to_be_enabled()
    expect(said).to_be_visible()
    button.click()
    expect(page.get_by_role("button", name=re.compile("Remove .*sex"))).to_be_visible()
    expect(said).to_have_count(0)


def test_a_trial_that_does_not_come_twice_says_so_once(visit: Visit) -> None:
    window = visit()
    window.expected = re.compile("503")
    page = window.sign_in("analyst")
    page.goto(ASK)
    page.route("**/mock/", _status(503))
    button = page.get_by_role("button", name="Try it on invented data, free")
    said = page.get_by_role("alert").filter(has_text="did not answer this")
    for _ in range(2):
        with page.expect_response("**/mock/"):
            button.click()
        expect(said).to_have_count(1)


def test_a_lesson_whose_picture_does_not_come_says_so(visit: Visit) -> None:
    window = visit()
    window.expected = re.compile("503")
    page = window.sign_in("analyst")
    page.goto("/lessons/")
    page.locator("main a[href^='/lessons/']").first.click()
    # With its script: what is sent before that listens would be sent to nobody.
    page.wait_for_url("**/lessons/*/", wait_until="load")
    form = page.locator("form[data-lesson]")
    page.route("**/lessons/**", _status(503), times=1)
    form.dispatch_event("input")
    said = form.get_by_role("alert").filter(has_text="did not answer this")
    expect(said).to_be_visible()
    form.dispatch_event("input")
    expect(said).to_have_count(0)


def test_a_panel_never_shows_the_entry_that_was_opened_before(visit: Visit) -> None:
    window = visit()
    window.expected = re.compile("503")
    page = window.sign_in("officer")
    page.goto("/audit/")
    links, body = page.locator(".log-row th a"), page.locator("#entry-body")
    links.nth(0).click()
    expect(body).not_to_be_empty()
    first = body.inner_text()
    page.keyboard.press("Escape")
    page.route("**/audit/entries/**", _status(503))
    page.route("**/audit/*/", _status(503))
    links.nth(1).click()
    expect(body.get_by_role("alert")).to_contain_text("did not answer this")
    assert first not in body.inner_text()


def test_a_new_tab_is_opened_by_whoever_asks_for_one(visit: Visit) -> None:
    page = visit().sign_in("officer")
    page.goto("/audit/")
    with page.context.expect_page() as opened:
        page.locator(".log-row th a").first.click(modifiers=["Control"])
    expect(opened.value.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("#entry-panel")).to_be_hidden()


def test_a_file_that_was_sent_leads_on_without_a_question(visit: Visit, tmp_path: Path) -> None:
    page = visit().sign_in("owner")
    asked = asked_on_leaving(page)
    upload(page, tmp_path / "rows.csv", seed=41)
    assert asked == []


def test_what_could_not_be_kept_is_not_left_without_a_question(
    visit: Visit, tmp_path: Path
) -> None:
    window = visit()
    window.expected = re.compile("ERR_FAILED")
    page = window.sign_in("owner")
    upload(page, tmp_path / "rows.csv", seed=42)
    asked = asked_on_leaving(page)
    page.route("**/*by-itself*", lambda route: route.abort())
    page.get_by_label("Name", exact=True).fill("Not kept")
    expect(page.locator("#autosaved")).to_contain_text("Not saved")
    with page.expect_event("dialog"):
        page.get_by_role("link", name="Glossary", exact=True).click(no_wait_after=True)
    assert asked == ["beforeunload"]
    page.evaluate("window.isBeingLeft = false")
    expect(page.get_by_label("Name", exact=True)).to_have_value("Not kept")
    page.unroute("**/*by-itself*")
