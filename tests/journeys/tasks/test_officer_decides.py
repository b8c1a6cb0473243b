"""An officer's tasks: requests that take two persons, and what a month looked like."""

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import look_at
from tests.journeys.tasks.counting import Role, task
from tests.journeys.tasks.preparing import ADULT_NAME, ask_for_a_higher_limit


@pytest.fixture
def wanted(visit: Visit, wards: str) -> None:
    """An owner requests a higher limit."""
    ask_for_a_higher_limit(visit().sign_in("owner"), wards)


@task(Role.OFFICER, pages=2, clicks=3)
def test_approve_a_higher_limit(wanted: None, desk: Page) -> None:
    _open(desk)
    look_at(desk, "approval")
    desk.get_by_label("Your reason").fill("the people were told")
    desk.get_by_role("button", name="Approve and carry out").click()
    expect(desk.locator("main")).to_contain_text("Approved")


@task(Role.OFFICER, pages=2, clicks=3)
def test_refuse_a_higher_limit_with_a_reason(wanted: None, desk: Page) -> None:
    _open(desk)
    desk.get_by_label("Your reason").fill("the people were promised less")
    desk.get_by_role("button", name="Reject").click()
    expect(desk.locator("main")).to_contain_text("Rejected")


@task(Role.OFFICER, pages=1, clicks=1)
def test_read_what_happened_this_month(desk: Page) -> None:
    desk.get_by_role("link", name="This month").click()
    expect(desk.get_by_role("region", name="By dataset")).to_contain_text(ADULT_NAME)


@task(Role.OFFICER, pages=1, clicks=2)
def test_download_the_report_of_a_month(desk: Page) -> None:
    desk.get_by_role("link", name="This month").click()
    with desk.expect_download() as download:
        desk.get_by_role("link", name="Report (PDF)").click()
    assert download.value.path().read_bytes().startswith(b"%PDF")


@task(Role.OFFICER, pages=1, clicks=1)
def test_look_for_attacks_in_the_questions_about_a_dataset(desk: Page) -> None:
    desk.get_by_role("link", name=f"Suspicious patterns of {ADULT_NAME}").click()
    expect(desk.get_by_role("region", name="How to read it")).to_contain_text("that were looked at")


@task(Role.OFFICER, pages=2, clicks=8)
def test_download_the_public_record_of_a_dataset(desk: Page) -> None:
    desk.get_by_role("link", name=ADULT_NAME, exact=True).click()
    desk.get_by_role("link", name="Public record").click()
    desk.get_by_label("Who publishes the answers").fill("Harbour Statistics Office")
    desk.get_by_label("What the answers are for").fill("Yearly figures on work and income.")
    desk.get_by_label("Region").fill("United States")
    desk.get_by_label("First published on").fill("2026-01-01")
    desk.get_by_label("Who wrote this record").fill("Oscar Officer")
    with desk.expect_download() as download:
        desk.get_by_role("button", name="Save it as a YAML file").click()
    assert "Harbour Statistics Office" in download.value.path().read_text()


def _open(page: Page) -> None:
    waiting = page.get_by_role("region", name="Requests that wait")
    waiting.get_by_role("link", name="tram-rides").first.click()
