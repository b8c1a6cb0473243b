"""Pages that nobody sees without steps before them: of a second version, and of rows known before.

Each is shown in both themes, wide and narrow, and axe finds nothing in it.
"""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.journeys.conftest import Visit
from tests.journeys.looking import look_at
from tests.journeys.tasks.preparing import (
    await_dataset,
    declare,
    invented,
    register,
    send,
)

_NAME = "Lighthouses"


def test_what_an_old_version_and_a_held_upload_look_like(visit: Visit, tmp_path: Path) -> None:
    """An officer looks at the new data; its owner may delete the rows before it.

    Nearly the same rows under another name are held, and nobody can ask about them.
    """
    owner = visit().sign_in("owner")
    address = register(owner, tmp_path, _NAME, seed=61)
    _add_a_version(owner, address, tmp_path / "later.csv")
    owner.goto(f"{address}versions/1/delete/")
    look_at(owner, "delete-version")
    send(owner, tmp_path / "again.csv", f"{invented(seed=61)}40,N\n".encode())
    declare(owner, f"{_NAME} again")
    owner.get_by_role("button", name="Register the dataset").click()
    owner.wait_for_url(re.compile("/datasets/held/"), timeout=60_000)
    look_at(owner, "held")
    officer = visit().sign_in("officer")
    officer.goto("/new-data/")
    officer.get_by_role("link", name=f"{_NAME}, version 2").click()
    expect(officer.get_by_role("heading", level=1)).to_contain_text(_NAME)
    look_at(officer, "look")


def test_what_a_question_leaves_when_its_charge_is_asked_back(visit: Visit) -> None:
    """Nobody gets back what an answer cost, and the page says so."""
    page = visit().sign_in("owner")
    page.goto("/history/?state=released")
    page.locator("#questions a[href^='/queries/']").first.click()
    page.goto(f"{page.url}refund/")
    look_at(page, "refund")


def _add_a_version(page: Page, address: str, file: Path) -> None:
    file.write_text(invented(seed=62))
    page.goto(f"/datasets/new/?version-of={address.split('/')[2]}")
    page.get_by_label("CSV, Excel or Parquet file").set_input_files(file)
    page.get_by_role("button", name="Upload").click()
    page.get_by_role("button", name="Add the version").click()
    await_dataset(page, _NAME)
