"""An analyst's tasks: prices and answers as pictures, and ways that are short."""

from collections.abc import Generator

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.product import Product
from tests.journeys.standing_still import nobody_works
from tests.journeys.tasks.counting import Role, task
from tests.journeys.tasks.preparing import ADULT_NAME, await_answer, pause, resume


@pytest.fixture
def waits(visit: Visit, product: Product, wards: str) -> Generator[None]:
    """The analyst's newest question was accepted, and then the owner paused all questions."""
    owner, page = visit().sign_in("owner"), visit().sign_in("analyst")
    with nobody_works(product):
        page.goto(f"{wards}ask/")
        page.get_by_label("Privacy loss ε", exact=True).fill("0.019")
        page.get_by_role("button", name="Ask for ε 0.019", exact=True).click()
        page.wait_for_url("**/queries/**")
        pause(owner, wards)
    yield
    resume(owner, wards)


@pytest.fixture
def in_english(visit: Visit) -> Generator[None]:
    """The analyst's letters are in English again afterwards."""
    yield
    page = visit("de-DE").sign_in("analyst")
    page.get_by_role("button", name="Anna Analyst").click()
    page.get_by_role("button", name="English", exact=True).click()
    expect(page.locator("html")).to_have_attribute("lang", "en-gb")


@task(Role.ANALYST, pages=2, clicks=2)
def test_cancel_a_question_that_waits_in_a_pause(waits: None, desk: Page) -> None:
    # The page that looks again by itself may swap the button away from under the finger.
    desk.route("**/status/", lambda route: route.fulfill(status=204))
    _open_the_newest(desk)
    expect(desk.locator("main")).to_contain_text("are paused by its owners")
    desk.get_by_role("button", name="Cancel this question").click()
    expect(desk.locator("main")).to_contain_text("Not run")


@task(Role.ANALYST, pages=2, clicks=4)
def test_ask_for_a_price_chosen_on_the_curve(desk: Page) -> None:
    _compose(desk, ADULT_NAME)
    desk.get_by_label("Move along the curve").press("ArrowLeft")
    desk.locator("#curve").get_by_role("button", name="Use", exact=True).click()
    amount = desk.get_by_label("Privacy loss ε", exact=True).input_value()
    desk.get_by_role("button", name=f"Ask for ε {amount}", exact=True).click()
    await_answer(desk)


@task(Role.ANALYST, pages=2, clicks=6)
def test_ask_by_month(stays: str, desk: Page) -> None:
    _compose(desk, "Daily stays")
    desk.get_by_label("Group by", exact=True).select_option("day")
    desk.get_by_role("button", name="Add grouping").click()
    by_day = desk.get_by_role("group", name="Group by day")
    by_day.get_by_label("One group for each").select_option("month")
    desk.get_by_label("Privacy loss ε", exact=True).fill("0.3")
    desk.get_by_role("button", name="Ask for ε 0.3", exact=True).click()
    await_answer(desk)
    expect(desk.get_by_role("table", name="Released numbers")).to_contain_text("Jun 2024")


@task(Role.ANALYST, pages=2, clicks=2)
def test_read_the_receipt_of_an_answer(drawn: None, desk: Page) -> None:
    _open_the_newest(desk)
    desk.get_by_role("link", name="Receipt").click()
    expect(desk.get_by_role("heading", level=1)).to_have_text("Receipt of an answer")
    expect(desk.get_by_role("img", name="QR code")).to_be_visible()


@task(Role.ANALYST, pages=1, clicks=2)
def test_save_the_chart_of_an_answer_as_a_picture(drawn: None, desk: Page) -> None:
    _open_the_newest(desk)
    expect(desk.locator(".chart .main-svg").first).to_be_visible()
    with desk.expect_download() as download:
        desk.get_by_role("button", name="PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


@task(Role.ANALYST, pages=1, clicks=1)
def test_jump_to_a_dataset_from_anywhere(desk: Page) -> None:
    desk.keyboard.press("Control+k")
    words = desk.get_by_role("dialog").get_by_role("searchbox")
    words.fill("census")
    expect(desk.locator("#search-found").get_by_role("link", name=ADULT_NAME).first).to_be_visible()
    words.press("Enter")
    expect(desk.get_by_role("heading", level=1)).to_have_text(ADULT_NAME)


@task(Role.ANALYST, pages=2, clicks=3)
def test_see_the_price_of_sql_while_writing_it(desk: Page) -> None:
    _compose(desk, ADULT_NAME)
    desk.get_by_role("link", name="Write SQL").click()
    desk.get_by_label("Question").fill("SELECT AVG(age) FROM people WITH EPSILON 0.21")
    expect(desk.locator("#sql-price")).to_contain_text("ε 0.21")
    expect(desk.locator("#sql-price")).to_contain_text("Mean of age")


@task(Role.ANALYST, pages=3, clicks=4)
def test_list_a_day_s_questions_about_one_dataset_out_of_a_chart(desk: Page) -> None:
    desk.get_by_role("link", name="Questions", exact=True).click()
    desk.get_by_role("link", name="dataset", exact=True).click()
    over_time = desk.get_by_role("region", name="Questions over time")
    over_time.get_by_text("The same as a table").click()
    over_time.get_by_role("row", name=ADULT_NAME).first.get_by_role("link").click()
    chosen = desk.get_by_label("Dataset", exact=True).locator("option:checked")
    expect(chosen).to_have_text(ADULT_NAME)


@task(Role.ANALYST, pages=0, clicks=2)
def test_change_the_colours(desk: Page) -> None:
    desk.get_by_role("button", name="Anna Analyst").click()
    desk.get_by_role("button", name="Dark").click()
    expect(desk.locator("html")).to_have_attribute("data-bs-theme", "dark")


@task(Role.ANALYST, pages=1, clicks=2)
def test_read_the_pages_in_german(in_english: None, desk: Page) -> None:
    desk.get_by_role("button", name="Anna Analyst").click()
    desk.get_by_role("button", name="Deutsch", exact=True).click()
    expect(desk.locator("html")).to_have_attribute("lang", "de")


def _compose(page: Page, dataset: str) -> None:
    page.get_by_role("link", name=f"Ask a question of {dataset}").click()


def _open_the_newest(page: Page) -> None:
    latest = page.get_by_role("region", name="Your latest questions")
    latest.get_by_role("row").nth(1).get_by_role("link").first.click()
