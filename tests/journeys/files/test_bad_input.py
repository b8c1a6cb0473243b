"""Numbers as people type them, in both languages: understood, or refused beside the field.

Each spelling is proved in `tests/unit/web/test_typed.py`; here is what one sees and does not lose.
"""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.tasks.preparing import upload

ASK = "/datasets/adult-census-income/ask/"
# From an en dash; to a thousand with a no-break space.
BOUNDS = {"column-0-lower": "\N{EN DASH}5", "column-0-upper": "1\N{NO-BREAK SPACE}000"}


def test_in_english_a_mark_that_may_be_either_is_refused_and_nothing_is_lost(
    visit: Visit, tmp_path: Path
) -> None:
    window = visit()
    window.expected = re.compile("422")
    page = window.sign_in("owner")
    upload(page, tmp_path / "english.csv", seed=61)
    typed = {"max_rows": "10.000", "epsilon_limit": "0,05", "public_rows": "1e3"}
    _review(page, BOUNDS | typed | {"epsilon_per_query": "0.01"})
    summary = page.get_by_role("alert").first
    for words in ("could be 10000 or 10", "Write 0.05", "Enter a whole number"):
        expect(summary).to_contain_text(words)
    for name, text in (BOUNDS | typed).items():
        expect(_field(page, name)).to_have_value(text)
    _leave_and_come_back(page)
    for name, text in (BOUNDS | typed).items():
        expect(_field(page, name)).to_have_value(text)
    _review(page, {"max_rows": "10,000", "epsilon_limit": "0.05", "public_rows": ""})
    expect(page.get_by_role("heading", name="Privacy label")).to_be_visible()
    expect(page.locator("main")).to_contain_text("10,000")


def test_in_german_the_same_signs_mean_what_they_mean_there(visit: Visit, tmp_path: Path) -> None:
    visit().sign_in("owner")
    window = visit("de-DE")
    page = window.sign_in("owner")
    file = tmp_path / "deutsch.csv"
    file.write_text("alter,ort\n30,A\n40,B\n")
    page.goto("/datasets/new/")
    _field(page, "file").set_input_files(file)
    page.locator("#upload-form button[type=submit]").click()
    typed = {"max_rows": "10.000", "epsilon_limit": "0,05", "epsilon_per_query": "0,01"}
    _review(page, BOUNDS | typed)
    label = page.locator("main")
    expect(label).to_contain_text("ε 0.05")
    expect(label).to_contain_text(re.compile("nie mehr als 10.000"))


def test_a_price_is_spelt_as_the_page_s_language_spells_it(visit: Visit) -> None:
    window = visit()
    page = window.sign_in("analyst")
    for text, refused in (("0,05", "Write 0.05"), ("1e3", "at most ε 2")):
        page.goto(ASK)
        page.get_by_label("Privacy loss ε", exact=True).fill(text)
        expect(page.locator("#ask-form")).to_contain_text(refused)
    german = visit("de-DE").sign_in("analyst")
    german.goto(ASK)
    german.locator("[name=epsilon]").fill("0,05")
    expect(german.locator("#quote")).to_contain_text("ε 0.05")


def _review(page: Page, typed: dict[str, str]) -> None:
    """Fill in these fields, with a name and a column of numbers, and look at the label."""
    _field(page, "name").fill("Spelt")
    _field(page, "column-0-kind").select_option("number")
    _field(page, "column-0-step").fill("1")
    for name, text in typed.items():
        _field(page, name).fill(text)
    page.locator("#register-form button.btn-primary[formaction$='/review/']").click()


def _leave_and_come_back(page: Page) -> None:
    """At once: what was refused is kept, too."""
    address = page.url.removesuffix("review/")
    page.get_by_role("link", name="Datasets", exact=True).first.click()
    page.wait_for_url("**/datasets/")
    page.goto(address)


def _field(page: Page, name: str) -> Locator:
    return page.locator(f"[name='{name}']")
