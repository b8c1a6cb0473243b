"""An owner's tasks: from a file to a dataset that can be asked about."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.journeys.tasks.counting import Role, task
from tests.journeys.tasks.preparing import await_dataset, declare, invented

_METADATA = """
'': {census: {rows: 60, age: {type: int, lower: 0, upper: 110}, ward: {type: string}}}
"""


@task(Role.OWNER, pages=3, clicks=12)
def test_register_a_dataset_from_a_file(desk: Page, tmp_path: Path) -> None:
    _upload(desk, tmp_path / "spring.csv")
    declare(desk, "Spring visits")
    desk.get_by_role("button", name="Register the dataset").click()
    await_dataset(desk, "Spring visits")


@task(Role.OWNER, pages=3, clicks=5)
def test_leave_a_registration_for_another_day(desk: Page, tmp_path: Path) -> None:
    _upload(desk, tmp_path / "autumn.csv")
    desk.get_by_label("Name", exact=True).fill("Autumn visits")
    desk.get_by_role("button", name="Save and go on later").click()
    expect(desk.locator("main")).to_contain_text("You find it again under your uploaded files")


@task(Role.OWNER, pages=3, clicks=11)
def test_resume_a_registration_and_read_its_label_before_it_counts(
    waiting_upload: str, desk: Page
) -> None:
    desk.get_by_role("link", name=waiting_upload).click()
    declare(desk, "Winter visits")
    desk.get_by_role("button", name="Review the privacy label").click()
    expect(desk.get_by_role("heading", name="Privacy label")).to_be_visible()
    desk.get_by_role("button", name="Register with this label").click()
    await_dataset(desk, "Winter visits")


@task(Role.OWNER, pages=3, clicks=5)
def test_import_what_a_metadata_file_says_about_the_columns(
    waiting_upload: str, desk: Page, tmp_path: Path
) -> None:
    metadata = tmp_path / "metadata.yaml"
    metadata.write_text(_METADATA)
    desk.get_by_role("link", name=waiting_upload).click()
    desk.get_by_text("Fill in many columns at once").click()
    desk.get_by_role("link", name="read it or other metadata").click()
    desk.get_by_label("YAML, JSON or CSV file").set_input_files(metadata)
    desk.get_by_role("button", name="Read the file").click()
    expect(desk.get_by_role("heading", name="Filled in from a SmartNoise file")).to_be_visible()
    expect(desk.get_by_label("To", exact=True).first).to_have_value("110")


@task(Role.OWNER, pages=1, clicks=3)
def test_choose_an_epsilon_with_help(waiting_upload: str, desk: Page) -> None:
    desk.get_by_role("link", name=waiting_upload).click()
    harm = desk.get_by_role("group", name="What harm could come to a person")
    harm.get_by_role("radio").first.check()
    desk.get_by_label("Limit on ε for the dataset").fill("1")
    expect(desk.locator("#choosing-now")).to_contain_text("of 100")


@task(Role.OWNER, pages=5, clicks=6)
def test_upload_a_new_version(wards: str, desk: Page, tmp_path: Path) -> None:
    desk.get_by_role("link", name="Tram rides", exact=True).click()
    desk.get_by_role("link", name="Settings").click()
    desk.get_by_role("link", name="Upload New version").click()
    _send(desk, tmp_path / "later.csv")
    desk.get_by_role("button", name="Add the version").click()
    await_dataset(desk, "Tram rides")
    expect(desk.locator("main")).to_contain_text("version 2")


@task(Role.OWNER, pages=4, clicks=4)
def test_archive_a_dataset(unwanted: str, desk: Page) -> None:
    desk.get_by_role("link", name=unwanted, exact=True).click()
    desk.get_by_role("link", name="Settings").click()
    desk.get_by_role("link", name="Archive Archive").click()
    expect(desk.locator("main")).to_contain_text("it cannot be undone")
    desk.get_by_role("button", name="Archive the dataset").click()
    expect(desk.locator("main")).to_contain_text("archived")


def _upload(page: Page, file: Path) -> None:
    page.get_by_role("link", name="Register a dataset", exact=True).first.click()
    _send(page, file)
    expect(page.get_by_label("Name", exact=True)).to_be_visible()


def _send(page: Page, file: Path) -> None:
    file.write_text(invented(sum(map(ord, file.name))))
    page.get_by_label("CSV, Excel or Parquet file").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
