"""A dataset goes out of sight: of those who are not named, then of all, then its rows for good."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.browser import Visitor
from tests.journeys.conftest import Visit
from tests.journeys.looking import look_at
from tests.journeys.product import Product
from tests.journeys.tasks.counting import Role, task
from tests.journeys.tasks.preparing import await_answer, register

_NAME = "Night ferries"


@pytest.fixture(scope="module")
def night(product: Product, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a dataset about which an analyst has asked once."""
    windows = Visitor(browser, product), Visitor(browser, product)
    owner, analyst = windows[0].sign_in("owner"), windows[1].sign_in("analyst")
    address = register(owner, tmp_path_factory.mktemp("night"), _NAME, seed=5)
    analyst.goto(f"{address}ask/")
    analyst.get_by_label("Privacy loss ε", exact=True).fill("0.25")
    analyst.get_by_role("button", name="Ask for ε 0.25", exact=True).click()
    await_answer(analyst)
    for window in windows:
        window.close()
    return address


@pytest.fixture
def archived(visit: Visit, night: str) -> None:
    """Nobody can ask about it any more."""
    page = visit().sign_in("owner")
    page.goto(f"{night}archive/")
    page.get_by_role("button", name="Archive the dataset").click()
    page.wait_for_url("**/datasets/")


@task(Role.OWNER, pages=4, clicks=5)
def test_show_a_dataset_to_named_people_only(visit: Visit, night: str, desk: Page) -> None:
    """L37: to an analyst who is not named it is not there, wherever they look."""
    outside = visit()
    analyst = outside.sign_in("analyst")
    analyst.goto("/datasets/")
    expect(analyst.locator("main")).to_contain_text(_NAME)
    desk.get_by_role("link", name=_NAME, exact=True).first.click()
    desk.get_by_role("link", name="Settings", exact=True).click()
    desk.get_by_role("link", name="Change Audience").click()
    desk.get_by_label("Only named people").check()
    desk.get_by_role("button", name="Save").click()
    expect(desk.locator("main")).to_contain_text("Only named people")
    outside.expected = re.compile("404")
    for address in ("/datasets/", "/find/?words=Night"):
        analyst.goto(address)
        expect(analyst.locator("main")).not_to_contain_text(_NAME)
    for address in (night, f"{night}ask/"):
        answer = analyst.goto(address)
        assert answer is not None
        assert answer.status == 404


@task(Role.OWNER, pages=4, clicks=5)
def test_delete_the_data_of_an_archived_dataset(visit: Visit, archived: None, desk: Page) -> None:
    """L22: the rows go; the answer, what was spent and the log stay, as another person sees."""
    desk.get_by_role("link", name="Datasets", exact=True).click()
    desk.get_by_role("link", name="Archived").first.click()
    desk.get_by_role("link", name=f"Delete the data of {_NAME}").click()
    expect(desk.locator("main")).to_contain_text("What was spent: ε 0.25")
    look_at(desk, "delete-data")
    desk.get_by_label("Type the name of the dataset to confirm").fill(_NAME)
    desk.get_by_role("button", name="Delete the data for good").click()
    expect(desk.get_by_role("row", name=_NAME)).to_contain_text("deleted")
    officer = visit().sign_in("officer")
    officer.goto("/audit/?q=action%3ADATASET_DATA_DELETED")
    expect(officer.locator("main")).to_contain_text(f"Olga Owner deleted the data of {_NAME}")
    officer.get_by_role("button", name="Verify now").click()
    expect(officer.locator("#verdict")).to_contain_text("Every budget adds up")
    analyst = visit().sign_in("analyst")
    analyst.goto("/history/")
    asked = analyst.locator("#questions").get_by_role("row").filter(has_text=_NAME)
    asked.get_by_role("link").click()
    expect(analyst.locator(".answer-value")).to_contain_text("at 95%")
