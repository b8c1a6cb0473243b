"""M93, seen from a browser: an owner connects a table of theirs, registers it, and replaces it."""

import re

from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import accessibility_problems
from tests.journeys.tasks.preparing import (
    declare_list,
    declare_number,
    declare_table,
    registered,
)
from tests.unit.engines.postgres.owner import READER, Owner


def _fill(page: Page, server: Owner, password: str) -> None:
    page.get_by_label("Host").fill(server.server.host)
    page.get_by_label("Port").fill(str(server.server.port))
    page.get_by_label("Database").fill(server.server.database)
    page.get_by_label("Table or view").fill("stays")
    page.get_by_label("Role").fill(READER)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Look at the table").click()


def test_the_page_has_the_fields_of_each_kind(visit: Visit) -> None:
    """M96: also where the client of Spark is not installed, which it says."""
    page = (window := visit()).sign_in("owner")
    page.goto("/datasets/new/live/")
    page.get_by_role("link", name="Parquet files, through Spark Connect").click()
    expect(page.get_by_label("File or folder")).to_be_visible()
    expect(page.get_by_label("Port")).to_have_value("15002")
    expect(page.get_by_role("link", name="A table in PostgreSQL")).to_be_visible()
    window.fits("connect-spark")
    assert accessibility_problems(page) == []


def test_a_live_table_is_connected_declared_and_registered(visit: Visit, server: Owner) -> None:
    """M93: a wrong password is said at the form and not kept; the label says what it is."""
    rows = [(n, 31 + 7 * n % 43, ("Lake", "Old town")[n % 2]) for n in range(60)]
    server.has("stays", {"id": "integer", "age": "integer", "region": "text"}, rows)
    window = visit()
    window.expected = re.compile("422")
    page = window.sign_in("owner")
    page.goto("/datasets/new/")
    page.get_by_role("link", name="Connect a live table").click()
    _fill(page, server, "a wrong one")
    expect(page.locator("main")).to_contain_text("The server did not let us in.")
    expect(page.get_by_label("Password")).to_have_value("")
    window.fits("connect")
    assert accessibility_problems(page) == []
    _fill(page, server, server.server.password)
    expect(page.locator("main")).to_contain_text("come from the catalog of the server")
    declare_table(page, "Live stays")
    declare_number(page, "age", "0", "110")
    declare_list(page, "region", "Old town\nLake")
    address = registered(page, "Live stays")
    label = page.get_by_role("region", name="Privacy label")
    expect(label).to_contain_text("Live table in PostgreSQL")
    page.goto(f"{address}live/")
    expect(page.locator("main")).to_contain_text(server.server.address)
    window.fits("live")
    assert accessibility_problems(page) == []
    page.get_by_label("Password").fill(server.server.password)
    page.get_by_role("button", name="Replace").click()
    expect(page.locator("body")).to_contain_text("The table is read with this from now on.")
