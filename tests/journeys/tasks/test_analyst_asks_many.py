"""An analyst's tasks: a whole set of tables for one price, and what is free afterwards."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.journeys.tasks.counting import Role, task
from tests.journeys.tasks.preparing import ADULT_NAME, await_answer


@task(Role.ANALYST, pages=3, clicks=8)
def test_ask_every_pair_of_columns_and_take_synthetic_rows(desk: Page) -> None:
    desk.get_by_role("link", name=f"Ask a question of {ADULT_NAME}").click()
    desk.get_by_role("link", name="Answer a whole set of questions").click()
    for column in ("sex", "race", "relationship"):
        desk.get_by_role("checkbox", name=column, exact=True).check()
    desk.get_by_label("Privacy loss ε", exact=True).fill("0.05")
    quote = desk.get_by_role("region", name="Price and precision")
    expect(quote.get_by_role("row", name="One full table chosen")).to_be_visible()
    desk.get_by_role("button", name="Ask all for ε 0.05", exact=True).click()
    await_answer(desk)
    with desk.expect_download() as download:
        desk.get_by_role("link", name="Synthetic rows as CSV").click()
    assert download.value.suggested_filename.startswith("synthetic-adult-census-income-")
    first, header, *rows = Path(download.value.path()).read_text().splitlines()
    assert first.startswith("# Synthetic rows: made of noisy counts")
    assert set(header.split(",")) == {"sex", "race", "relationship"}
    assert 40_000 < len(rows) < 60_000
