"""M48: three organisations in their browsers, from a proposal to one total, with a worker each.

What could leak: a page that shows another organisation's dataset or name of a person; what could
overspend: a place that no second person agreed to.
"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.browser import Visitor
from tests.journeys.conftest import Visit
from tests.journeys.looking import accessibility_problems
from tests.journeys.product import ROOT, Product
from tests.servers.loopback import stop
from tests.servers.waiting import until

_SIDES = (
    ("owner", "officer", "harbour-statistics-office"),
    ("stranger", "elsewhere-officer", "elsewhere-institute"),
    ("riverside-owner", "riverside-officer", "riverside-hospital"),
)
_PREPARE = "from dpgov.demo.life.joint import prepare; prepare({password!r})"
# Counts are published within their duration class; keys and shares take looks of three workers.
_NAMES = ("Harbour Statistics Office", "Elsewhere Institute", "Riverside Hospital")
_REFUSED = re.compile("422")


def _environment(product: Product, **more: str) -> dict[str, str]:
    known = {"DPGOV_HOME": str(product.home / "state"), "DPGOV_HTTPS": "0"}
    if product.database:
        known["DPGOV_DATABASE_URL"] = product.database
    return os.environ | known | more


@contextmanager
def _worker(product: Product, organisation: str, keys: Path) -> Generator[None]:
    """One organisation's, a process of its own that has no other one's key."""
    command = [sys.executable, "manage.py", "joint_worker", organisation, "--every", "1"]
    environment = _environment(product, DPGOV_JOINT_KEYS=str(keys / organisation))
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        yield
    finally:
        stop(process, signal.SIGTERM)
    assert [len(list((keys / organisation).iterdir())), process.returncode] == [1, 0]


@pytest.fixture
def hospitals(product: Product) -> None:
    """Their people, and a dataset in each that declares the same."""
    words = _PREPARE.format(password=product.password)
    command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", words]
    subprocess.run(command, cwd=ROOT, env=_environment(product), check=True, timeout=600)


def _looked_at(window: Visitor, name: str) -> Page:
    assert accessibility_problems(window.page) == []
    window.picture(name)
    return window.page


def _request(page: Page) -> None:
    page.get_by_label("Reason").fill("the yearly report")
    page.get_by_role("button", name="Send the request").click()
    expect(page.get_by_text("waiting").first).to_be_visible()


def _propose(window: Visitor) -> str:
    """The code, which is read out to the others."""
    page = window.page
    page.goto("/joint/new/?dataset=infections")
    page.get_by_label("Title").fill("Infections in the region")
    page.get_by_label("In groups of").select_option(label="age in ranges")
    page.get_by_label("Edges of the groups").fill("0, 40, 80")
    page.get_by_label("Privacy loss ρ").fill("0.02")
    page.get_by_label("Of whom may collude").fill("2")
    page.get_by_role("button", name="Propose").click()
    expect(page.get_by_text("a separate answer of each")).to_be_visible()
    page.get_by_label("Of whom may collude").fill("1")
    _looked_at(window, "joint-proposal")
    page.get_by_role("button", name="Propose").click()
    code = page.locator("main code").first.inner_text()
    _looked_at(window, "joint-proposed")
    _request(page)
    return code


def _enter(window: Visitor, code: str, *, look: bool) -> None:
    page = window.page
    page.goto("/joint/code/")
    page.get_by_label("Code").fill(code.lower())
    page.get_by_role("button", name="See what it offers").click()
    expect(page.get_by_text("Harbour Statistics Office")).to_be_visible()
    if look:
        _looked_at(window, "joint-offer")
    _request(page)


def _approve(window: Visitor) -> None:
    page = window.page
    page.goto("/approvals/")
    page.get_by_role("link", name="Infections in the region").first.click()
    page.get_by_label("Reason").fill("fits")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_text("approved").first).to_be_visible()


def _numbers(page: Page) -> list[str]:
    return page.locator("main table tbody tr td:nth-of-type(1)").all_inner_texts()


def test_three_organisations_count_together(
    visit: Visit, product: Product, hospitals: None, tmp_path: Path
) -> None:
    """M48: what cannot be is said at its field; two persons in each; one total, three receipts."""
    windows = [visit() for _ in _SIDES]
    for window, (owner, _officer, _slug) in zip(windows, _SIDES, strict=True):
        window.expected = _REFUSED
        window.sign_in(owner)
    code = _propose(windows[0])
    # The pages of one side are looked at; those of the others are the same.
    for window in windows[1:]:
        _enter(window, code, look=window is windows[1])
    for _owner, officer, _slug in _SIDES:
        decider = visit()
        decider.sign_in(officer)
        _approve(decider)
    with ExitStack() as running:
        for _owner, _officer, slug in _SIDES:
            running.enter_context(_worker(product, slug, tmp_path))
        totals = [_answer(window, look=window is windows[0]) for window in windows]
    assert totals[0] == totals[1] == totals[2]
    assert len(totals[0]) >= 2


def _answer(window: Visitor, *, look: bool) -> list[str]:
    """What this organisation reads, once it is there."""
    page = window.page
    page.goto("/joint/")
    page.get_by_role("link", name="Infections in the region").click()
    link = page.get_by_role("link", name="See the answer and its receipt")

    def is_there() -> bool:
        page.reload()
        return link.is_visible()

    until(is_there, page.locator("main").inner_text, every=1)
    if look:
        _looked_at(window, "joint-answered")
    link.click()
    expect(page.get_by_text("the total of 3 organisations, of whom 1 may collude")).to_be_visible()
    assert sum(name in page.locator("main").inner_text() for name in _NAMES) <= 1
    if look:
        _looked_at(window, "joint-answer")
    numbers = _numbers(page)
    page.get_by_role("link", name="Receipt").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("eceipt")
    return numbers
