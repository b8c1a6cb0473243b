"""An owner's tasks: what is left, who may use it, and by which rules."""

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.tasks.counting import Role, task
from tests.journeys.tasks.preparing import (
    ADULT_NAME,
    ask_for_budget,
    fill_in_a_higher_limit,
    grant_nobody,
    withdraw_the_higher_limit,
)


@pytest.fixture
def nobody_granted(visit: Visit, wards: str) -> None:
    """No allocation of the small dataset is open."""
    grant_nobody(visit().sign_in("owner"), wards)


@pytest.fixture
def budget_request(visit: Visit, nobody_granted: None, wards: str) -> None:
    """An analyst asks for an allocation."""
    ask_for_budget(visit().sign_in("analyst"), wards, "allocation", "0.75")


@pytest.fixture
def nothing_requested(visit: Visit, wards: str) -> None:
    """No higher limit is waited for."""
    withdraw_the_higher_limit(visit().sign_in("owner"), wards)


@task(Role.OWNER, pages=0, clicks=0)
def test_see_what_is_left_and_when_it_is_used_up(desk: Page) -> None:
    budgets = desk.get_by_role("region", name="Budgets")
    row = budgets.get_by_role("row").filter(has_text=ADULT_NAME)
    expect(row.get_by_role("cell").nth(1)).to_contain_text("ε")
    expect(row).to_contain_text("too early to tell")


@task(Role.OWNER, pages=1, clicks=1)
def test_see_where_the_budget_went(desk: Page) -> None:
    desk.get_by_role("link", name=f"Budget of {ADULT_NAME}").click()
    expect(desk.locator("main")).to_contain_text("Count")


@task(Role.OWNER, pages=1, clicks=1)
def test_read_the_privacy_label_as_everybody_sees_it(desk: Page) -> None:
    desk.get_by_role("link", name=ADULT_NAME, exact=True).click()
    expect(desk.get_by_role("region", name="Privacy label")).to_contain_text("All answers together")


@task(Role.OWNER, pages=2, clicks=3)
def test_read_what_was_asked_of_one_dataset(desk: Page) -> None:
    desk.get_by_role("link", name="Questions", exact=True).click()
    filters = desk.get_by_role("form", name="Filters")
    filters.get_by_label("Dataset", exact=True).select_option(label=ADULT_NAME)
    filters.get_by_role("button", name="Filter").click()
    expect(desk.locator("#questions").get_by_role("table")).to_contain_text("Count of rows")


@task(Role.OWNER, pages=3, clicks=6)
def test_grant_an_allocation(nobody_granted: None, desk: Page) -> None:
    desk.get_by_role("link", name="Limits of Tram rides").click()
    desk.get_by_role("link", name="Grant an allocation").click()
    desk.get_by_label("Analyst or project").select_option(index=1)
    desk.get_by_label("May use up to ε").fill("0.5")
    desk.get_by_label("Reason").fill("the pilot")
    desk.get_by_role("button", name="Grant").click()
    expect(desk.get_by_role("table").first).to_contain_text("0.5")


@task(Role.OWNER, pages=2, clicks=3)
def test_answer_a_request_for_budget(budget_request: None, desk: Page) -> None:
    desk.get_by_role("link", name="An allocation, ε 0.75").first.click()
    desk.get_by_role("textbox", name="Your answer").fill("for the study")
    desk.get_by_role("button", name="Grant the allocation").click()
    expect(desk.locator("main")).to_contain_text("Granted")


@task(Role.OWNER, pages=2, clicks=3)
def test_set_a_policy(wards: str, desk: Page) -> None:
    desk.get_by_role("link", name="Policy of Tram rides").click()
    desk.get_by_label("Questions above this ε need your permit").fill("0.5")
    desk.get_by_role("button", name="Save the policy").click()
    expect(desk.get_by_role("status").or_(desk.get_by_role("alert")).first).to_be_visible()


@task(Role.OWNER, pages=2, clicks=6)
def test_permit_an_exception_to_the_policy(wards: str, desk: Page) -> None:
    desk.get_by_role("link", name="Policy of Tram rides").click()
    desk.get_by_label("Analyst", exact=True).select_option(index=1)
    desk.get_by_label("Questions up to this ε").fill("1")
    desk.get_by_label("Until the end of").fill("2099-12-31")
    desk.get_by_label("Reason").fill("the pilot")
    desk.get_by_role("button", name="Give the permit").click()
    expect(desk.locator("main")).to_contain_text("until 31 Dec 2099")


@task(Role.OWNER, pages=4, clicks=6)
def test_request_a_higher_limit(nothing_requested: None, desk: Page) -> None:
    desk.get_by_role("link", name="Limits of Tram rides").click()
    desk.get_by_role("link", name="request a higher one").click()
    fill_in_a_higher_limit(desk)
    desk.get_by_role("button", name="Show what it means").click()
    desk.get_by_role("button", name="Send the request").click()
    expect(desk.locator("main")).to_contain_text("Waiting for another person")


@task(Role.OWNER, pages=5, clicks=7)
def test_let_two_datasets_share_one_budget(wards: str, desk: Page) -> None:
    desk.get_by_role("link", name="Datasets", exact=True).click()
    desk.get_by_role("link", name="Shared budgets").click()
    desk.get_by_role("link", name="Open a shared budget").click()
    desk.get_by_label("Name", exact=True).fill("People of the harbour")
    desk.get_by_label("Limit on ε for these people").fill("12")
    desk.get_by_role("button", name="Create").click()
    desk.get_by_role("button", name="Add Tram rides").click()
    expect(desk.get_by_role("region", name="Who shares it")).to_contain_text("Tram rides")


@task(Role.OWNER, pages=3, clicks=5)
def test_make_somebody_part_of_a_project(desk: Page) -> None:
    desk.get_by_role("link", name="Projects").click()
    desk.get_by_label("Name").fill("Commuting")
    desk.get_by_role("button", name="Create project").click()
    desk.get_by_role("combobox", name="Person").select_option(index=1)
    desk.get_by_role("button", name="Add", exact=True).click()
    expect(desk.get_by_role("table")).to_contain_text("@")


@task(Role.OWNER, pages=2, clicks=2)
def test_see_what_an_epsilon_means_for_a_person(desk: Page) -> None:
    desk.get_by_role("link", name=ADULT_NAME, exact=True).click()
    desk.get_by_role("link", name="What ε means here").first.click()
    desk.wait_for_url("**/understanding/")
    expect(desk.get_by_role("heading", level=2).first).to_be_visible()
