"""The officer's page of checkpoints: what was signed, where it went, what contradicts it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from dpgov.audit.checkpoints.deliveries import deliver_waiting
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.keys.note import parse_public_key
from dpgov.audit.outside import outside_files
from dpgov.oversight.web.checkpoints import PAGE_SIZE
from dpgov.tenants.models import Membership
from tests.integration.audit.logs import write

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]


@pytest.fixture(autouse=True)
def _own_folder(settings: Any, tmp_path: Path) -> None:
    settings.DPGOV_CHECKPOINT_FOLDER = tmp_path / "checkpoints"
    settings.DPGOV_CHECKPOINT_KEY_FILE = tmp_path / "checkpoint_key"
    settings.DPGOV_CHECKPOINT_WEBHOOK = "http://127.0.0.1:9/"


def sign(member: Membership, entries: int = 1) -> int:
    write(entries, tenant_id=member.tenant_id)
    made = make_checkpoint(tenant_id=member.tenant_id)
    assert made
    return made.size


def test_a_checkpoint_is_shown_with_its_root_its_key_and_where_it_went(
    officer: Membership, client_for: ClientFor
) -> None:
    sign(officer, 3)
    browser = client_for(officer)
    assert "on its way" in browser.get("/audit/checkpoints/").text
    deliver_waiting(officer.tenant_id)
    page = browser.get("/audit/checkpoints/")
    assert "arrived" in page.text
    assert "failed 1 time" in page.text
    assert page.context["root"] in page.text
    assert page.context["keys"][0]["fingerprint"] in page.text
    assert "holds checkpoints up to 3 entries" in page.text


def test_notes_and_keys_are_downloaded_as_they_are(
    officer: Membership, client_for: ClientFor
) -> None:
    """G3: what the page gives out is what the verifier reads."""
    sign(officer, 3)
    deliver_waiting(officer.tenant_id)
    browser = client_for(officer)
    note = browser.get("/audit/checkpoints/3/")
    assert note.text == outside_files(officer.tenant_id)[0].read_text()
    assert "attachment" in note.headers["Content-Disposition"]
    key = parse_public_key(browser.get("/audit/keys/").text)
    assert key.name == f"dpgov/{officer.tenant_id}"
    assert browser.get("/audit/checkpoints/4/").status_code == 404


def test_a_contradiction_is_on_both_pages(officer: Membership, client_for: ClientFor) -> None:
    """G3: the officer sees a restored or rewritten log without asking."""
    sign(officer, 3)
    deliver_waiting(officer.tenant_id)
    (file,) = outside_files(officer.tenant_id)
    text = file.read_text().replace("\n3\n", "\n9\n")
    file.with_name("000000000009-x.checkpoint").write_text(text)
    for path in ("/audit/", "/audit/checkpoints/"):
        page = client_for(officer).get(path).text
        assert "The log contradicts what was signed before" in page
        assert "000000000009-x.checkpoint proves nothing" in page


def test_without_a_checkpoint_both_pages_say_so(officer: Membership, client_for: ClientFor) -> None:
    browser = client_for(officer)
    assert "Nothing was signed yet" in browser.get("/audit/checkpoints/").text
    assert "nothing yet" in browser.get("/audit/").text
    assert browser.get("/audit/keys/").text == ""


def test_pages_of_checkpoints_follow_each_other(officer: Membership, client_for: ClientFor) -> None:
    for _ in range(PAGE_SIZE + 2):
        sign(officer)
    browser = client_for(officer)
    first = browser.get("/audit/checkpoints/")
    second = browser.get("/audit/checkpoints/", {"before": first.context["older"]})
    shown = [r["checkpoint"].size for page in (first, second) for r in page.context["rows"]]
    assert shown == list(range(PAGE_SIZE + 2, 0, -1))
    for forged in ("x", "²", "-1", "9" * 30):
        assert browser.get("/audit/checkpoints/", {"before": forged}).status_code == 200


def test_the_api_lists_the_same_notes(
    officer: Membership, stranger: Membership, api_for: Callable[[Membership], APIClient]
) -> None:
    """H1: of the token's tenant alone."""
    sign(stranger)
    sign(officer, 2)
    api = api_for(officer)
    found = api.get("/api/v1/audit/checkpoints/").json()["results"]
    assert [checkpoint["size"] for checkpoint in found] == [2]
    assert found[0]["note"].startswith(f"dpgov/{officer.tenant_id}\n2\n")
    missing = api.get("/api/v1/audit/consistency/?old=1&new=2")
    assert missing.status_code == 404
    assert api.get("/api/v1/audit/consistency/?old=2").status_code == 400


@pytest.mark.parametrize("path", ["/audit/", "/audit/1/", "/audit/checkpoints/"])
def test_a_page_asks_the_same_few_questions_however_long_the_log_is(
    officer: Membership, client_for: ClientFor, path: str
) -> None:
    """K3: nothing is counted or read from end to end to show a page.

    The picture of the log counts a bounded number of the newest entries.
    """
    browser = client_for(officer)
    counts = []
    for _ in range(2):
        sign(officer, 700)
        deliver_waiting(officer.tenant_id)
        with CaptureQueriesContext(connection) as asked:
            browser.get(path)
        own = [query["sql"] for query in asked.captured_queries if "audit_audit" in query["sql"]]
        assert not [sql for sql in own if "COUNT(" in sql and "LIMIT" not in sql]
        counts.append(len(own))
    assert counts[0] == counts[1]
