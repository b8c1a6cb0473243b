"""M68: an owner puts two datasets of the same people together, and an analyst asks about both."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import look_at
from tests.journeys.tasks.preparing import declare_number, declare_table, registered, send

_PEOPLE = range(40)


def test_an_owner_joins_two_datasets_and_an_analyst_asks(visit: Visit, tmp_path: Path) -> None:
    owner = visit().sign_in("owner")
    stays = [f"s{who},{who % 9}\n" for who in _PEOPLE]
    paid = [f"s{who},{who * 7 % 83}\n" for who in _PEOPLE]
    first = _registered(owner, tmp_path, "Stays", "nights", "".join(stays))
    _registered(owner, tmp_path, "Bills", "paid", "".join(paid))
    _share(owner, "Stays", "Bills")
    owner.goto(f"{first}settings/")
    link = owner.locator("dl.settings").filter(has_text="Join with another dataset")
    link.get_by_role("link", name="Join", exact=False).click()
    owner.get_by_label("Bills").check()
    owner.get_by_role("button", name="Continue").click()
    owner.get_by_label("Name", exact=True).fill("Stays and bills")
    owner.get_by_role("checkbox", name="nights").check()
    owner.get_by_role("checkbox", name="paid").check()
    look_at(owner, "join-two-datasets")
    owner.get_by_role("button", name="Join them").click()
    heading = owner.get_by_role("heading", level=1)
    expect(heading).to_have_text("Stays and bills", timeout=60_000)
    expect(owner.locator("main")).to_contain_text("Bills, version 1: 1 row of each person at most")
    look_at(owner, "derived-dataset")
    _asks(visit().sign_in("analyst"))


def _registered(page: Page, folder: Path, name: str, column: str, rows: str) -> str:
    send(page, folder / f"{column}.csv", f"guest,{column}\n{rows}".encode())
    page.get_by_label("A column names the person (or unit)").check()
    page.get_by_label("Column that names the person").select_option(label="guest")
    page.get_by_label("Most rows of one person").fill("1")
    declare_number(page, column, "0", "100")
    declare_table(page, name)
    return registered(page, name)


def _share(page: Page, *names: str) -> None:
    page.goto("/shared-budgets/new/")
    page.get_by_label("Name", exact=True).fill("Guests")
    page.get_by_label("Limit on ε for these people").fill("8")
    page.get_by_role("button", name="Create").click()
    for name in names:
        if not page.get_by_role("button", name=f"Add {name}", exact=True).count():
            page.get_by_role("link", name="Add a dataset").click()
        page.get_by_role("button", name=f"Add {name}", exact=True).click()
        expect(page.get_by_role("region", name="Who shares it")).to_contain_text(name)


def _asks(page: Page) -> None:
    page.goto("/datasets/stays-and-bills/ask/")
    page.get_by_label("Privacy loss ε", exact=True).fill("0.5")
    page.get_by_role("button", name="Ask for ε 0.5").click()
    expect(page.locator(".answer-value")).to_contain_text("at 95%", timeout=30_000)
