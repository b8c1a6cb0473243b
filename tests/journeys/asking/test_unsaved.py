"""No form with unsaved work is left in silence: the browser asks, and only then."""

import re

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect

from tests.journeys.conftest import Visit

ADULT = "/datasets/adult-census-income/"


def asked_on_leaving(page: Page) -> list[str]:
    """Which questions the browser asks from now on; each is answered with "stay"."""
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    return asked


def _text(box: Locator) -> str:
    """Of a field or of the editor of SQL."""
    return str(box.evaluate("(field) => field.value ?? field.innerText"))


FORMS = [
    ("analyst", f"{ADULT}ask/", "[name=epsilon]"),
    ("analyst", f"{ADULT}ask/sql/", ".cm-content"),
    ("owner", f"{ADULT}terms/new/", "textarea"),
    ("owner", f"{ADULT}policy/", "[name=least_error]"),
    ("owner", "/surveys/new/", "[name=question]"),
]


@pytest.mark.parametrize(("person", "address", "field"), FORMS, ids=[row[1] for row in FORMS])
def test_who_leaves_a_changed_form_is_asked_and_stays_with_what_they_typed(
    person: str, address: str, field: str, visit: Visit
) -> None:
    page = visit().sign_in(person)
    page.goto(address)
    box = page.locator(f"#main form[method=post] {field}").first
    box.evaluate("(field) => field.focus()")
    asked = asked_on_leaving(page)
    before = _text(box)
    page.keyboard.press("End")
    page.keyboard.type("1")
    with page.expect_event("dialog"):
        page.get_by_role("link", name="Glossary", exact=True).click(no_wait_after=True)
    assert asked == ["beforeunload"]
    # Whoever stays has a page that is not being left, as `settled` took it to be.
    page.evaluate("window.isBeingLeft = false")
    expect(page).to_have_url(re.compile(re.escape(address)))
    assert _text(box).count("1") == before.count("1") + 1, "what was typed is still there"


@pytest.mark.parametrize("address", [f"{ADULT}ask/", f"{ADULT}ask/sql/"])
def test_a_form_that_was_only_looked_at_is_left_without_a_question(
    address: str, visit: Visit
) -> None:
    page = visit().sign_in("analyst")
    asked = asked_on_leaving(page)
    page.goto(address)
    page.get_by_role("link", name="Glossary", exact=True).click()
    page.wait_for_url(re.compile("/glossary/"))
    assert asked == []


def test_who_changed_nothing_or_sent_what_they_changed_is_not_asked(visit: Visit) -> None:
    page = visit().sign_in("analyst")
    asked = asked_on_leaving(page)
    page.goto(f"{ADULT}ask/")
    page.get_by_role("link", name="Glossary", exact=True).click()
    page.wait_for_url(re.compile("/glossary/"))
    page.goto(f"{ADULT}ask/")
    page.get_by_label("Privacy loss ε", exact=True).fill("0.013")
    page.get_by_role("button", name="Ask for ε 0.013", exact=True).click()
    page.wait_for_url(re.compile("/queries/"))
    page.get_by_role("link", name="Glossary", exact=True).click()
    page.wait_for_url(re.compile("/glossary/"))
    assert asked == []
