"""A question that an owner approves beforehand, and what is left open in it for analysts."""

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import look_at
from tests.journeys.tasks.counting import Role, task
from tests.journeys.tasks.preparing import ADULT, ADULT_NAME, await_answer

_SQL = "SELECT COUNT(*) FROM data WHERE age >= 30 AND sex = 'Female'"
_NAME = "Women from an age on"


@pytest.fixture(scope="module")
def published() -> list[str]:
    """Which ready-made questions there are."""
    return []


@pytest.fixture
def ready_made(visit: Visit, published: list[str]) -> None:
    """One that analysts find: published by the task before, or now."""
    if published:
        return
    page = visit().sign_in("owner")
    page.goto(f"{ADULT}ready-made/")
    _publish(page, published)


@task(Role.OWNER, pages=6, clicks=14)
def test_publish_a_ready_made_question(published: list[str], desk: Page) -> None:
    """With an age to choose from 18 to 65, at a price, twice for each analyst."""
    desk.get_by_role("link", name=ADULT_NAME, exact=True).click()
    desk.get_by_role("link", name="Settings", exact=True).click()
    desk.get_by_role("link", name="View Ready-made questions").click()
    _publish(desk, published)
    offer = desk.get_by_role("region", name=_NAME)
    expect(offer).to_contain_text("ε 0.02")
    expect(offer).to_contain_text("For each analyst")


@task(Role.ANALYST, pages=3, clicks=4)
def test_ask_a_ready_made_question(ready_made: None, desk: Page) -> None:
    """L29: what was left open can be chosen within its bounds, so often and no more."""
    desk.get_by_role("link", name=ADULT_NAME, exact=True).click()
    desk.get_by_role("link", name=_NAME).click()
    offer = desk.get_by_role("region", name=_NAME)
    expect(offer).to_contain_text("2 of 2")
    look_at(desk, "ready-made-offer")
    offer.get_by_role("textbox", name="age").fill("40")
    offer.get_by_role("button", name="Ask for ε 0.02").click()
    await_answer(desk)
    expect(desk.locator("main")).to_contain_text("where age is at least 40 and sex is Female")


def _publish(page: Page, published: list[str]) -> None:
    page.get_by_role("link", name="Publish one").first.click()
    page.get_by_label("Question", exact=True).fill(_SQL)
    page.get_by_role("button", name="Continue").click()
    page.get_by_label("Name", exact=True).fill(_NAME)
    page.get_by_label("What it is for").fill("The yearly report on women at work.")
    page.get_by_label("Price, in ε").fill("0.02")
    page.get_by_label("Times that each analyst may ask it").fill("2")
    age = page.get_by_role("group", name="age: 30")
    age.get_by_label("Analysts choose this").check()
    age.get_by_label("From").fill("18")
    age.get_by_label("To", exact=True).fill("65")
    look_at(page, "ready-made-publish")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("status").first).to_contain_text("Published")
    published.append(_NAME)
