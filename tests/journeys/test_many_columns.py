"""A table of forty columns is declared in one grid, kept by itself, and registered."""

import random
import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import look_at
from tests.journeys.tasks.preparing import await_dataset

QUESTIONS = [f"q{place:02d}" for place in range(1, 31)]
NAMES = ["id", "age", "ward", "wage", *QUESTIONS, *(f"score{n}" for n in range(1, 7))]
# As they stand in a code book.
PASTED = "ward\tcategory\t\t\t\tnorth | south\t\nwage\tnumber\t0\t9000\t10\t\timpute=0\n"


def survey(seed: int) -> str:
    """Invented answers in a file with semicolons, as German spreadsheets write it."""
    chance = random.Random(seed)
    rows = [
        [str(n), str(chance.randrange(18, 90)), chance.choice(["north", "south"]), "1200"]
        + [str(chance.randrange(2)) for _ in QUESTIONS]
        + [str(chance.randrange(1, 6)) for _ in range(6)]
        for n in range(60)
    ]
    return "\n".join(";".join(row) for row in [NAMES, *rows]) + "\n"


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("row", name=name, exact=True)


def test_forty_columns_are_declared_in_one_grid_and_kept_on_leaving(
    visit: Visit, tmp_path: Path
) -> None:
    page = visit().sign_in("owner")
    _upload(page, tmp_path / "survey.csv")
    _set(page, "q", "0 or 1")
    _set(page, "score", "Likert scale, 1 to 5")
    _set(page, "age", "Age, 0 to 120")
    page.get_by_text("Fill in many columns at once").click()
    page.get_by_label("Paste from a spreadsheet").fill(PASTED)
    page.get_by_role("button", name="Fill in these rows").click()
    expect(row(page, "wage").get_by_label("To", exact=True)).to_have_value("9000")
    expect(row(page, "q30").get_by_label("To", exact=True)).to_have_value("1")
    _unfold(page)
    for mode, shown in (("zcdp", True), ("pure", False)):
        page.locator(f"[name=mode][value={mode}]").check()
        expect(page.locator("[name=delta]")).to_be_visible(visible=shown)
    look_at(page, "many-columns")
    _compare_bounds(page)
    _leave_at_once_and_come_back(page)
    page.get_by_label("Largest number of rows").fill("1000")
    page.get_by_label("Limit on ε for the dataset").fill("4")
    page.get_by_label("Limit on ε for one question").fill("1")
    expect(page.get_by_text("Saved just now")).to_be_visible()
    page.get_by_role("button", name="Register the dataset").click()
    await_dataset(page, "Survey of forty")
    expect(page.locator("main")).to_contain_text("score6")


def test_what_is_wrong_with_a_bound_is_read_in_whole_lines_on_a_narrow_screen(
    visit: Visit, tmp_path: Path
) -> None:
    """At 360 px a bound has a third of its row, and a sentence in it one word a line."""
    window = visit()
    window.expected = re.compile("422")
    page = window.sign_in("owner")
    _upload(page, tmp_path / "survey.csv")
    page.set_viewport_size({"width": 360, "height": 740})
    age = row(page, "age")
    age.get_by_label("Type", exact=True).select_option("number")
    age.get_by_label("To", exact=True).fill("many")
    page.get_by_role("button", name="Review the privacy label").click()
    told = row(page, "age").locator(".grid-bound .invalid-feedback").first
    expect(told).to_be_visible()
    wide, text = row(page, "age").bounding_box(), told.bounding_box()
    assert wide
    assert text
    assert text["width"] > 0.9 * wide["width"]


def _compare_bounds(page: Page) -> None:
    """A box over the grid, which stays as it was typed."""
    row(page, "age").get_by_role("button", name="What do these bounds cost?").click()
    box = page.get_by_role("dialog")
    expect(box.get_by_role("table")).to_contain_text("0 to 240")
    box.get_by_label("To", exact=True).fill("360")
    expect(box.get_by_role("table")).to_contain_text("0 to 360")
    expect(box.locator(".main-svg").first).to_be_visible()
    look_at(page, "bounds")
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()


def _unfold(page: Page) -> None:
    """Of a wide table what is not about its columns begins folded."""
    for part in ("The dataset", "Privacy budget"):
        page.locator("summary", has=page.get_by_role("heading", name=part)).click()


def _upload(page: Page, file: Path) -> None:
    file.write_text(survey(seed=40))
    page.goto("/datasets/new/")
    page.get_by_label("CSV, Excel or Parquet file").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("region", name="Understood")).to_contain_text("semicolons")
    page.get_by_role("link", name="Continue").click()
    expect(row(page, "q01")).to_be_visible()


def _set(page: Page, names: str, preset: str) -> None:
    """Of all columns whose names hold these letters."""
    page.get_by_label("Show columns whose name contains").fill(names)
    page.get_by_label("Select all columns that are shown").check()
    page.get_by_label("Set selected to").select_option(label=preset)
    page.get_by_role("button", name="Apply").click()
    page.get_by_label("Select all columns that are shown").uncheck()
    page.get_by_label("Show columns whose name contains").fill("")


def _leave_at_once_and_come_back(page: Page) -> None:
    """Nobody waits until it says that it is saved."""
    address = page.url.partition("#")[0]
    page.get_by_label("Name", exact=True).fill("Survey of forty")
    page.get_by_role("link", name="Datasets", exact=True).first.click()
    page.wait_for_url("**/datasets/")
    page.goto(address)
    _unfold(page)
    expect(page.get_by_label("Name", exact=True)).to_have_value("Survey of forty")
    expect(row(page, "ward").get_by_label("Values", exact=True)).to_have_value("north\nsouth")
