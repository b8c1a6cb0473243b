"""What an owner asks of people before their questions, and what it takes them: terms, approval."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.journeys.browser import Visitor
from tests.journeys.conftest import Visit
from tests.journeys.looking import look_at
from tests.journeys.product import Product
from tests.journeys.tasks.counting import Role, task
from tests.journeys.tasks.preparing import await_answer, register
from tests.servers.waiting import until

_NAME = "Ferry trips"


@pytest.fixture(scope="module")
def ferry(product: Product, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a dataset whose owner approves every question."""
    window = Visitor(browser, product)
    page = window.sign_in("owner")
    address = register(page, tmp_path_factory.mktemp("ferry"), _NAME, seed=4)
    page.goto(f"{address}policy/")
    page.get_by_label("Every question needs your permit or approval").check()
    page.get_by_role("button", name="Save the policy").click()
    expect(page.get_by_role("status").or_(page.get_by_role("alert")).first).to_be_visible()
    window.close()
    return address


@pytest.fixture
def terms(visit: Visit, ferry: str) -> None:
    """Terms of use that nobody has accepted yet."""
    page = visit().sign_in("owner")
    page.goto(f"{ferry}terms/new/")
    _write(page, "Use the answers for planning alone.")


@pytest.fixture
def no_terms(visit: Visit, ferry: str) -> None:
    """Nothing is to be accepted."""
    page = visit().sign_in("owner")
    page.goto(f"{ferry}terms/new/")
    if not page.get_by_text("is in force").count():
        return
    page.get_by_label("Terms of use").fill("")
    page.get_by_role("button", name="Save as a new version").click()
    page.wait_for_url("**/terms/")


@pytest.fixture
def nothing_waits(visit: Visit, no_terms: None) -> None:
    """No approval is asked for: there is one at a time."""
    page = visit().sign_in("analyst")
    page.goto("/requests/")
    waiting = page.get_by_role("row").filter(has_text=_NAME).filter(has_text="Waiting")
    if waiting.count():
        waiting.get_by_role("link").first.click()
        page.get_by_role("button", name="Withdraw the request").click()
        expect(page.locator("main")).to_contain_text("Withdrawn")


@pytest.fixture
def requested(visit: Visit, nothing_waits: None, ferry: str) -> None:
    """An analyst asks for the approval of one question."""
    page = visit().sign_in("analyst")
    page.goto(f"{ferry}ask/")
    _request_approval(page)


@pytest.fixture
def approved(visit: Visit, requested: None) -> None:
    """An owner approves the question, and the analyst has been told: the sweeper does it."""
    told = visit().sign_in("analyst")
    before = _notices(told)
    _approve(visit().sign_in("owner"))
    until(lambda: _notices(told) > before, "nobody was told")


def _notices(page: Page) -> int:
    page.goto("/notices/")
    return page.get_by_role(
        "button", name=f"Open what it is about: Your question about {_NAME}"
    ).count()


@task(Role.OWNER, pages=5, clicks=6)
def test_write_terms_of_use(ferry: str, desk: Page) -> None:
    desk.get_by_role("link", name=_NAME, exact=True).first.click()
    desk.get_by_role("link", name="Settings", exact=True).click()
    desk.get_by_role("link", name="Terms of use").click()
    desk.get_by_role("link", name="Write new terms").click()
    _write(desk, "Cite the harbour.")


@task(Role.ANALYST, pages=1, clicks=3)
def test_accept_terms_of_use(terms: None, desk: Page) -> None:
    desk.get_by_role("link", name=f"Ask a question of {_NAME}").click()
    expect(desk.locator("#price-curve .main-svg").first).to_be_visible()
    curve = desk.locator("#curve")
    expect(curve).to_contain_text("not now")
    look_at(desk, "terms-accept")
    desk.get_by_label("I have read these terms and keep to them.").check()
    desk.get_by_role("button", name="Accept the terms").click()
    expect(desk.get_by_role("status").first).to_contain_text("You can ask now.")
    expect(curve).to_contain_text("needs a permit")
    expect(curve).not_to_contain_text("not now")


@task(Role.ANALYST, pages=3, clicks=5)
def test_ask_an_owner_to_approve_a_question(nothing_waits: None, desk: Page) -> None:
    desk.get_by_role("link", name=f"Ask a question of {_NAME}").click()
    _request_approval(desk)


@task(Role.OWNER, pages=2, clicks=3)
def test_approve_a_question(requested: None, desk: Page) -> None:
    desk.get_by_role("link", name="Approval of one question").first.click()
    look_at(desk, "approve-question")
    _answer(desk)


@task(Role.ANALYST, pages=3, clicks=3)
def test_ask_the_question_that_was_approved(approved: None, desk: Page) -> None:
    desk.get_by_role("link", name="Notifications").click()
    desk.get_by_role(
        "button", name=f"Open what it is about: Your question about {_NAME}"
    ).first.click()
    desk.get_by_role("button", name="Ask it now for").click()
    await_answer(desk)


def _write(page: Page, text: str) -> None:
    page.get_by_label("Terms of use").fill(text)
    page.get_by_role("button", name="Save as a new version").click()
    expect(page.get_by_role("region", name=re.compile("^Version"))).to_contain_text(text)


def _request_approval(page: Page) -> None:
    page.get_by_label("Privacy loss ε", exact=True).fill("0.1")
    page.get_by_role("button", name="Ask for approval").click()
    page.get_by_label("What is it for?").fill("The timetable of the spring.")
    page.get_by_role("button", name="Send the request").click()
    expect(page.locator("main")).to_contain_text("Waiting")


def _approve(page: Page) -> None:
    page.get_by_role("link", name="Approval of one question").first.click()
    _answer(page)


def _answer(page: Page) -> None:
    page.get_by_role("textbox", name="Your answer").fill("for the timetable")
    page.get_by_role("button", name="Approve this question").click()
    expect(page.locator("main")).to_contain_text("Approved")
