"""The demonstration as it starts for everybody: a first page, and its past arriving behind it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.journeys.browser import Visitor
from tests.journeys.looking import look_at
from tests.journeys.product import Product, started_product
from tests.servers.waiting import PATIENCE, end_of, until

pytestmark = pytest.mark.long
_ARRIVED = "You can ask now."
_ADULT = "/datasets/adult-census-income/"
LIVED_IN_PAGES = [
    ("owner", "lived-home-owner", "/"),
    ("analyst", "lived-home-analyst", "/"),
    ("officer", "lived-home-officer", "/"),
    ("admin", "lived-home-admin", "/"),
    ("owner", "lived-portfolio", "/portfolio/"),
    ("owner", "lived-budget", f"{_ADULT}budget/"),
    ("owner", "lived-budget-used-up", "/datasets/health-survey/budget/"),
    ("owner", "lived-questions", "/history/"),
    ("officer", "lived-month", "/month/"),
    ("officer", "lived-log", "/audit/"),
    ("officer", "lived-patterns", f"{_ADULT}patterns/"),
    ("owner", "lived-shared-budgets", "/shared-budgets/"),
]


def test_its_past_arrives_behind_the_first_page(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L34: looked at from the first page on, asked once the past has reached today.

    On the embedded default, whatever the servers of this run are: nobody else has a past.
    """
    for name in ("DPGOV_DATABASE_URL", "DPGOV_BROKER_URL", "DPGOV_TESTS_REDIS"):
        monkeypatch.delenv(name, raising=False)
    with started_product(tmp_path, options=()) as product:
        visitor = Visitor(browser, product)
        page = visitor.sign_in("analyst")
        expect(page.get_by_role("status")).to_contain_text("living through its past")
        visitor.picture("demo-arriving")
        visitor.expected = re.compile("503")
        page.goto(f"{_ADULT}ask/")
        answer = page.request.post("/")
        assert answer.status == 503
        assert "Nothing was changed" in answer.text()
        log = tmp_path / "said.txt"
        until(lambda: _ARRIVED in log.read_text(), end_of(log), patience=3 * PATIENCE)
        said = log.read_text()
        assert "log proves itself" in said
        assert "Warning" not in said
        visitor.close()
        look_at_what_it_promises(browser, product)
        look_at_its_pages(browser, product)


def look_at_what_it_promises(browser: Browser, product: Product) -> None:
    """Three datasets, four analysts; used up, held, raised, refused and shared, as lived there."""
    windows = {role: Visitor(browser, product) for role in ("owner", "admin", "officer")}
    owner, admin, officer = (window.sign_in(role) for role, window in windows.items())
    owner.goto("/datasets/")
    for name in ("Adult census income", "Hospital stays", "Health survey"):
        expect(owner.get_by_role("heading", name=name)).to_be_visible()
    owner.goto("/")
    budgets = owner.get_by_role("region", name="Budgets").get_by_role("row")
    expect(budgets.filter(has_text="Used up")).to_have_count(1)
    expect(budgets.filter(has_text="Used up")).to_contain_text("Health survey")
    expect(budgets.filter(has_text="Held")).to_contain_text("Hospital stays, second delivery")
    expect(owner.locator("main")).not_to_contain_text("Get started")
    owner.goto("/shared-budgets/")
    shared = "Health survey, and datasets of another organisation"
    expect(owner.locator("main")).to_contain_text(shared)
    admin.goto("/members/")
    for person in ("analyst", "bela", "chen", "dora"):
        expect(admin.get_by_label(f"Role of {person}@example.org")).to_have_value("analyst")
    officer.goto("/approvals/")
    raised = officer.get_by_role("row").filter(has_text="adult-census-income from ε")
    expect(raised).to_contain_text("Approved")
    officer.goto("/month/")
    refused = officer.get_by_role("region", name="Refused and nearly refused")
    expect(refused.get_by_role("row").filter(has_text="Health survey").first).to_be_visible()
    for window in windows.values():
        window.close()


def look_at_its_pages(browser: Browser, product: Product) -> None:
    """Each in both themes, wide and narrow: full of what happened, and accessible."""
    people = {person: Visitor(browser, product) for person, _, _ in LIVED_IN_PAGES}
    for person, visitor in people.items():
        visitor.sign_in(person)
    for person, name, path in LIVED_IN_PAGES:
        page = people[person].page
        page.goto(path)
        look_at(page, name)
    complaints = [said for visitor in people.values() for said in visitor.complaints]
    for visitor in people.values():
        visitor.close()
    assert complaints == []
