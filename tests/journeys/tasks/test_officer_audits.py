"""An officer's tasks: the log, what is signed, and the software's own attacks on itself."""

from playwright.sync_api import Page, expect

from tests.journeys.tasks.counting import Role, task


@task(Role.OFFICER, pages=2, clicks=3)
def test_find_what_one_person_did(desk: Page) -> None:
    _search(desk, "actor:owner@example.org")
    expect(desk.get_by_role("table")).to_contain_text("Olga Owner")
    expect(desk.get_by_role("table")).not_to_contain_text("admin@example.org")


@task(Role.OFFICER, pages=2, clicks=3)
def test_find_when_datasets_were_registered(desk: Page) -> None:
    _search(desk, "action:DATASET_REGISTERED")
    expect(desk.get_by_role("table")).to_contain_text("Olga Owner registered Adult census income")


@task(Role.OFFICER, pages=2, clicks=4)
def test_see_an_entry_before_and_after(wards: str, desk: Page) -> None:
    _search(desk, "action:DATASET_REGISTERED")
    desk.get_by_role("table").get_by_role("rowheader").first.get_by_role("link").click()
    expect(desk.get_by_role("heading", name="What was recorded")).to_be_visible()
    expect(desk.locator("main")).to_contain_text("computed again just now: it matches")


@task(Role.OFFICER, pages=1, clicks=2)
def test_verify_the_log(desk: Page) -> None:
    _open_the_log(desk)
    desk.get_by_role("button", name="Verify now").click()
    expect(desk.locator("#verdict")).to_contain_text("unchanged")


@task(Role.OFFICER, pages=1, clicks=2)
def test_export_the_log(desk: Page) -> None:
    _open_the_log(desk)
    with desk.expect_download() as download:
        desk.get_by_role("button", name="Export as JSON lines").click()
    assert "DATASET_REGISTERED" in download.value.path().read_text()


@task(Role.OFFICER, pages=2, clicks=2)
def test_see_what_is_signed_and_where_it_was_sent(desk: Page) -> None:
    _open_the_log(desk)
    desk.get_by_role("link", name="Checkpoints").click()
    expect(desk.get_by_role("region", name="What is signed")).to_be_visible()


@task(Role.OFFICER, pages=2, clicks=2)
def test_check_what_the_software_found_attacking_itself(desk: Page) -> None:
    _open_the_log(desk)
    desk.get_by_role("link", name="Noise check").click()
    expect(desk.get_by_role("heading", level=1)).to_have_text("Noise check")


def _open_the_log(page: Page) -> None:
    page.get_by_role("link", name="Log", exact=True).click()


def _search(page: Page, words: str) -> None:
    _open_the_log(page)
    page.get_by_label("Search").fill(words)
    page.get_by_role("button", name="Search").click()
