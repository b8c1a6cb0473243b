"""The curve of price against error in a browser: one request for it, and a handle that fills in."""

from playwright.sync_api import expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import accessibility_problems


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


def test_on_a_phone_the_price_stays_in_sight_and_covers_nothing(visit: Visit) -> None:
    """The button stands at the foot of the window while one composes, and below the page's end."""
    page = visit().sign_in("analyst")
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/datasets/adult-census-income/ask/")
    ask = page.get_by_role("button", name="Ask for ε 0.5", exact=True)
    expect(ask).to_be_in_viewport(ratio=1)
    page.get_by_label("Privacy loss ε", exact=True).fill("0.25")
    expect(page.get_by_role("button", name="Ask for ε 0.25", exact=True)).to_be_in_viewport(ratio=1)
    page.evaluate("() => window.scrollTo(0, document.body.scrollHeight)")
    foot = page.locator("footer").bounding_box()
    bar = page.locator(".ask-bar").bounding_box()
    assert foot is not None
    assert bar is not None
    assert foot["y"] + foot["height"] <= bar["y"]
    assert accessibility_problems(page) == []
