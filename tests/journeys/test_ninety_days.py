"""The demonstration as it starts for everybody: a first page, and its past arriving behind it."""

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.journeys.browser import Visitor
from tests.journeys.product import started_product

pytestmark = pytest.mark.long
_ARRIVED = "You can ask now."


def test_its_past_arrives_behind_the_first_page(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L34: looked at from the first page on, asked once the past has reached today.

    On the embedded default, whatever the servers of this run are: nobody else has a past.
    """
    for name in ("DPGOV_DATABASE_URL", "DPGOV_BROKER_URL", "DPGOV_TESTS_REDIS"):
        monkeypatch.delenv(name, raising=False)
    with started_product(tmp_path, options=()) as product:
        visitor = Visitor(browser, product)
        page = visitor.sign_in("analyst")
        expect(page.get_by_role("status")).to_contain_text("living through its past")
        visitor.picture("demo-arriving")
        visitor.expected = re.compile("503")
        page.goto("/datasets/adult-census-income/ask/")
        answer = page.request.post("/desk/")
        assert answer.status == 503
        assert "Nothing was changed" in answer.text()
        said = _wait_until_arrived(tmp_path / "said.txt")
        assert "log proves itself" in said
        assert "Warning" not in said
        page.goto("/datasets/")
        expect(page.locator("main")).to_contain_text("Hospital stays")
        expect(page.locator("main")).to_contain_text("Health survey")
        expect(page.locator("body")).not_to_contain_text("living through its past")
        visitor.close()


def _wait_until_arrived(said: Path) -> str:
    deadline = time.monotonic() + 900
    while _ARRIVED not in (text := said.read_text()):
        assert time.monotonic() < deadline, text
        time.sleep(0.5)
    return text
