"""One product and one browser for all journeys; a fresh window for each person."""

import os
from collections.abc import Callable, Generator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.journeys.browser import ARGUMENTS, Visitor
from tests.journeys.product import Product, started_product
from tests.journeys.settled import settle_before_every_action
from tests.servers.missing import MissingProgram, find_browser

Visit = Callable[..., Visitor]


@pytest.fixture(scope="package")
def product(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Generator[Product]:
    with started_product(tmp_path_factory.mktemp("product")) as started:
        yield started


@pytest.fixture(scope="package")
def browser() -> Generator[Browser]:
    try:
        program = find_browser()
    except MissingProgram as missing:
        pytest.fail(str(missing), pytrace=False)
    # Chromium's sandbox does not run as root, and the pages are our own.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=ARGUMENTS + sandbox)
        yield started
        started.close()


@pytest.fixture(scope="package", autouse=True)
def _nobody_acts_on_a_page_that_is_still_being_loaded() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        settle_before_every_action(patch)
        yield


@pytest.fixture
def visit(browser: Browser, product: Product) -> Generator[Visit]:
    """Opens windows; at the end no page may have complained in its console."""
    windows: list[Visitor] = []

    def open_window(locale: str = "en-GB") -> Visitor:
        windows.append(Visitor(browser, product, locale))
        return windows[-1]

    yield open_window
    complaints = [complaint for window in windows for complaint in window.complaints]
    for window in windows:
        window.close()
    assert complaints == []
