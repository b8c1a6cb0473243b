"""L13, seen from a browser: a file that is being read can be left, found again and stopped."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import look_at
from tests.journeys.product import Product
from tests.journeys.standing_still import nobody_works
from tests.journeys.tasks.preparing import await_dataset, declare, upload


def _register(page: Page, folder: Path, name: str, *, seed: int) -> None:
    upload(page, folder / f"{seed}.csv", seed=seed)
    declare(page, name)
    page.get_by_role("button", name="Register the dataset").click()
    expect(page.get_by_role("heading", name="Waiting")).to_be_visible()


def test_a_file_that_waits_is_found_on_the_desk_and_leads_on_by_itself(
    visit: Visit, product: Product, tmp_path: Path
) -> None:
    """L13: nobody has to stay at the page, and whoever does is led on without a click."""
    page = visit().sign_in("owner")
    with nobody_works(product, on="reading"):
        _register(page, tmp_path, "Ferry trips", seed=51)
        look_at(page, "reading")
        page.goto("/")
        expect(page.locator("main")).to_contain_text("is being registered")
        page.get_by_role("link", name="51.csv").click()
        expect(page.get_by_role("heading", name="Waiting")).to_be_visible()
    await_dataset(page, "Ferry trips")


def test_reading_is_stopped_and_the_form_is_as_it_was(
    visit: Visit, product: Product, tmp_path: Path
) -> None:
    """L13: what was typed is there again."""
    page = visit().sign_in("owner")
    with nobody_works(product, on="reading"):
        _register(page, tmp_path, "Ferry crews", seed=52)
        page.get_by_role("button", name="Stop reading").click()
        expect(page.get_by_label("Name", exact=True)).to_have_value("Ferry crews")
        expect(page.locator("main")).to_contain_text("Stopped.")
