"""An officer's tasks: what happened, beside the log, as a file and by its day."""

import re

from playwright.sync_api import Page, expect

from tests.journeys.tasks.counting import Role, task


@task(Role.OFFICER, pages=1, clicks=2)
def test_read_an_entry_beside_the_log(desk: Page) -> None:
    desk.get_by_role("link", name="Log", exact=True).click()
    desk.get_by_role("table").get_by_role("rowheader").first.get_by_role("link").click()
    beside = desk.get_by_role("dialog", name="Entry of the log")
    expect(beside).to_contain_text("it matches")


@task(Role.OFFICER, pages=2, clicks=2)
def test_see_what_was_done_in_the_last_days(desk: Page) -> None:
    desk.get_by_role("link", name="Log", exact=True).click()
    desk.get_by_role("link", name="7 days", exact=True).click()
    # What is on the first of its pages follows from what else was done here.
    expect(desk).to_have_url(re.compile(r"\?range=7"))
    expect(desk.get_by_role("table").get_by_role("row").nth(1)).to_contain_text("UTC")


@task(Role.OFFICER, pages=1, clicks=2)
def test_save_a_month_as_plain_numbers(desk: Page) -> None:
    desk.get_by_role("link", name="This month").click()
    with desk.expect_download() as download:
        desk.get_by_role("link", name="Table (CSV)").click()
    text = download.value.path().read_text("utf-8-sig")
    assert "adult-census-income" in text or "Adult census income" in text
    assert "ε 0" not in text


@task(Role.OFFICER, pages=1, clicks=2)
def test_save_all_questions_as_a_table(desk: Page) -> None:
    desk.get_by_role("link", name="Questions", exact=True).click()
    with desk.expect_download() as download:
        desk.get_by_role("link", name="Download as CSV").click()
    assert "analyst@example.org" in download.value.path().read_text("utf-8-sig")
