"""The tour of invented rows, which an organisation takes beside its own."""

import os
import subprocess
import sys
from collections.abc import Generator

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import look_at
from tests.journeys.product import ROOT, Product
from tests.journeys.tasks.counting import Role, held_to, task


@pytest.fixture
def practising(product: Product) -> None:
    """The other organisation has a practice; the one of all other tasks stays as it is."""
    known = {"DPGOV_HOME": str(product.home / "state"), "DPGOV_HTTPS": "0"}
    if product.database:
        known["DPGOV_DATABASE_URL"] = product.database
    command = [sys.executable, "manage.py", "practice", "elsewhere-institute"]
    subprocess.run(command, cwd=ROOT, env=os.environ | known, check=True)


@pytest.fixture
def elsewhere(request: pytest.FixtureRequest, practising: None, visit: Visit) -> Generator[Page]:
    """The desk of the other organisation's owner."""
    window = visit()
    with held_to(request.function, window.page, lambda: window.sign_in("stranger")):
        yield window.page


@task(Role.OWNER, pages=4, clicks=5)
def test_begin_the_practice_tour_and_leave_it(elsewhere: Page) -> None:
    """L36: a step is done by doing it on its page, and counts in no organisation of theirs."""
    elsewhere.get_by_role("button", name="Take the tour").click()
    tour = elsewhere.get_by_role("region", name="Practice tour, step")
    expect(tour).to_contain_text("step 1 of 5")
    tour.get_by_role("link", name="Set a policy").first.click()
    look_at(elsewhere, "practice-tour")
    elsewhere.get_by_label("Questions above this ε need your permit").fill("0.5")
    elsewhere.get_by_role("button", name="Save the policy").click()
    expect(tour).to_contain_text("step 2 of 5")
    tour.get_by_role("button", name="Leave the tour").click()
    expect(tour).to_have_count(0)
    expect(elsewhere.locator("main")).not_to_contain_text("Health survey")
