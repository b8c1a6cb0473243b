"""The curve of price against error in a browser: one request for it, and a handle that fills in."""

from playwright.sync_api import expect

from tests.journeys.conftest import Visit
from tests.journeys.test_every_page import accessibility_problems


def test_the_curve_is_asked_for_once_and_its_handle_sets_the_price(visit: Visit) -> None:
    """Moving the handle and changing the price ask for no other curve."""
    window = visit()
    page = window.sign_in("analyst")
    asked: list[str] = []
    page.on("request", lambda r: asked.append(r.url) if r.url.endswith("/curve/") else None)
    page.goto("/datasets/adult-census-income/ask/")
    handle, said = page.get_by_label("Move along the curve"), page.locator("[data-curve-words]")
    expect(handle).to_be_visible()
    first = said.inner_text()
    handle.focus()
    handle.press("ArrowLeft")
    expect(said).not_to_have_text(first)
    expect(handle).to_have_attribute("aria-valuetext", said.inner_text())
    page.locator("#curve").get_by_role("button", name="Use", exact=True).click()
    amount = page.get_by_label("Privacy loss ε", exact=True).input_value()
    assert f"ε {amount}:" in said.inner_text()
    expect(page.get_by_role("button", name=f"Ask for ε {amount}", exact=True)).to_be_visible()
    assert len(asked) == 1
    window.picture("curve")
    assert accessibility_problems(page) == []
