"""Pages as they are printed: black on white, nothing to press, tables whole, and their source."""

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.browser import PICTURES
from tests.journeys.conftest import Visit

ADULT = "/datasets/adult-census-income/"
PAGES = [
    ("owner", "paper-label", ADULT),
    ("owner", "paper-budget", f"{ADULT}budget/"),
    ("officer", "paper-month", "/month/"),
    ("officer", "paper-log", "/audit/"),
]
# A4 within its margins, in pixels.
_ACROSS = 680
# Charts follow the width of the paper a moment later: in so many frames.
_FITS_SOON = """across => new Promise(done => {
  const look = left => {
    const fits = document.documentElement.scrollWidth <= across;
    return fits || !left ? done(fits) : requestAnimationFrame(() => look(left - 1));
  };
  look(600);
})"""


@pytest.mark.parametrize(("person", "name", "path"), PAGES, ids=[name for _, name, _ in PAGES])
def test_a_page_can_be_printed(visit: Visit, person: str, name: str, path: str) -> None:
    window = visit()
    page = window.sign_in(person)
    page.goto(path)
    for theme in ("light", "dark"):
        page.emulate_media(media="print", color_scheme=theme)
        page.set_viewport_size({"width": _ACROSS, "height": 900})
        _require_paper(page)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)


def _require_paper(page: Page) -> None:
    for hidden in ("nav", ".page-actions", ".btn", ".term", ".page-footer"):
        expect(page.locator(f"{hidden} >> visible=true")).to_have_count(0)
    assert _style(page, "body", "backgroundColor") == "rgb(255, 255, 255)"
    assert _style(page, "h1", "color") == "rgb(0, 0, 0)"
    assert _style(page, "main td, main dd", "color") == "rgb(0, 0, 0)"
    expect(page.locator("[data-source]")).to_have_text(page.url)
    assert page.evaluate(_FITS_SOON, _ACROSS)


def _style(page: Page, selector: str, name: str) -> str:
    found = page.locator(selector).first
    return str(found.evaluate("(element, name) => getComputedStyle(element)[name]", name))
