"""The lines for a notebook, run as a person runs them against the started product."""

import os
import re
import subprocess
import sys

from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit

ADULT = "/datasets/adult-census-income/"


def test_the_lines_of_a_question_ask_it_once_and_those_of_its_answer_read_it(visit: Visit) -> None:
    page = visit().sign_in("analyst")
    token = _token(page)
    page.goto(f"{ADULT}ask/")
    page.get_by_label("Privacy loss ε", exact=True).fill("0.05")
    expect(page.get_by_role("button", name="Ask for ε 0.05")).to_be_visible()
    asking = _lines(page)
    first = _run(asking, token)
    assert "cost: ε 0.05 accepted: True" in first
    assert first.splitlines()[-1].startswith("count")
    assert _run(asking, token).splitlines()[-1] == first.splitlines()[-1]
    page.goto("/history/")
    page.get_by_role("link", name="Count of rows").first.click()
    page.wait_for_url(re.compile("/queries/"))
    assert _run(_lines(page), token).splitlines() == first.splitlines()[-1:]


def _lines(page: Page) -> str:
    page.get_by_text("In a notebook").click()
    folded = page.locator("details").filter(has_text="In a notebook")
    expect(folded.get_by_role("button", name="Copy")).to_be_visible()
    return page.locator("#notebook-lines").inner_text()


def _token(page: Page) -> str:
    page.goto("/tokens/")
    page.get_by_label("Name").fill("notebook")
    page.get_by_role("button", name="Create token").click()
    return page.get_by_label("Token", exact=True).input_value()


def _run(lines: str, token: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", lines],
        env=os.environ | {"DPGOV_TOKEN": token},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
