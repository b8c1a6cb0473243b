"""What the product is for, once, by everybody who takes part."""

import os
import re
import signal
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.product import Product, workers_of

ADULT = "/datasets/adult-census-income/"
VISITS = "age,ward\n" + "".join(
    f"{20 + n % 60},{'north' if n % 3 else 'south'}\n" for n in range(300)
)


def test_an_owner_registers_a_dataset_from_a_file(visit: Visit, tmp_path: Path) -> None:
    file = tmp_path / "visits.csv"
    file.write_text(VISITS)
    window = visit()
    page = window.sign_in("owner")
    page.get_by_role("link", name="Datasets", exact=True).click()
    page.get_by_role("link", name="Register a dataset").click()
    page.get_by_label("CSV, Excel or Parquet file").set_input_files(file)
    window.picture("upload")
    page.get_by_role("button", name="Upload").click()
    page.get_by_label("Name", exact=True).fill("Ward visits")
    page.get_by_label("Description").fill("Visits to two wards; invented.")
    page.get_by_label("Largest number of rows").fill("1000")
    _declare_columns(page)
    page.get_by_label("Limit on ε for the dataset").fill("4")
    page.get_by_label("Limit on ε for one question").fill("1")
    window.picture("register")
    page.get_by_role("button", name="Register the dataset").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ward visits", timeout=60_000)
    expect(page.locator("main")).to_contain_text("ward")
    window.picture("dataset-new")


def _declare_columns(page: Page) -> None:
    age = page.get_by_role("row", name="age", exact=True)
    age.get_by_label("Type").select_option(label="Number")
    age.get_by_label("From").fill("0")
    age.get_by_label("To", exact=True).fill("110")
    age.get_by_role("textbox", name="Step").fill("1")
    ward = page.get_by_role("row", name="ward", exact=True)
    ward.get_by_label("Type").select_option(label="Category")
    ward.get_by_label("Values").fill("north\nsouth")


def test_an_analyst_asks_a_mean_and_a_histogram_and_the_budget_shows_them(visit: Visit) -> None:
    window = visit()
    page = window.sign_in("analyst")
    _ask_for_the_mean_age(page)
    expect(page.locator(".answer-value")).to_contain_text("at 95%", timeout=20_000)
    window.picture("answer-mean")
    _ask_for_a_histogram_of_age(page)
    numbers = page.get_by_role("table", name="Released numbers")
    expect(numbers).to_contain_text("30–39", timeout=20_000)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    window.picture("answer-histogram")
    page.get_by_text("Arrange the table").click()
    page.get_by_label("Show the first").fill("3")
    page.get_by_role("button", name="Arrange").click()
    expect(page.get_by_text("Show all groups as released")).to_be_visible()
    expect(numbers.get_by_role("row")).to_have_count(4)
    window.picture("answer-arranged")
    page.goto(f"{ADULT}budget/")
    expect(page.locator("main")).to_contain_text("mean", ignore_case=True)
    expect(page.locator("main")).to_contain_text("discrete Laplace")
    window.picture("budget-analyst")


def _ask_for_the_mean_age(page: Page) -> None:
    page.goto(f"{ADULT}ask/")
    page.get_by_label("Statistic", exact=True).select_option("mean")
    page.get_by_label("of the column").select_option("age")
    page.get_by_label("Privacy loss ε").fill("0.4")
    button = page.get_by_role("button", name="Ask for ε 0.4")
    expect(button).to_be_visible()
    button.click()
    page.wait_for_url(re.compile("/queries/"))


def _ask_for_a_histogram_of_age(page: Page) -> None:
    page.goto(f"{ADULT}ask/")
    page.get_by_label("Group by", exact=True).select_option("age")
    page.get_by_role("button", name="Add grouping").click()
    group = page.get_by_role("group", name="Group by age")
    group.get_by_label("from").fill("20")
    group.get_by_label("to", exact=True).fill("80")
    group.get_by_label("width").fill("10")
    page.get_by_label("Privacy loss ε").fill("0.6")
    page.get_by_role("button", name="Ask for ε 0.6").click()
    page.wait_for_url(re.compile("/queries/"))


def test_an_officer_filters_verifies_and_exports_the_log(visit: Visit) -> None:
    window = visit()
    page = window.sign_in("officer")
    page.get_by_role("link", name="Log", exact=True).click()
    page.get_by_text("By person, action, dataset and time").click()
    page.get_by_label("What", exact=True).select_option("DATASET_REGISTERED")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("table")).to_contain_text("registered Adult census income")
    page.get_by_role("button", name="Verify now").click()
    expect(page.locator("#verdict")).to_contain_text("complete and unchanged")
    expect(page.locator("#verdict")).to_contain_text("Every budget adds up")
    window.picture("audit-log")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as JSON lines").click()
    lines = download.value.path().read_text().splitlines()
    assert any("DATASET_REGISTERED" in line for line in lines)


def test_a_stranger_sees_nothing_of_another_tenant(visit: Visit) -> None:
    """H1: what belongs to others looks like what is not there."""
    window = visit()
    window.expected = re.compile("404")
    page = window.sign_in("stranger")
    expect(page.locator("body")).not_to_contain_text("Adult")
    for path in (ADULT, f"{ADULT}budget/", "/datasets/no-such-thing/"):
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == 404
        expect(page.locator("body")).not_to_contain_text("Adult census")
    window.picture("missing")


def test_a_killed_worker_is_replaced_and_the_question_is_answered(
    visit: Visit, product: Product
) -> None:
    """B1, seen from a browser: nothing is lost with the worker that was to answer."""
    window = visit()
    page = window.sign_in("analyst")
    for pid in workers_of(product):
        os.killpg(pid, signal.SIGKILL)
    _ask_for_the_mean_age(page)
    expect(page.locator(".answer-value")).to_contain_text("at 95%", timeout=60_000)
