"""All lessons in a browser: each control moves the figure, and nothing is loaded anew."""

import json
from typing import Any

from playwright.sync_api import Locator, Page, expect

from dpgov.explain.lessons.registry import LESSONS
from tests.journeys.conftest import Visit
from tests.journeys.looking import accessibility_problems
from tests.journeys.settled import settle


def test_each_control_of_each_lesson_moves_its_figure(visit: Visit) -> None:
    """M8: through all lessons by their links to the next, in both themes, wide and narrow."""
    window = visit()
    page = window.sign_in("analyst")
    page.goto("/understanding/")
    page.get_by_role("main").get_by_role("link", name="Lessons", exact=True).click()
    page.get_by_role("main").get_by_role("link", name=LESSONS[0].title, exact=True).click()
    for lesson in LESSONS:
        expect(page.get_by_role("heading", level=1)).to_have_text(lesson.title)
        expect(page.locator("#lesson-1 .main-svg").first).to_be_visible()
        for control in lesson.controls:
            _moved(page, page.locator(f"[name='{control.name}']"), slides=control.slides)
        settle(page)
        window.fits(f"lesson-{lesson.slug}")
        assert accessibility_problems(page) == [], lesson.slug
        page.set_viewport_size({"width": 1280, "height": 900})
        page.emulate_media(color_scheme="light")
        onward = page.locator("nav a[rel='next']")
        if lesson is not LESSONS[-1]:
            onward.click()
    expect(onward).to_have_count(0)


def test_run_again_shows_another_run(visit: Visit) -> None:
    page = visit().sign_in("analyst")
    page.goto("/lessons/averaging/")
    before = _numbers(page)
    page.get_by_role("link", name="Run again").click()
    expect(page.locator("output")).to_have_text("2")
    _expect_other_numbers(page, before)


def test_a_lesson_is_found_by_its_name(visit: Visit) -> None:
    page = visit().sign_in("officer")
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("searchbox").fill("millionaires")
    page.locator("#search-found").get_by_role("link", name="Salaries").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Salaries, and some millionaires")


def _moved(page: Page, control: Locator, *, slides: bool) -> None:
    before = _numbers(page)
    if slides:
        at_end = control.input_value() == control.get_attribute("max")
        control.press("ArrowLeft" if at_end else "ArrowRight")
        said = page.locator(f"output[for='{control.get_attribute('id')}']")
        expect(control).to_have_attribute("aria-valuetext", said.inner_text())
    else:
        control.last.check()
    _expect_other_numbers(page, before)
    expect(page.locator("#lesson-1 .main-svg").first).to_be_visible()


def _expect_other_numbers(page: Page, before: Any) -> None:
    page.wait_for_function(
        "(before) => document.getElementById('lesson-1-figure')?.textContent !== before",
        arg=before,
        timeout=60_000,
    )
    assert json.loads(_numbers(page))["data"]


def _numbers(page: Page) -> str:
    return page.locator("#lesson-1-figure").text_content() or ""
