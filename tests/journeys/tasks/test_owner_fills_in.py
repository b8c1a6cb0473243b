"""An owner's tasks: many ways to say what the columns of a file can hold."""

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.tasks.counting import Role, task
from tests.journeys.tasks.preparing import invented_days, row_of, send

_PASTED = "age\tnumber\t0\t110\t1\nward\tcategory\t\t\t\tN | E | S | W\n"
_TEMPLATE = (
    "column,type,from,to,step,values,missing\nage,number,0,110,1,,\nward,category,,,,N | S,\n"
)


@pytest.fixture
def questionnaire(visit: Visit, tmp_path: Path) -> str:
    """The name of an uploaded file with twelve answers a row."""
    names = [f"q{number:02d}" for number in range(1, 13)]
    rows = [",".join(names), ",".join("0" for _ in names), ",".join("1" for _ in names)]
    return _uploaded(visit, tmp_path / "questionnaire.csv", "\n".join(rows).encode())


@pytest.fixture
def dated_upload(visit: Visit, tmp_path: Path) -> str:
    """The name of an uploaded file with a column of dates."""
    return _uploaded(visit, tmp_path / "daily.csv", invented_days(seed=7))


@pytest.fixture
def typed_upload(visit: Visit, tmp_path: Path) -> str:
    """The name of an uploaded Parquet file, whose schema knows types."""
    sink = io.BytesIO()
    pq.write_table(pa.table({"age": [30, 40], "ward": ["N", "S"]}), sink)
    return _uploaded(visit, tmp_path / "typed.parquet", sink.getvalue())


@task(Role.OWNER, pages=1, clicks=4)
def test_declare_a_column_by_a_preset(waiting_upload: str, desk: Page) -> None:
    desk.get_by_role("link", name=waiting_upload).click()
    row_of(desk, "age").get_by_role("checkbox").check()
    _set_selected(desk, "Age, 0 to 120")
    expect(row_of(desk, "age").get_by_label("To", exact=True)).to_have_value("120")


@task(Role.OWNER, pages=1, clicks=5)
def test_declare_twelve_columns_at_once(questionnaire: str, desk: Page) -> None:
    desk.get_by_role("link", name=questionnaire).first.click()
    desk.get_by_label("Show columns whose name contains").fill("q")
    desk.get_by_label("Select all columns that are shown").check()
    _set_selected(desk, "0 or 1")
    expect(row_of(desk, "q12").get_by_label("To", exact=True)).to_have_value("1")


@task(Role.OWNER, pages=2, clicks=4)
def test_paste_the_rows_of_a_code_book(waiting_upload: str, desk: Page) -> None:
    desk.get_by_role("link", name=waiting_upload).click()
    desk.get_by_text("Fill in many columns at once").click()
    desk.get_by_label("Paste from a spreadsheet").fill(_PASTED)
    desk.get_by_role("button", name="Fill in these rows").click()
    expect(row_of(desk, "ward").get_by_label("Values", exact=True)).to_have_value("N\nE\nS\nW")


@task(Role.OWNER, pages=2, clicks=6)
def test_compute_bins_of_a_column(waiting_upload: str, desk: Page) -> None:
    desk.get_by_role("link", name=waiting_upload).click()
    desk.get_by_role("button", name="Add a computed column").click()
    desk.get_by_label("Name of the new column").fill("of age")
    desk.get_by_label("Formula").select_option("bins")
    computed = desk.get_by_role("group", name="Computed columns")
    computed.get_by_label("Column", exact=True).select_option("age")
    computed.get_by_label("Edges, or what to compare with").fill("18\n65")
    expect(desk.get_by_text("Saved just now")).to_be_visible()


@task(Role.OWNER, pages=1, clicks=3)
def test_download_a_template_of_the_columns(waiting_upload: str, desk: Page) -> None:
    desk.get_by_role("link", name=waiting_upload).click()
    desk.get_by_text("Fill in many columns at once").click()
    with desk.expect_download() as download:
        desk.get_by_role("link", name="Download a template").click()
    lines = download.value.path().read_text("utf-8-sig").splitlines()
    assert lines[0].startswith("column,type,from,to,step,values,missing")
    assert [line.split(",")[0] for line in lines[1:]] == ["age", "ward"]


@task(Role.OWNER, pages=3, clicks=5)
def test_upload_a_template_that_was_filled_in(
    waiting_upload: str, desk: Page, tmp_path: Path
) -> None:
    template = tmp_path / "template.csv"
    template.write_text(_TEMPLATE)
    desk.get_by_role("link", name=waiting_upload).click()
    desk.get_by_text("Fill in many columns at once").click()
    desk.get_by_role("link", name="read it or other metadata").click()
    desk.get_by_label("YAML, JSON or CSV file").set_input_files(template)
    desk.get_by_role("button", name="Read the file").click()
    expect(row_of(desk, "age").get_by_label("To", exact=True)).to_have_value("110")
    expect(row_of(desk, "ward").get_by_label("Values", exact=True)).to_have_value("N\nS")


@task(Role.OWNER, pages=2, clicks=4)
def test_copy_the_declarations_of_another_dataset(
    wards: str, waiting_upload: str, desk: Page
) -> None:
    desk.get_by_role("link", name=waiting_upload).click()
    desk.get_by_text("Fill in many columns at once").click()
    choice = desk.get_by_label("Copy from another dataset or version")
    earlier = choice.locator("option").filter(has_text="Tram rides, version 1")
    choice.select_option(earlier.get_attribute("value"))
    desk.get_by_role("button", name="Copy", exact=True).click()
    expect(row_of(desk, "age").get_by_label("To", exact=True)).to_have_value("110")


@task(Role.OWNER, pages=2, clicks=5)
def test_check_privately_how_a_file_fits(waiting_upload: str, desk: Page) -> None:
    desk.get_by_role("link", name=waiting_upload).click()
    row_of(desk, "age").get_by_role("checkbox").check()
    _set_selected(desk, "Age, 0 to 120")
    desk.get_by_role("button", name="Check the file privately").click()
    expect(desk.get_by_role("row").filter(has_text="Fits")).to_contain_text("age")


@task(Role.OWNER, pages=1, clicks=4)
def test_declare_a_column_of_dates(dated_upload: str, desk: Page) -> None:
    desk.get_by_role("link", name=dated_upload).first.click()
    day = row_of(desk, "day")
    day.get_by_label("Type").select_option(label="Date")
    day.get_by_label("From").fill("2024-01-01")
    day.get_by_label("To", exact=True).fill("2024-06-30")
    expect(desk.get_by_text("Saved just now")).to_be_visible()


@task(Role.OWNER, pages=2, clicks=3)
def test_take_the_types_of_a_parquet_file(typed_upload: str, desk: Page) -> None:
    desk.get_by_role("link", name=typed_upload).first.click()
    desk.get_by_text("Fill in many columns at once").click()
    desk.get_by_role("button", name="Take the types of the file").click()
    expect(row_of(desk, "age").get_by_label("Type")).to_have_value("number")
    expect(row_of(desk, "ward").get_by_label("Type")).to_have_value("category")


def _set_selected(page: Page, preset: str) -> None:
    page.get_by_label("Set selected to").select_option(label=preset)
    page.get_by_role("button", name="Apply").click()


def _uploaded(visit: Visit, file: Path, content: bytes) -> str:
    send(visit().sign_in("owner"), file, content)
    return file.name
