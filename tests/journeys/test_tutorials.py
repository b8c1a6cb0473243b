"""The tutorials, followed to the letter on a product of their own; they leave their pictures.

Each works on a fresh demonstration and after the others alike, so that a reader may begin anywhere.
"""

import re
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.journeys.browser import Visitor
from tests.journeys.declaring import owner_declares
from tests.journeys.lessons import TUTORIALS, Lesson, sections_of
from tests.journeys.product import Product, link_in_the_latest_letter, started_product

NAMES = ("owner", "analyst", "officer", "administrator")
Begin = Callable[[], Page]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Generator[Product]:
    """A demonstration as readers have it: nobody has done anything in it."""
    with started_product(tmp_path_factory.mktemp("tutorials"), beside_another=True) as started:
        yield started


@pytest.fixture
def begin(browser: Browser, fresh: Product) -> Generator[Begin]:
    """Opens the address that the demonstration prints; no page may complain in its console."""
    windows: list[Visitor] = []

    def open_window() -> Page:
        windows.append(Visitor(browser, fresh))
        windows[-1].page.goto("/account/login/")
        return windows[-1].page

    yield open_window
    complaints = [complaint for window in windows for complaint in window.complaints]
    for window in windows:
        window.close()
    assert complaints == []


def test_every_tutorial_is_followed() -> None:
    assert sorted(path.stem for path in TUTORIALS.glob("*.md")) == sorted(NAMES)


def test_an_owner_s_first_day(begin: Begin, fresh: Product) -> None:
    lesson = Lesson("owner", begin())
    with lesson.section("1. Sign in"):
        lesson.sign_in("owner@example.org", fresh.password)
        lesson.see("Home")
        lesson.see("Get started")
        lesson.picture("desk")
    owner_declares(lesson)
    with lesson.section("6. Look before you register"):
        lesson.click("Review the privacy label")
        lesson.see("Privacy label", told=False)
        lesson.picture("label")
        lesson.click("Register with this label")
        lesson.see("Ward visits", seconds=60)
    with lesson.section("7. Put a policy in front"):
        lesson.click("Settings")
        lesson.see("Policy")
        lesson.click("Change Policy", told=False)
        lesson.click("Careful: small questions, larger ones by permit")
        lesson.picture("policy")
        lesson.click("Save the policy")
    with lesson.section("8. Give one analyst a share"):
        lesson.click("Limits")
        lesson.click("Grant an allocation")
        lesson.choose("Analyst or project", re.compile("Anna Analyst"))
        lesson.fill("May use up to ε", "1")
        lesson.fill("Reason", "The spring study")
        lesson.click("Grant")
        lesson.see("Granted together", told=False)
        lesson.picture("limits")
    with lesson.section("9. See what you promised"):
        lesson.click("What ε means here")
        lesson.drawn()
        lesson.picture("meaning")
        lesson.click("Settings")
        lesson.see("Lower")
    lesson.finish()


def test_an_analyst_s_first_day(begin: Begin, fresh: Product) -> None:
    lesson = Lesson("analyst", begin())
    with lesson.section("1. Sign in and find a dataset"):
        lesson.sign_in("analyst@example.org", fresh.password)
        lesson.click("Datasets")
        lesson.fill("A name, a topic or a column", "education")
        lesson.click("Find")
        lesson.picture("find")
    with lesson.section("2. Read the label"):
        lesson.click("Adult census income")
        lesson.see("Privacy label")
        lesson.see("Columns that can be asked about")
        lesson.see("?")
        lesson.picture("label")
    with lesson.section("3. Compose a question and watch its price"):
        lesson.click("Ask a question")
        lesson.choose("Statistic", "Mean: average of a column")
        lesson.choose("of the column", "age")
        lesson.fill("Privacy loss ε", "0.1")
        lesson.fill("How many rows do you expect to match?", "40000")
        lesson.see("Expected error")
        lesson.see("Ask for ε 0.1", told=False)
        lesson.see("± 0.", told=False)
        lesson.picture("price", down=1250)
    with lesson.section("4. Try it for nothing"):
        lesson.click("Try it on invented data, free")
        lesson.see("Not an answer")
        lesson.picture("trial", top="Try it first")
    with lesson.section("5. Ask"):
        lesson.click("Ask for ε 0.1")
        lesson.page.wait_for_url(re.compile("/queries/"))
        lesson.see("at 95%")
        lesson.see("Privacy cost")
        lesson.see("Receipt")
        lesson.picture("answer")
    _analyst_asks_for_groups(lesson)
    with lesson.section("7. Take an answer for nothing"):
        lesson.click("Ask again")
        lesson.see("Already answered: free")
        lesson.picture("free")
        lesson.click("Take this answer, free")
        lesson.page.wait_for_url(re.compile("/queries/"))
    _analyst_is_refused_and_goes_on(lesson)
    lesson.finish()


def _analyst_asks_for_groups(lesson: Lesson) -> None:
    with lesson.section("6. Ask for groups"):
        lesson.click("Ask again")
        lesson.choose("Statistic", "Count: how many rows")
        lesson.choose("Group by", "age")
        lesson.click("Add grouping")
        lesson.fill("from", "20")
        lesson.fill("to", "80")
        lesson.fill("width", "10")
        lesson.fill("Privacy loss ε", "0.2")
        lesson.click("Ask for ε 0.2")
        lesson.page.wait_for_url(re.compile("/queries/"))
        lesson.see("Released numbers", told=False)
        lesson.drawn()
        lesson.picture("histogram", down=1000)


