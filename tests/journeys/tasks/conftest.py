"""A desk to begin at for each task, and what other people have done before.

What a task finds is prepared in other windows, which nobody counts.
"""

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.journeys.browser import Visitor
from tests.journeys.conftest import Visit
from tests.journeys.product import Product
from tests.journeys.tasks.counting import Counter, task_of
from tests.journeys.tasks.preparing import register, upload


@pytest.fixture
def desk(request: pytest.FixtureRequest, visit: Visit) -> Generator[Page]:
    """The desk of the task's person; at the end the task took as much as the list says."""
    task = task_of(request.function)
    assert task is not None, "a task says whose it is: @task(role, pages=…, clicks=…)"
    window = visit()
    counter = Counter(window.page)
    page = window.sign_in(task.role.value)
    counter.start()
    yield page
    assert counter.counted() == task.effort, "mend the pages, or what the list says"


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


def _registered(browser: Browser, product: Product, folder: Path, name: str, seed: int) -> str:
    window = Visitor(browser, product)
    address = register(window.sign_in("owner"), folder, name, seed=seed)
    window.close()
    return address
