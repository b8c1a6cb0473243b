"""German words are longer: every page still fits, and the desk is looked at."""

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import accessibility_problems
from tests.journeys.test_every_page import PAGES

PEOPLE = sorted({person for person, _, _ in PAGES})


@pytest.mark.parametrize("person", PEOPLE)
def test_every_page_fits_in_german(visit: Visit, person: str) -> None:
    window = visit("de-DE")
    visit("en-GB").sign_in(person)
    page = window.sign_in(person)
    expect(page.locator("html")).to_have_attribute("lang", "de")
    window.picture(f"german-desk-{person}")
    assert accessibility_problems(page) == []
    for _, name, path in [entry for entry in PAGES if entry[0] == person]:
        answer = page.goto(path)
        assert answer is not None
        assert answer.status == 200
        expect(page.locator("html")).to_have_attribute("lang", "de")
        window.fits(name)


def test_the_language_is_chosen_in_ones_own_menu(visit: Visit) -> None:
    page = visit().sign_in("analyst")
    for name, code in (("Deutsch", "de"), ("English", "en-gb")):
        page.get_by_role("button", name="Anna Analyst").click()
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.locator("html")).to_have_attribute("lang", code)
