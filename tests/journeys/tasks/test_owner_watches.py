"""An owner's tasks: stop and go, how long data stays, and pictures of what is left."""

from collections.abc import Generator

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.tasks.counting import Role, task
from tests.journeys.tasks.preparing import ADULT_NAME, resume


@pytest.fixture
def resumed_afterwards(visit: Visit, wards: str) -> Generator[None]:
    """Whoever comes next can ask about the small dataset again."""
    yield
    resume(visit().sign_in("owner"), wards)


@task(Role.OWNER, pages=4, clicks=5)
def test_pause_all_questions_about_a_dataset(resumed_afterwards: None, desk: Page) -> None:
    _open_settings(desk)
    desk.get_by_role("link", name="Pause Pause").click()
    desk.get_by_role("main").get_by_role("textbox").fill("a file is looked at")
    desk.get_by_role("button", name="Pause all questions").click()
    expect(desk.locator("main")).to_contain_text("have been paused since")


@task(Role.OWNER, pages=2, clicks=2)
def test_resume_questions_about_a_dataset(paused: None, desk: Page) -> None:
    desk.get_by_role("link", name="Tram rides", exact=True).click()
    desk.get_by_role("button", name="Resume questions").click()
    expect(desk.get_by_text("are answered again")).to_be_visible()
    expect(desk.locator("main")).not_to_contain_text("have been paused since")


@task(Role.OWNER, pages=4, clicks=5)
def test_say_how_long_the_data_is_kept(wards: str, desk: Page) -> None:
    _open_settings(desk)
    desk.get_by_role("link", name="Change Data kept").click()
    desk.get_by_role("main").get_by_label("Last day").fill("2099-12-31")
    desk.get_by_role("button", name="Save").click()
    expect(desk.locator("main")).to_contain_text("31 December 2099")


@task(Role.OWNER, pages=2, clicks=2)
def test_see_all_budgets_in_one_picture(wards: str, desk: Page) -> None:
    desk.get_by_role("link", name="Datasets", exact=True).click()
    desk.get_by_role("link", name="Portfolio").click()
    expect(desk.locator("#all-budgets .main-svg").first).to_be_visible()
    expect(desk.get_by_role("table").filter(has_text="Tram rides").first).to_be_visible()


@task(Role.OWNER, pages=2, clicks=2)
def test_see_what_is_left_over_the_last_week(desk: Page) -> None:
    desk.get_by_role("link", name=f"Budget of {ADULT_NAME}").click()
    desk.get_by_role("link", name="7 days").first.click()
    expect(desk.get_by_role("link", name="7 days").first).to_have_attribute("aria-current", "true")
    expect(desk.locator("#over-time .main-svg").first).to_be_visible()


@task(Role.OWNER, pages=2, clicks=3)
def test_see_what_a_family_is_told_to_lose(desk: Page) -> None:
    desk.get_by_role("link", name=ADULT_NAME, exact=True).click()
    desk.get_by_role("link", name="Group privacy", exact=True).click()
    said = desk.locator("[data-group-certain]")
    before = said.inner_text()
    desk.get_by_label("Units in the group").press("ArrowRight")
    expect(said).not_to_have_text(before)


@task(Role.OWNER, pages=3, clicks=4)
def test_list_what_one_analyst_asked_out_of_a_chart(desk: Page) -> None:
    desk.get_by_role("link", name="Questions", exact=True).click()
    desk.get_by_role("link", name="analyst", exact=True).click()
    over_time = desk.get_by_role("region", name="Questions over time")
    over_time.get_by_text("The same as a table").click()
    over_time.get_by_role("row", name="Anna Analyst").first.get_by_role("link").click()
    expect(desk.get_by_label("Analyst", exact=True)).not_to_have_value("")


def _open_settings(page: Page) -> None:
    page.get_by_role("link", name="Tram rides", exact=True).click()
    page.get_by_role("link", name="Settings").click()
