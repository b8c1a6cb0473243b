"""An owner's tasks: files as people have them, from Home to the form that declares them."""

import io
import zipfile
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.journeys.tasks.counting import Role, task
from tests.journeys.tasks.preparing import invented, row_of
from tests.unit.engines.workbooks import workbook


@task(Role.OWNER, pages=3, clicks=5)
def test_upload_a_workbook_and_choose_its_sheet(desk: Page, tmp_path: Path) -> None:
    book = workbook({"Notes": [["about"], ["x"]], "Stays": [["nights", "ward"], [3, "N"]]})
    _send(desk, tmp_path / "stays.xlsx", book)
    desk.get_by_label("Sheet").select_option("Stays")
    desk.get_by_role("button", name="Read it like this").click()
    expect(row_of(desk, "nights")).to_be_visible()


@task(Role.OWNER, pages=3, clicks=4)
def test_upload_a_zip_archive(desk: Page, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("rows.csv", invented(seed=31))
    _send(desk, tmp_path / "rows.zip", packed.getvalue())
    expect(desk.get_by_role("region", name="Understood")).to_contain_text("zip archive is read")
    desk.get_by_role("link", name="Continue").click()
    expect(row_of(desk, "ward")).to_be_visible()


@task(Role.OWNER, pages=3, clicks=5)
def test_upload_a_german_export_with_decimal_commas(desk: Page, tmp_path: Path) -> None:
    export = "Straße;Dauer\nAm Hof;31,11\nÜberweg;7,5\n"
    _send(desk, tmp_path / "export.csv", export.encode("cp1252"))
    expect(desk.get_by_role("region", name="Understood")).to_contain_text("Windows-1252")
    desk.get_by_label("Numbers are written with").select_option(",")
    desk.get_by_role("button", name="Read it like this").click()
    expect(desk.get_by_role("region", name="How the file is read")).to_contain_text("decimal comma")
    expect(row_of(desk, "Straße")).to_be_visible()


@task(Role.OWNER, pages=3, clicks=4)
def test_upload_a_file_without_a_line_of_names(desk: Page, tmp_path: Path) -> None:
    _send(desk, tmp_path / "bare.csv", b"42,17.5\n43,18.5\n44,12.5\n")
    expect(desk.get_by_role("region", name="Understood")).to_contain_text("No line holds names")
    desk.get_by_role("link", name="Continue").click()
    expect(row_of(desk, "column_2")).to_be_visible()


def _send(page: Page, file: Path, content: bytes) -> None:
    file.write_bytes(content)
    page.get_by_role("link", name="Register a dataset", exact=True).first.click()
    page.get_by_label("CSV, Excel or Parquet file").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
