"""A desk to begin at for each task, and what other people have done before.

What a task finds is prepared in other windows, which nobody counts.
"""

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.browser import Visitor
from tests.journeys.conftest import Visit
from tests.journeys.product import Product, link_in_the_latest_letter, started_product
from tests.journeys.tasks.counting import held_to, task_of
from tests.journeys.tasks.preparing import (
    ADULT,
    await_answer,
    declare_days,
    declare_table,
    invented_days,
    pause,
    register,
    registered,
    resume,
    send,
    upload,
)

# A busy machine is slow, and that says nothing about a page.
expect.set_options(timeout=15_000)


@pytest.fixture(scope="package")
def product(tmp_path_factory: pytest.TempPathFactory) -> Generator[Product]:
    """One of their own: a home shows the first few datasets, and other journeys register many."""
    with started_product(tmp_path_factory.mktemp("tasks"), beside_another=True) as started:
        yield started


@pytest.fixture
def desk(request: pytest.FixtureRequest, visit: Visit) -> Generator[Page]:
    """The desk of the task's person; at the end the task took as much as the list says."""
    window, listed = visit(), task_of(request.function)
    who = listed.role.value if listed else ""
    with held_to(request.function, window.page, lambda: window.sign_in(who)):
        yield window.page


@pytest.fixture
def letter(request: pytest.FixtureRequest, visit: Visit, product: Product) -> Generator[Page]:
    """Where the link in an invitation leads; at the end it took as much as the list says."""
    admin = visit().sign_in("admin")
    admin.goto("/members/invitations/")
    admin.get_by_label("E-mail address").fill("newcomer@example.org")
    admin.get_by_role("button", name="Send the invitation").click()
    expect(admin.get_by_role("table")).to_contain_text("newcomer@example.org")
    page = visit().page
    with held_to(request.function, page, lambda: page.goto(link_in_the_latest_letter(product))):
        yield page


@pytest.fixture(scope="package")
def wards(product: Product, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a small dataset, whose rules and limits tasks may change."""
    return _registered(browser, product, tmp_path_factory.mktemp("wards"), "Tram rides", seed=1)


@pytest.fixture
def unwanted(product: Product, browser: Browser, tmp_path: Path) -> str:
    """The name of a dataset that somebody may archive."""
    _registered(browser, product, tmp_path, "Old visits", seed=2)
    return "Old visits"


@pytest.fixture
def waiting_upload(visit: Visit, tmp_path: Path) -> str:
    """The name of a file that the owner has uploaded and not declared yet."""
    name = f"{tmp_path.name}.csv"
    upload(visit().sign_in("owner"), tmp_path / name, seed=sum(map(ord, name)))
    return name


@pytest.fixture(scope="package")
def stays(product: Product, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a dataset with a column of dates."""
    window = Visitor(browser, product)
    page = window.sign_in("owner")
    send(page, tmp_path_factory.mktemp("stays") / "stays.csv", invented_days(seed=3))
    declare_days(page, "day", "2024-01-01", "2024-06-30")
    declare_table(page, "Daily stays")
    address = registered(page, "Daily stays")
    window.close()
    return address


@pytest.fixture
def paused(visit: Visit, wards: str) -> Generator[None]:
    """All questions about the small dataset are paused; afterwards they are not."""
    page = visit().sign_in("owner")
    pause(page, wards)
    yield
    resume(page, wards)


@pytest.fixture
def drawn(visit: Visit) -> None:
    """The analyst's newest answer is one with a chart."""
    page = visit().sign_in("analyst")
    page.goto(f"{ADULT}ask/")
    page.get_by_label("Group by", exact=True).select_option("sex")
    page.get_by_role("button", name="Add grouping").click()
    page.get_by_label("Privacy loss ε", exact=True).fill("0.015")
    page.get_by_role("button", name="Ask for ε 0.015", exact=True).click()
    await_answer(page)


def _registered(browser: Browser, product: Product, folder: Path, name: str, seed: int) -> str:
    window = Visitor(browser, product)
    address = register(window.sign_in("owner"), folder, name, seed=seed)
    window.close()
    return address
