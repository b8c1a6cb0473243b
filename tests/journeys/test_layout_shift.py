"""Pages stand still: what is loaded after the first sight of a page moves nothing on it.

How far things moved is measured by the browser itself; how long they took plays no part.
"""

import pytest
from playwright.sync_api import Page

from tests.journeys.conftest import Visit

ADULT = "/datasets/adult-census-income/"
# What the web's own rules call good is twice as much.
_MOST = 0.05
_MEASURE = """
window.shifted = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (entry.hadRecentInput) continue;
    const moved = entry.sources.map(({node}) => node?.id || node?.className || node?.nodeName);
    window.shifted.push([entry.value, moved.join(", ")]);
  }
}).observe({type: "layout-shift", buffered: true});
"""
# Loaded, what was asked for afterwards swapped in, the charts drawn, and all of it painted.
_STANDS = """() => document.readyState === "complete"
  && !document.querySelector(".htmx-request")
  && [...document.querySelectorAll(".chart[data-figure]")].every(
    (chart) => chart.dataset.drawn || !chart.offsetParent)"""
_PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
PAGES = [
    ("owner", "/"),
    ("analyst", "/"),
    ("analyst", f"{ADULT}ask/"),
    ("owner", f"{ADULT}budget/"),
    ("owner", "/history/"),
]


@pytest.mark.parametrize("across", [1280, 360])
def test_nothing_moves_on_a_page_once_it_is_seen(visit: Visit, across: int) -> None:
    moved = {}
    for person in ("owner", "analyst"):
        page = visit().sign_in(person)
        page.add_init_script(_MEASURE)
        page.set_viewport_size({"width": across, "height": 800})
        addresses = [path for who, path in PAGES if who == person]
        for path in [*addresses, _answer(page)]:
            page.goto(path)
            moved[person, path] = _shifted(page)
    too_far = {seen: shifts for seen, shifts in moved.items() if sum(v for v, _ in shifts) > _MOST}
    assert too_far == {}


def _answer(page: Page) -> str:
    """The address of an answer."""
    page.goto("/history/?state=released")
    link = page.locator("#questions a[href^='/queries/']").first
    return str(link.get_attribute("href"))


def _shifted(page: Page) -> list[tuple[float, str]]:
    """How much moved, as a part of the window, and what it was."""
    page.wait_for_function(_STANDS)
    page.wait_for_load_state("networkidle")
    page.evaluate(_PAINTED)
    return [(value, what) for value, what in page.evaluate("window.shifted")]
