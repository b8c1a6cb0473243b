"""A panel of wages, in which the same people come back each year."""

import random
from pathlib import Path

from playwright.sync_api import expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import look_at
from tests.journeys.tasks.preparing import (
    await_answer,
    declare_list,
    declare_number,
    declare_table,
    registered,
    send,
)

_PROTECTED = "each single person, named by worker: all their rows"
_YEARS = ("2021", "2022", "2023")


def test_wages_of_people_who_come_back_are_asked_about_person_by_person(
    visit: Visit, tmp_path: Path
) -> None:
    """The label and the quote say that whole persons are protected, with all their rows."""
    owner = visit().sign_in("owner")
    send(owner, tmp_path / "wages.csv", _panel(seed=9))
    owner.get_by_label("A column names the person (or unit)").check()
    owner.get_by_label("Column that names the person").select_option(label="worker")
    owner.get_by_label("Most rows of one person").fill(str(len(_YEARS)))
    declare_list(owner, "year", "\n".join(_YEARS))
    declare_number(owner, "wage", "0", "9000", "10")
    declare_table(owner, "Wage panel")
    address = registered(owner, "Wage panel")
    label = owner.get_by_role("region", name="Privacy label")
    expect(label).to_contain_text(_PROTECTED)
    expect(label).to_contain_text("3 rows at most")
    analyst = visit().sign_in("analyst")
    analyst.goto(f"{address}ask/")
    analyst.get_by_label("Statistic", exact=True).select_option("mean")
    analyst.get_by_label("of the column").select_option("wage")
    analyst.get_by_label("Privacy loss ε", exact=True).fill("0.5")
    quote = analyst.locator("#quote")
    expect(quote.get_by_role("button", name="Ask for ε 0.5")).to_be_visible()
    expect(quote).to_contain_text(_PROTECTED)
    analyst.get_by_text("Use fewer rows of each privacy unit").click()
    analyst.get_by_label("Rows of each").fill("1")
    expect(quote).to_contain_text("using at most 1 row of each privacy unit")
    look_at(analyst, "ask-panel")
    quote.get_by_role("button", name="Ask for ε 0.5").click()
    await_answer(analyst)
    expect(analyst.locator("main")).to_contain_text("using at most 1 row of each privacy unit")


def _panel(seed: int) -> bytes:
    """Eighty people over three years."""
    chance = random.Random(seed)
    rows = [
        f"w{worker},{year},{chance.randrange(150, 600) * 10}"
        for worker in range(80)
        for year in _YEARS
    ]
    return "\n".join(["worker,year,wage", *rows, ""]).encode()
