"""An analyst's main task without a mouse: from the desk to an answer, seeing where one is."""

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.journeys.conftest import Visit

_FURTHEST = 120
# What the stylesheet draws around whatever has the focus, in either theme.
_IS_MARKED = """element => {
  const style = getComputedStyle(element);
  const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  return outlined || style.boxShadow !== "none";
}"""

# htmx begins to listen by a timer without a time.
_HOLD_BACK = """
(() => {
  const start = window.setTimeout.bind(window);
  const held = [];
  window.setTimeout = (act, ...when) => when.length ? start(act, ...when) : held.push(act);
  window.goOn = () => held.splice(0).forEach((act) => act());
})();
"""


def test_a_question_is_asked_with_the_keyboard_alone(visit: Visit) -> None:
    """E10: every step is reached by the tab key and marked while it has the focus."""
    page = visit().sign_in("analyst")
    _reach(page, page.get_by_role("link", name="Skip to the content"))
    page.keyboard.press("Enter")
    _reach(page, page.get_by_role("link", name="Ask a question of Adult census income"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/ask/")
    _reach(page, page.get_by_label("Statistic", exact=True))
    page.keyboard.type("Mean")
    _reach(page, page.get_by_label("of the column"))
    page.keyboard.type("age")
    _reach(page, page.get_by_label("Privacy loss ε", exact=True))
    page.keyboard.press("Control+a")
    page.keyboard.type("0.017")
    ask = page.get_by_role("button", name="Ask for ε 0.017", exact=True)
    expect(ask).to_be_visible(timeout=15_000)
    _reach(page, ask)
    page.keyboard.press("Enter")
    page.wait_for_url("**/queries/**")
    expect(page.locator(".answer-value")).to_contain_text("at 95%", timeout=30_000)


@pytest.mark.parametrize("typed", ["", "people"])
def test_enter_opens_nothing_that_was_found_for_words_of_before(visit: Visit, typed: str) -> None:
    """Whether the box was opened again or other words were typed: the page of the search comes."""
    page = visit().sign_in("analyst")
    hits = page.locator("#search-found").get_by_role("link")
    page.keyboard.press("Control+k")
    page.keyboard.type("census")
    expect(hits.first).to_be_visible()
    page.route("**/search/?q=*", _answer_pages_alone)
    if typed:
        page.keyboard.press("Control+a")
        page.keyboard.type(typed)
    else:
        page.keyboard.press("Escape")
        page.keyboard.press("Control+k")
    expect(hits).to_have_count(0)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/search/?q={typed}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Search")


def test_what_is_typed_before_the_page_listens_is_heard_when_it_does(visit: Visit) -> None:
    """M99: on a slow machine a dialog is typed into before anybody waits for the words."""
    page = visit().sign_in("analyst")
    page.add_init_script(_HOLD_BACK)
    page.reload()
    page.keyboard.press("Control+k")
    page.keyboard.type("census")
    expect(page.locator("#search-words")).to_have_value("census")
    page.evaluate("window.goOn()")
    expect(page.locator("#search-found").get_by_role("link").first).to_be_visible()


def _answer_pages_alone(route: Route) -> None:
    """What a script asks for waits for ever."""
    if route.request.is_navigation_request():
        route.continue_()


def _reach(page: Page, wanted: Locator) -> None:
    """Press the tab key until it has the focus."""
    expect(wanted).to_be_attached()
    for _ in range(_FURTHEST):
        if wanted.evaluate("element => element === document.activeElement"):
            break
        page.keyboard.press("Tab")
    expect(wanted).to_be_focused()
    assert wanted.evaluate(_IS_MARKED), "whatever has the focus is marked"
