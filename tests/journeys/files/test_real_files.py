"""Tables as people have them, from the file to an answer: the same rows whatever wrote them."""

import codecs
import random
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import accessibility_problems
from tests.journeys.tasks.preparing import (
    await_answer,
    declare_days,
    declare_list,
    declare_number,
    declare_table,
    registered,
    row_of,
)
from tests.unit.engines.workbooks import Cell, workbook

HEADER = ("Aufnahme", "Liegezeit", "Straße")
WRITTEN_AS = ("utf-8-sig", "utf-16", "cp1252", "xlsx")


def stays(seed: int) -> list[tuple[date, float, str]]:
    """Invented stays in hospital."""
    chance = random.Random(seed)
    return [
        (
            date(2024, 1, 1) + timedelta(days=chance.randrange(366)),
            chance.randrange(60) / 2,
            chance.choice(["Am Hof", "Überweg"]),
        )
        for _ in range(80)
    ]


def written(rows: list[tuple[date, float, str]], how: str) -> bytes:
    """The same rows as a workbook, or as a German export in an encoding."""
    if how == "xlsx":
        cells: list[Sequence[Cell]] = [HEADER, *rows]
        return workbook({"Aufenthalte": cells})
    lines = [";".join(HEADER)]
    lines += [f"{day};{str(nights).replace('.', ',')};{street}" for day, nights, street in rows]
    text = "\r\n".join(lines) + "\r\n"
    return text.encode(how) if how != "utf-16" else codecs.BOM_UTF16_LE + text.encode("utf-16-le")


@pytest.mark.parametrize(
    "forms",
    [("utf-16", "xlsx"), pytest.param(WRITTEN_AS, marks=pytest.mark.long)],
    ids=["two", "all"],
)
def test_hospital_stays_are_the_same_people_whatever_wrote_the_file(
    visit: Visit, tmp_path: Path, forms: tuple[str, ...]
) -> None:
    """I7: whoever stands in one file stands in the other, so the second shares its budget."""
    page = visit().sign_in("owner")
    rows = stays(seed=len(forms))
    for how in forms:
        file = tmp_path / f"stays.{'xlsx' if how == 'xlsx' else 'csv'}"
        file.write_bytes(written(rows, how))
        _read(page, file)
        declare_days(page, "Aufnahme", "2024-01-01", "2024-12-31")
        declare_number(page, "Liegezeit", "0", "30", "0.5")
        declare_list(page, "Straße", "Am Hof\nÜberweg")
        declare_table(page, f"Stays {len(forms)} as {how}")
        if how == forms[0]:
            _require_that_everything_fits(page)
        registered(page, f"Stays {len(forms)} as {how}")
    expect(page.locator("main")).to_contain_text("This data was registered before.")


def test_weather_is_asked_by_month_and_drawn_as_a_line_with_a_band(
    visit: Visit, tmp_path: Path
) -> None:
    """A year of days, asked about by month."""
    window = visit()
    page = window.sign_in("owner")
    chance = random.Random(2024)
    days = [date(2024, 1, 1) + timedelta(days=n) for n in range(366)]
    lines = [f"{day},{chance.randrange(-50, 350) / 10}" for day in days]
    file = tmp_path / "weather.csv"
    file.write_text("\n".join(["date,temp_max", *lines]))
    _read(page, file)
    declare_days(page, "date", "2024-01-01", "2024-12-31")
    declare_number(page, "temp_max", "-20", "40", "0.1")
    declare_table(page, "Weather")
    address = registered(page, "Weather")
    analyst = visit()
    page = analyst.sign_in("analyst")
    page.goto(f"{address}ask/")
    page.get_by_label("Statistic", exact=True).select_option("mean")
    page.get_by_label("of the column").select_option("temp_max")
    page.get_by_label("Group by", exact=True).select_option("date")
    page.get_by_role("button", name="Add grouping").click()
    by_date = page.get_by_role("group", name="Group by date")
    by_date.get_by_label("One group for each").select_option("month")
    page.get_by_label("Privacy loss ε", exact=True).fill("1")
    page.get_by_role("button", name="Ask for ε 1", exact=True).click()
    await_answer(page)
    expect(page.get_by_role("table", name="Released numbers")).to_contain_text("Dec 2024")
    expect(page.locator(".chart .main-svg").first).to_be_visible()
    assert page.evaluate("document.querySelector('.chart').data.some((trace) => trace.fill)")
    analyst.picture("answer-by-month")
    assert accessibility_problems(page) == []


def _read(page: Page, file: Path) -> None:
    """Upload it, and say that its numbers have decimal commas if it is a German export."""
    page.goto("/datasets/new/")
    page.get_by_label("CSV, Excel or Parquet file").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    about = page.get_by_role("heading", level=1).filter(has_text="How the file is read")
    expect(about.or_(page.get_by_label("Name", exact=True))).to_be_visible()
    if about.count():
        page.get_by_label("Numbers are written with").select_option(",")
        page.get_by_role("button", name="Read it like this").click()
    expect(page.get_by_label("Name", exact=True)).to_be_visible()


def _require_that_everything_fits(page: Page) -> None:
    page.get_by_role("button", name="Check the file privately").click()
    expect(page.get_by_role("row").filter(has_text="Fits")).to_have_count(len(HEADER))
    page.get_by_role("link", name="Go back and change it").click()
    expect(row_of(page, "Straße")).to_be_visible()