def _analyst_is_refused_and_goes_on(lesson: Lesson) -> None:
    with lesson.section("8. When it does not fit"):
        lesson.click("Ask a question")
        lesson.fill("Privacy loss ε", "5")
        lesson.see("Use ε 2, the most that fits")
        lesson.named("Ask an owner for more")
        lesson.picture("refusal", around=lesson.page.get_by_role("alert").last)
    with lesson.section("9. Go on in a notebook"):
        lesson.see("In a notebook")
        lesson.click("Anna Analyst", told=False)
        lesson.click("API tokens")
        lesson.fill("Name", "notebook")
        lesson.click("Create token")
        lesson.hide("Token")
        lesson.picture("token")


def test_an_officer_s_first_day(begin: Begin, fresh: Product, tmp_path: Path) -> None:
    lesson = Lesson("officer", begin())
    with lesson.section("1. Sign in"):
        lesson.sign_in("officer@example.org", fresh.password)
        lesson.see("Home")
        lesson.picture("desk")
    with lesson.section("2. Verify the log"):
        lesson.click("Log")
        lesson.click("Verify now")
        lesson.see("The log is complete and unchanged")
        lesson.picture("verified")
    with lesson.section("3. Search it"):
        lesson.type_into(lesson.page.get_by_role("textbox").first, "action:DATASET_REGISTERED")
        lesson.click("Search")
        lesson.page.get_by_role("table").get_by_role("link").first.click()
        lesson.see("How it is tied to the log")
        lesson.picture("entry")
    with lesson.section("4. Take a copy that proves itself"):
        lesson.click("Close")
        with lesson.page.expect_download():
            lesson.click("Export as JSON lines")
        lesson.picture("export", top="Export", down=400)
    _officer_decides(lesson, begin, fresh)
    with lesson.section("6. See the month"):
        lesson.click("Log")
        lesson.click("Monthly report")
        lesson.see("Report (PDF)")
        lesson.see("Table (CSV)")
        lesson.picture("month")
    with lesson.section("7. Look for attacks"):
        for name in ("Datasets", "Adult census income", "Suspicious patterns"):
            lesson.click(name)
        lesson.picture("patterns")
    lesson.finish()


def _officer_decides(lesson: Lesson, begin: Begin, fresh: Product) -> None:
    with lesson.section("5. Be the second person"):
        with lesson.at(begin()):
            lesson.sign_in("owner@example.org", fresh.password)
            lesson.forget("Email", "Password", "Sign in")
            for name in ("Datasets", "Adult census income", "Limits", "request a higher one"):
                lesson.click(name)
            lesson.fill("New limit on ε", "12")
            lesson.fill("Why is a higher limit needed?", "One more study in the spring.")
            lesson.click("Show what it means")
            lesson.click("Send the request")
        lesson.click("Approvals")
        lesson.click("Raise the limit of adult-census-income")
        lesson.see("What would change")
        lesson.picture("request")
        lesson.fill("Your reason", "The study fits into what is left.")
        lesson.click("Reject")


def test_an_administrator_s_first_day(begin: Begin, fresh: Product) -> None:
    lesson = Lesson("administrator", begin())
    with lesson.section("1. Sign in and see who is here"):
        lesson.sign_in("admin@example.org", fresh.password)
        lesson.click("Organisation")
        lesson.picture("members")
    _administrator_invites(lesson, begin, fresh)
    with lesson.section("5. Let another system hear of things"):
        lesson.click("Organisation")
        lesson.click("Webhooks")
        lesson.picture("webhooks")
    with lesson.section("6. Ask more of sign-in"):
        lesson.click("Adam Administrator", told=False)
        lesson.click("Two-factor sign-in and passkeys")
        lesson.picture("two-factor")
    lesson.finish()


def _administrator_invites(lesson: Lesson, begin: Begin, fresh: Product) -> None:
    with lesson.section("2. Invite a second officer"):
        lesson.click("Invite a member")
        lesson.fill("E-mail address", "second.officer@example.org")
        lesson.choose("Role", "Compliance officer")
        lesson.fill("Reason", "two persons have to decide")
        lesson.click("Send the invitation")
        lesson.see("Waits for a compliance officer")
        lesson.picture("invitation")
    with lesson.section("3. The officer agrees"), lesson.at(begin()):
        lesson.sign_in("officer@example.org", fresh.password)
        lesson.forget("Email", "Password", "Sign in")
        lesson.click("Approvals")
        lesson.click("Invite second.officer@example.org as compliance officer")
        lesson.fill("Your reason", "I know her")
        lesson.click("Approve and carry out")
        lesson.see("Approved and carried out.", told=False)
    with lesson.section("4. Join, as the invited person"), lesson.at(begin()):
        lesson.page.goto(link_in_the_latest_letter(fresh))
        for label in ("Password", "Password, once more"):
            lesson.fill(label, "a-long-and-lonely-road")
        lesson.picture("join")
        lesson.click("Join")
        lesson.see("Welcome to Harbour Statistics Office")
        lesson.named("Sign in and begin")


def test_the_pictures_that_the_tutorials_show_are_kept() -> None:
    shown = {picture for n in NAMES for s in sections_of(n).values() for picture in s.pictures}
    kept = {path.stem for path in (TUTORIALS.parent / "images/tutorials").glob("*.webp")}
    assert shown == kept
