"""M60, seen from a browser: an owner joins a public table, is refused once, and registers."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import accessibility_problems, look_at
from tests.journeys.tasks.preparing import (
    declare_list,
    declare_number,
    declare_table,
    registered,
    send,
)


def test_a_public_table_is_joined_by_its_key_and_stands_on_the_label(
    visit: Visit, tmp_path: Path
) -> None:
    """M60: the key that comes twice is refused at its field; the other one is taken."""
    window = visit()
    window.expected = re.compile("422")
    page = window.sign_in("owner")
    rows = [f"{31 + 7 * n % 43},{8001 + n % 3}" for n in range(40)]
    send(page, tmp_path / "stays.csv", "\n".join(["age,postcode", *rows, ""]).encode())
    page.get_by_role("link", name="Join a public table").click()
    table = tmp_path / "places.csv"
    table.write_text("code,region\n8001,Old town\n8002,Lake\n8003,Lake\n")
    page.get_by_label("CSV, Excel or Parquet file").set_input_files(table)
    page.get_by_role("button", name="Upload").click()
    page.get_by_label("Key in your file").select_option("postcode")
    page.get_by_label("Key in the public table").select_option("region")
    page.get_by_role("checkbox", name="region").check()
    page.get_by_role("button", name="Join these columns").click()
    expect(page.locator("main")).to_contain_text("“Lake” stands there more than once")
    look_at(page, "join")
    page.get_by_label("Key in the public table").select_option("code")
    page.get_by_role("button", name="Join these columns").click()
    expect(page.locator("main")).to_contain_text("region from places.csv, joined by postcode.")
    declare_table(page, "Stays by region")
    declare_number(page, "age", "0", "110")
    declare_list(page, "region", "Old town\nLake")
    registered(page, "Stays by region")
    label = page.get_by_role("region", name="Privacy label")
    expect(label).to_contain_text("region from places.csv, joined by postcode (there code)")
    expect(label).to_contain_text("SHA-256")
    assert accessibility_problems(page) == []
