"""What an invited person does first."""

from playwright.sync_api import Page, expect

from tests.journeys.looking import look_at
from tests.journeys.tasks.counting import Role, task


@task(Role.INVITED, pages=1, clicks=3)
def test_join_and_read_what_comes_next(letter: Page) -> None:
    expect(letter.get_by_role("heading", level=1)).to_have_text("Join Harbour Statistics Office")
    expect(letter.locator("main")).to_contain_text("Adam Administrator")
    look_at(letter, "join-organisation")
    for label in ("Password", "Password, once more"):
        letter.get_by_label(label, exact=True).fill("a-long-and-lonely-road")
    letter.get_by_role("button", name="Join").click()
    expect(letter.get_by_role("heading", level=1)).to_contain_text("Welcome to Harbour")
    expect(letter.get_by_role("heading", name="What comes next")).to_be_visible()
    look_at(letter, "welcome")
