"""The editor of SQL in a browser: colours, suggestions, the live price; and the page without it."""

import gzip
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import accessibility_problems
from tests.journeys.product import ROOT, Product

_PAGE = "/datasets/adult-census-income/ask/sql/"
_BUNDLE = ROOT / "static/vendor/codemirror/codemirror.min.js"
_MOST_KB = 120
_LIST_FITS = """() => {
  const box = document.querySelector("[role=listbox]").getBoundingClientRect();
  return box.left >= 0 && box.right <= 360;
}"""


@pytest.fixture
def page(visit: Visit) -> Page:
    """The page with its example marked: what is typed stands in its place.

    Its console may not complain, of styles least of all.
    """
    page = visit().sign_in("analyst")
    page.goto(_PAGE)
    page.get_by_label("Question").press("ControlOrMeta+a")
    return page


def _type(page: Page, text: str) -> None:
    page.get_by_label("Question").press_sequentially(text)


def _choose(page: Page, name: str) -> None:
    """Take the one suggestion of this name by Tab."""
    first = _suggested(page).first
    expect(first).to_contain_text(name)
    expect(first).to_have_attribute("aria-selected", "true")
    page.wait_for_timeout(100)  # a list that has just opened takes no key, lest one is surprised
    page.keyboard.press("Tab")
    expect(_suggested(page)).to_have_count(0)


def _suggested(page: Page) -> Locator:
    return page.get_by_role("option").filter(visible=True)


def test_columns_values_and_functions_are_suggested_and_the_price_follows(page: Page) -> None:
    _type(page, "SELECT AV")
    _choose(page, "AVG")
    _type(page, "hours")
    expect(_suggested(page).first).to_contain_text("0 to 99")
    _choose(page, "hours_per_week")
    _type(page, ") FROM a")
    _choose(page, "adult-census-income")
    _type(page, " WHERE sex = 'F")
    _choose(page, "Female")
    page.get_by_label("Privacy loss ε").fill("0.125")
    price = page.locator("#sql-price")
    expect(price).to_contain_text("where sex is Female")
    expect(price).to_contain_text("0.125")
    text = page.locator("#id_sql").input_value()
    assert text.startswith("SELECT AVG(hours_per_week) ")
    assert text.endswith("""FROM "adult-census-income" WHERE sex = 'Female'""")
    assert page.locator(".sql-keyword").all_inner_texts() == ["SELECT", "FROM", "WHERE"]
    page.get_by_label("Question").press("Control+Enter")
    expect(page.get_by_role("button", name="Ask for ε 0.125")).to_be_visible()


def test_counts_that_run_are_suggested_coloured_and_priced(page: Page) -> None:
    """M76: and refused beside the text, while it is written, where a window means another thing."""
    price = page.locator("#sql-price")
    _type(page, "SELECT JOI")
    _choose(page, "JOINT_CDF")
    _type(page, "age, hours_per_week) FROM data GROUP BY BINS(age, 20, 40), ")
    _type(page, "BINS(hours_per_week, 10, 40)")
    expect(price).to_contain_text("Joint cumulative count of rows")
    page.get_by_label("Question").press("ControlOrMeta+a")
    _type(
        page, "SELECT SUM(COUNT(*)) OVER (ORDER BY age DESC) FROM data GROUP BY BINS(age, 20, 40)"
    )
    expect(price).to_contain_text("Line 1, column 41: Counts run from the lowest edge up")
    coloured = page.locator(".sql-keyword").all_inner_texts()
    assert coloured == ["SELECT", "OVER", "ORDER", "BY", "FROM", "GROUP", "BY"]


def test_the_keyboard_is_not_caught_in_the_editor(page: Page) -> None:
    """Escape closes a list; with none open Tab moves on, and back."""
    editor = page.get_by_label("Question")
    _type(page, "SELECT ag")
    expect(_suggested(page).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(_suggested(page)).to_have_count(0)
    page.keyboard.press("Tab")
    expect(editor).not_to_be_focused()
    assert page.locator("#id_sql").input_value() == "SELECT ag"
    page.keyboard.press("Shift+Tab")
    expect(editor).to_be_focused()
    expect(editor).to_have_accessible_description(
        "Names are suggested as you type, or with Ctrl + Space. Enter or Tab takes the marked "
        "suggestion, Esc closes the list. Tab leaves the editor when no list is open."
    )


def test_an_open_list_fits_and_is_accessible(visit: Visit) -> None:
    window = visit()
    page = window.sign_in("analyst")
    page.goto(_PAGE)
    page.get_by_label("Question").press("Control+End")
    page.keyboard.type(", ")
    page.keyboard.press("Control+Space")
    expect(_suggested(page).first).to_be_visible()
    expect(page.locator(".sql-editor")).to_have_css("border-top-style", "solid")
    assert accessibility_problems(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_function(_LIST_FITS)
    window.picture("sql-editor")


def test_without_scripts_the_text_area_is_the_field(browser: Browser, visit: Visit) -> None:
    window = visit()
    window.sign_in("analyst")
    product: Product = window.product
    context = browser.new_context(base_url=product.url, java_script_enabled=False)
    context.add_cookies(product.sessions["analyst"])
    page = context.new_page()
    page.goto(_PAGE)
    page.get_by_label("Question").fill("SELECT COUNT(*) FROM data")
    expect(page.locator("#sql-keys")).to_be_hidden()
    page.get_by_role("button", name="Check and price").click()
    expect(page.get_by_role("heading", name="Price and precision").first).to_be_visible()
    expect(page.locator("main")).to_contain_text("Count of rows")
    context.close()


def test_the_editor_stays_light_and_is_loaded_on_its_page_alone() -> None:
    assert len(gzip.compress(_BUNDLE.read_bytes())) < _MOST_KB * 1_000
    templates = Path(ROOT / "templates").rglob("*.html")
    users = [path.name for path in templates if "codemirror" in path.read_text()]
    assert users == ["ask_sql.html"]
