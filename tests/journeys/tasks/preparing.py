"""What was there before a task begins: made in the browser too, the short way, and not counted."""

import random
import re
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import urlparse

from playwright.sync_api import Locator, Page, expect

ADULT = "/datasets/adult-census-income/"
ADULT_NAME = "Adult census income"


def upload(page: Page, file: Path, *, seed: int) -> None:
    """Send an invented file; the page then asks what its columns can hold."""
    send(page, file, invented(seed).encode())


def send(page: Page, file: Path, content: bytes) -> None:
    """Send a file; the page then asks what its columns can hold."""
    file.write_bytes(content)
    page.goto("/datasets/new/")
    page.get_by_label("CSV, Excel or Parquet file").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_label("Name", exact=True)).to_be_visible()


def register(page: Page, folder: Path, name: str, *, seed: int) -> str:
    """A dataset with an invented file behind it; returns its address."""
    upload(page, folder / "rows.csv", seed=seed)
    declare(page, name)
    return registered(page, name)


def registered(page: Page, name: str) -> str:
    """Register what is declared; returns its address."""
    page.get_by_role("button", name="Register the dataset").click()
    await_dataset(page, name)
    return urlparse(page.url).path


def await_dataset(page: Page, name: str) -> None:
    """The page of a dataset, once its file was read."""
    expect(page.get_by_role("heading", level=1)).to_have_text(name, timeout=60_000)


def declare(page: Page, name: str) -> None:
    """Fill in the registration form for an invented file."""
    declare_number(page, "age", "0", "110")
    declare_table(page, name)


def declare_table(page: Page, name: str) -> None:
    """What a dataset is called, how many rows it has at most, and its budget."""
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Largest number of rows").fill("1000")
    page.get_by_label("Limit on ε for the dataset").fill("4")
    page.get_by_label("Limit on ε for one question").fill("1")


def declare_number(page: Page, column: str, lower: str, upper: str, step: str = "1") -> None:
    """A row of the grid."""
    row = row_of(page, column)
    row.get_by_label("Type").select_option(label="Number")
    row.get_by_label("From").fill(lower)
    row.get_by_label("To", exact=True).fill(upper)
    row.get_by_role("textbox", name="Step").fill(step)


def declare_days(page: Page, column: str, first: str, last: str) -> None:
    """A row of the grid: dates by day."""
    row = row_of(page, column)
    row.get_by_label("Type").select_option(label="Date")
    row.get_by_label("From").fill(first)
    row.get_by_label("To", exact=True).fill(last)


def declare_list(page: Page, column: str, values: str) -> None:
    """A row of the grid: a list of values, one a line."""
    row = row_of(page, column)
    row.get_by_label("Type").select_option(label="Category")
    row.get_by_label("Values", exact=True).fill(values)


def row_of(page: Page, column: str) -> Locator:
    """The row of a column in the grid."""
    return page.get_by_role("row", name=column, exact=True)


def invented(seed: int) -> str:
    """Rows of a table that resembles no other: ages and wards."""
    chance = random.Random(seed)
    rows = [f"{chance.randrange(111)},{chance.choice('NESW')}\n" for _ in range(60)]
    return "age,ward\n" + "".join(rows)


def invented_days(seed: int) -> bytes:
    """Rows of another table: days of half a year, and nights."""
    chance = random.Random(seed)
    days = [date(2024, 1, 1) + timedelta(days=chance.randrange(182)) for _ in range(60)]
    return ("day,nights\n" + "".join(f"{day},{chance.randrange(9)}\n" for day in days)).encode()


def await_answer(page: Page) -> None:
    """The answer page with its numbers."""
    page.wait_for_url(re.compile("/queries/"))
    expect(page.get_by_role("heading", name="Answer Answered")).to_be_visible(timeout=30_000)


def ask_for_budget(page: Page, dataset: str, about: str, epsilon: str) -> None:
    """An analyst's request that waits for an owner."""
    page.goto(f"{dataset}request/?about={about}&epsilon={epsilon}")
    page.get_by_label("What is it for?").fill("the spring study")
    page.get_by_role("button", name="Send the request").click()
    expect(page.locator("main")).to_contain_text("Waiting")


def ask_for_a_higher_limit(page: Page, dataset: str) -> None:
    """An owner's request that waits for an officer; one that waits already will do."""
    page.goto(f"{dataset}limit/raise/")
    if page.get_by_role("link", name="See that request").count():
        return
    fill_in_a_higher_limit(page)
    page.get_by_role("button", name="Show what it means").click()
    page.get_by_role("button", name="Send the request").click()
    expect(page.locator("main")).to_contain_text("Waiting")


def fill_in_a_higher_limit(page: Page) -> None:
    """One more than the present limit, with a reason."""
    present = re.search(r"now ε\s(\d+)", page.locator("main").inner_text())
    assert present is not None
    page.get_by_label("New limit on ε").fill(str(int(present[1]) + 1))
    page.get_by_label("Why is a higher limit needed?").fill("a second wave")


def grant_nobody(page: Page, dataset: str) -> None:
    """Take every allocation back, so that one can be granted."""
    page.goto(f"{dataset}limits/")
    for _ in range(page.get_by_role("link", name="Withdraw").count()):
        page.get_by_role("link", name="Withdraw").first.click()
        page.get_by_role("main").get_by_role("textbox").fill("the study is over")
        page.get_by_role("button", name="Withdraw it").click()
        page.wait_for_url(f"**{dataset}limits/")


def withdraw_the_higher_limit(page: Page, dataset: str) -> None:
    """Take one's own request back, if it waits."""
    page.goto(f"{dataset}limit/raise/")
    waiting = page.get_by_role("link", name="See that request")
    if waiting.count():
        waiting.click()
        page.get_by_role("button", name="Withdraw my request").click()
        expect(page.locator("main")).to_contain_text("Withdrawn")


def pause(page: Page, dataset: str) -> None:
    """All questions about a dataset, until somebody resumes them."""
    page.goto(f"{dataset}pause/")
    page.get_by_role("main").get_by_role("textbox").fill("a file is looked at")
    page.get_by_role("button", name="Pause all questions").click()
    expect(page.get_by_role("button", name="Resume questions")).to_be_visible()


def resume(page: Page, dataset: str) -> None:
    """Questions about a dataset, if they are paused."""
    page.goto(dataset)
    button = page.get_by_role("button", name="Resume questions")
    if button.count():
        button.click()
        expect(button).to_have_count(0)
