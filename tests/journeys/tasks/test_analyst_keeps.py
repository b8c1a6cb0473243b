"""An analyst's tasks: what is done with questions and answers afterwards."""

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.tasks.counting import Role, task
from tests.journeys.tasks.preparing import (
    ADULT,
    ADULT_NAME,
    await_answer,
    grant_nobody,
)


@pytest.fixture
def kept(visit: Visit) -> None:
    """The analyst has saved a question under a name."""
    page = visit().sign_in("analyst")
    page.goto(f"{ADULT}ask/")
    _save(page, "Everybody again")


@pytest.fixture
def counted_twice(visit: Visit) -> None:
    """The analyst's two newest answers are counts of every row, at two prices."""
    page = visit().sign_in("analyst")
    for epsilon in ("0.012", "0.013"):
        page.goto(f"{ADULT}ask/")
        page.get_by_label("Privacy loss ε", exact=True).fill(epsilon)
        page.get_by_role("button", name=f"Ask for ε {epsilon}", exact=True).click()
        await_answer(page)


@pytest.fixture
def without_allocation(visit: Visit, wards: str) -> None:
    """The analyst has no allocation of the small dataset, and has not asked for one."""
    grant_nobody(visit().sign_in("owner"), wards)


@task(Role.ANALYST, pages=2, clicks=4)
def test_save_a_question(desk: Page) -> None:
    desk.get_by_role("link", name=f"Ask a question of {ADULT_NAME}").click()
    _save(desk, "All rows")


@task(Role.ANALYST, pages=2, clicks=2)
def test_ask_a_saved_question_again(kept: None, desk: Page) -> None:
    desk.get_by_role("link", name="Everybody again").first.click()
    desk.get_by_role("button", name="Ask for ε").click()
    await_answer(desk)


@task(Role.ANALYST, pages=3, clicks=4)
def test_compare_two_answers(counted_twice: None, desk: Page) -> None:
    _open_the_newest(desk)
    desk.get_by_role("link", name="Compare").click()
    desk.get_by_role("checkbox").nth(1).check()
    desk.get_by_role("button", name="Compare").click()
    expect(desk.get_by_role("heading", name="Side by side")).to_be_visible()


@task(Role.ANALYST, pages=1, clicks=3)
def test_copy_the_lines_for_a_notebook(desk: Page) -> None:
    desk.context.grant_permissions(["clipboard-read", "clipboard-write"])
    _open_the_newest(desk)
    desk.get_by_text("In a notebook").click()
    lines = desk.locator("details").filter(has_text="In a notebook")
    lines.get_by_role("button", name="Copy").click()
    expect(lines.locator("[data-copied]")).to_contain_text("Copied")


@task(Role.ANALYST, pages=1, clicks=2)
def test_download_an_answer_as_csv(desk: Page) -> None:
    _open_the_newest(desk)
    with desk.expect_download() as download:
        desk.get_by_role("link", name="Download CSV").click()
    assert "epsilon" in download.value.path().read_text()


@task(Role.ANALYST, pages=2, clicks=5)
def test_ask_an_owner_for_budget(without_allocation: None, desk: Page) -> None:
    desk.get_by_role("link", name="Ask for budget of Tram rides").click()
    desk.get_by_label("What do you ask for?").select_option("permit")
    desk.get_by_label("Up to ε").fill("0.25")
    desk.get_by_label("What is it for?").fill("the winter study")
    desk.get_by_role("button", name="Send the request").click()
    expect(desk.locator("main")).to_contain_text("Waiting")


@task(Role.ANALYST, pages=2, clicks=4)
def test_make_a_token_for_a_program(desk: Page) -> None:
    desk.get_by_role("button", name="Anna Analyst").click()
    desk.get_by_role("link", name="API tokens").click()
    desk.get_by_label("Name").fill("nightly report")
    desk.get_by_role("button", name="Create token").click()
    expect(desk.get_by_label("Token", exact=True)).to_be_visible()


def _open_the_newest(page: Page) -> None:
    """The newest that was answered: other tasks leave some that wait or were cancelled."""
    latest = page.get_by_role("region", name="Your latest questions")
    answered = latest.get_by_role("row").filter(has_text="Answered")
    answered.first.get_by_role("link").first.click()


def _save(page: Page, name: str) -> None:
    page.get_by_text("Save this question").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Saved questions")
