"""Every page looks right in light and dark, wide and narrow, and to a screen reader."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import look_at
from tests.journeys.tasks.preparing import declare_days, declare_list, declare_number

ADULT = "/datasets/adult-census-income/"
PAGES = [
    ("owner", "datasets", "/datasets/"),
    ("owner", "dataset", ADULT),
    ("owner", "dataset-limit", f"{ADULT}limit/"),
    ("owner", "dataset-archive", f"{ADULT}archive/"),
    ("owner", "budget", f"{ADULT}budget/"),
    ("owner", "understanding", f"{ADULT}understanding/"),
    ("analyst", "understanding-general", "/understanding/"),
    ("analyst", "glossary", "/glossary/"),
    ("owner", "choosing-epsilon", "/datasets/choosing-epsilon/?epsilon_limit=3&harm=awkward"),
    ("owner", "group-privacy", f"{ADULT}group-privacy/"),
    ("owner", "questions", "/history/"),
    ("owner", "shared-budgets", "/shared-budgets/"),
    ("owner", "shared-budget-new", "/shared-budgets/new/"),
    ("owner", "shared-budget-code", "/shared-budgets/accept/"),
    ("owner", "joint", "/joint/"),
    ("owner", "joint-new", "/joint/new/"),
    ("owner", "joint-code", "/joint/code/"),
    ("analyst", "ask", f"{ADULT}ask/"),
    ("analyst", "tokens", "/tokens/"),
    ("officer", "audit-entry", "/audit/1/"),
    ("admin", "members", "/members/"),
    ("analyst", "change-password", "/account/password/change/"),
    ("analyst", "two-factor", "/account/mfa/"),
    ("owner", "home", "/"),
    ("analyst", "home-analyst", "/"),
    ("officer", "home-officer", "/"),
    ("admin", "home-admin", "/"),
    ("owner", "portfolio", "/portfolio/"),
    ("owner", "settings", f"{ADULT}settings/"),
    ("officer", "search", "/search/?q=age"),
    ("owner", "limits", f"{ADULT}limits/"),
    ("owner", "comparison", f"{ADULT}comparison/"),
    ("owner", "policy", f"{ADULT}policy/"),
    ("owner", "access", f"{ADULT}access/"),
    ("owner", "allocation-new", f"{ADULT}limits/allocations/new/"),
    ("owner", "rate", f"{ADULT}limits/rates/day/"),
    ("owner", "pause", f"{ADULT}pause/"),
    ("owner", "retention", f"{ADULT}retention/"),
    ("owner", "derive", f"{ADULT}derive/"),
    ("owner", "versions", f"{ADULT}versions/"),
    ("owner", "raise-limit", f"{ADULT}limit/raise/"),
    ("owner", "approvals", "/approvals/"),
    ("owner", "upload", "/datasets/new/"),
    ("owner", "projects", "/projects/"),
    ("owner", "requests", "/requests/"),
    ("owner", "notifications", "/notices/"),
    ("owner", "notification-settings", "/notices/choices/"),
    ("analyst", "ask-sql", f"{ADULT}ask/sql/"),
    ("analyst", "batch", f"{ADULT}batch/"),
    ("analyst", "tables", f"{ADULT}tables/"),
    ("analyst", "find", "/find/?words=income"),
    ("analyst", "saved", "/saved/"),
    ("analyst", "compare", f"{ADULT}compare/"),
    ("analyst", "budget-request", f"{ADULT}request/"),
    ("officer", "month", "/month/"),
    ("officer", "patterns", f"{ADULT}patterns/"),
    ("officer", "record", f"{ADULT}record/"),
    ("officer", "noise-check", "/audit/mechanisms/"),
    ("officer", "audit-log", "/audit/?q=action%3ADATASET_REGISTERED"),
    ("officer", "checkpoints", "/audit/checkpoints/"),
    ("admin", "webhooks", "/webhooks/"),
    ("admin", "invitations", "/members/invitations/"),
    ("officer", "new-data", "/new-data/"),
    ("officer", "agreements", "/new-data/agreements/"),
    ("officer", "frozen", "/frozen/"),
    ("admin", "tokens-of-members", "/members/tokens/"),
    ("owner", "archived", "/archived/"),
    ("analyst", "sessions", "/account/sessions/"),
    ("analyst", "ready-made", f"{ADULT}ready-made/"),
    ("owner", "ready-made-new", f"{ADULT}ready-made/new/"),
    ("owner", "audience", f"{ADULT}audience/"),
    ("owner", "terms", f"{ADULT}terms/"),
    ("owner", "surveys", "/surveys/"),
    ("owner", "survey-new", "/surveys/new/"),
    ("analyst", "lessons", "/lessons/"),
    ("analyst", "lesson-definition", "/lessons/definition/"),
    ("analyst", "lesson-bounds", "/lessons/bounds/"),
    ("analyst", "lesson-many-databases", "/lessons/many-databases/"),
    ("analyst", "lesson-reconstruction", "/lessons/reconstruction/"),
]

# On a wide screen no column lies beyond the edge of its table, but for that of a chart, which is
# folded and may have a column for each dataset.
_CUT_TABLES = """() => [...document.querySelectorAll('.table-responsive')]
    .filter(table => !table.closest('details') && table.scrollWidth > table.clientWidth + 1)
    .map(table => table.textContent.trim().slice(0, 200))"""


@pytest.mark.parametrize(("person", "name", "path"), PAGES, ids=[name for _, name, _ in PAGES])
def test_the_page_is_shown_and_accessible(visit: Visit, person: str, name: str, path: str) -> None:
    page = visit().sign_in(person)
    answer = page.goto(path)
    assert answer is not None
    assert answer.status == 200
    expect(page.locator("main")).to_be_visible()
    look_at(page, name)
    assert page.evaluate(_CUT_TABLES) == []


def test_the_sign_in_page_is_accessible(visit: Visit) -> None:
    window = visit()
    window.page.goto("/account/login/")
    look_at(window.page, "sign-in")


def test_the_description_of_the_api_is_shown(visit: Visit) -> None:
    window = visit()
    window.page.goto("/api/docs/")
    expect(window.page.get_by_text("/api/v1/datasets/").first).to_be_visible()
    window.picture("api-docs")


def test_a_file_and_its_check_are_shown_and_accessible(visit: Visit, tmp_path: Path) -> None:
    """A wrong decimal mark, a forgotten category, a bound that is too low, and dates that fit."""
    page = visit().sign_in("owner")
    lines = [f"{n % 9},{n % 10};{'NS'[n % 2]};2024-0{1 + n % 9}-1{n % 9};{n}" for n in range(60)]
    file = tmp_path / "aufenthalte.csv"
    file.write_bytes("\n".join(["Liegezeit;Straße;Aufnahme;Alter", *lines]).encode("cp1252"))
    page.goto("/datasets/new/")
    page.get_by_label("CSV, Excel or Parquet file").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("region", name="Understood")).to_be_visible()
    look_at(page, "file")
    page.get_by_role("link", name="Continue").click()
    declare_number(page, "Liegezeit", "0", "30", "0.1")
    declare_number(page, "Alter", "0", "20")
    declare_list(page, "Straße", "N\nW")
    declare_days(page, "Aufnahme", "2024-01-01", "2024-12-31")
    page.get_by_role("button", name="Check the file privately").click()
    expect(page.get_by_role("button", name="Read commas as decimal marks")).to_be_visible()
    look_at(page, "file-check")


def test_a_receipt_is_shown_and_accessible(visit: Visit) -> None:
    page = visit().sign_in("analyst")
    page.goto("/history/?state=released")
    page.locator("#questions a[href^='/queries/']").first.click()
    page.get_by_role("link", name="Receipt").click()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    look_at(page, "receipt")


def test_the_box_that_finds_anything_is_shown_and_accessible(visit: Visit) -> None:
    page = visit().sign_in("officer")
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("searchbox").fill("a")
    expect(page.locator("#search-found").get_by_role("link").first).to_be_visible()
    look_at(page, "search-box")
