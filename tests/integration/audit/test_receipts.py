"""G2, G3: the receipt of an answer, and the proof between two checkpoints, checked from files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from dpgov.audit.checkpoints.deliveries import deliver_waiting
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.models import AuditEntry
from dpgov.audit.outside import KEYS, folder_of
from dpgov.audit.receipts.proofs import NoSuchCheckpoint, consistency
from dpgov.audit.verify import BROKEN, CANNOT_TELL, HOLDS, main
from dpgov.queries.models import Query
from dpgov.tenants.models import Membership
from tests.integration.audit.logs import TENANT, write
from tests.made_once import made_once

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]
ApiFor = Callable[[Membership], APIClient]


@pytest.fixture(autouse=True)
def _own_folder(own_folders: None) -> None:
    """What leaves the database stays in this test."""


@made_once
def answered(analyst: Membership, ask: Any, answer_all: Any) -> Query:
    """An answered question, visible by now, among others."""
    ask(analyst)
    query: Query = ask(analyst)
    ask(analyst)
    answer_all()
    query.refresh_from_db()
    return query


def sign(tenant_id: Any) -> Path:
    """Make a checkpoint; returns the file of public keys."""
    assert make_checkpoint(tenant_id=tenant_id)
    deliver_waiting(tenant_id)
    return folder_of(tenant_id) / KEYS


def test_a_receipt_and_the_answer_it_is_about_are_checked_from_files_alone(
    answered: Query, analyst: Membership, client_for: ClientFor, tmp_path: Path
) -> None:
    """G2, G3: download both, verify both, change either."""
    keys = str(sign(analyst.tenant_id))
    browser = client_for(analyst)
    receipt, answer = tmp_path / "receipt.json", tmp_path / "answer.json"
    receipt.write_bytes(browser.get(f"/queries/{answered.pk}/receipt.json").content)
    answer.write_bytes(browser.get(f"/queries/{answered.pk}/download/json/").content)
    arguments = ["--receipt", str(receipt), "--release", str(answer), "--key", keys]
    assert main(arguments) == HOLDS
    answer.write_bytes(answer.read_bytes().replace(b"count", b"Count", 1))
    assert main(arguments) == BROKEN
    assert main(["--receipt", str(receipt), "--key", keys]) == HOLDS


CHANGES: list[tuple[str, Callable[[dict[str, Any]], Any]]] = [
    ("entry", lambda r: r["entry"].replace("worker", "w0rker")),
    ("leaf_index", lambda r: r["leaf_index"] + 1),
    ("tree_size", lambda r: r["tree_size"] + 1),
    ("audit_path", lambda r: r["audit_path"][1:]),
    ("audit_path", lambda r: [*r["audit_path"], "00" * 32]),
    ("audit_path", lambda r: ["zz", *r["audit_path"]]),
    ("release_sha256", lambda r: "0" * 64),
    ("query", lambda r: str(TENANT)),
    ("checkpoint", lambda r: r["checkpoint"].replace("dpgov/", "dpgow/")),
    ("checkpoint", lambda r: "nothing"),
]


def test_a_changed_receipt_is_broken(
    answered: Query, analyst: Membership, client_for: ClientFor, tmp_path: Path
) -> None:
    """G2: whichever part of it."""
    keys = str(sign(analyst.tenant_id))
    receipt = client_for(analyst).get(f"/queries/{answered.pk}/receipt.json").json()
    path = tmp_path / "receipt.json"
    verdicts = []
    for name, change in CHANGES:
        path.write_text(json.dumps(receipt | {name: change(receipt)}))
        verdicts.append((name, main(["--receipt", str(path), "--key", keys])))
    assert verdicts == [(name, BROKEN) for name, _ in CHANGES]


def test_before_the_next_checkpoint_the_receipt_says_when_it_will_be_there(
    answered: Query, analyst: Membership, api_for: ApiFor, tmp_path: Path
) -> None:
    api = api_for(analyst)
    early = api.get(f"/api/v1/queries/{answered.pk}/receipt/").json()
    assert early["complete"] is False
    assert "The proof will be here from" in early["message"]
    path = tmp_path / "receipt.json"
    path.write_text(json.dumps(early))
    assert main(["--receipt", str(path)]) == CANNOT_TELL
    sign(analyst.tenant_id)
    full = api.get(f"/api/v1/queries/{answered.pk}/receipt/").json()
    assert full["complete"] is True
    assert full["entry"] == early["entry"]
    write(3, tenant_id=analyst.tenant_id)
    sign(analyst.tenant_id)
    assert api.get(f"/api/v1/queries/{answered.pk}/receipt/").json() == full


def test_there_is_no_receipt_before_the_answer_is_visible(
    analyst: Membership, ask: Any, client_for: ClientFor, api_for: ApiFor
) -> None:
    query = ask(analyst)
    assert client_for(analyst).get(f"/queries/{query.pk}/receipt.json").status_code == 404
    assert api_for(analyst).get(f"/api/v1/queries/{query.pk}/receipt/").status_code == 409


def test_a_receipt_does_not_tell_when_the_worker_was_done(
    answered: Query, analyst: Membership, api_for: ApiFor
) -> None:
    """E6: the entry is dated when the answer appeared, like everything else about it."""
    sign(analyst.tenant_id)
    receipt = api_for(analyst).get(f"/api/v1/queries/{answered.pk}/receipt/").json()
    entry = AuditEntry.objects.get(action="QUERY_RELEASED", subject=f"query:{answered.pk}")
    assert entry.at == answered.visible_at
    said = json.loads(receipt["entry"])
    assert said["at"] == entry.at.isoformat(timespec="microseconds")


def test_one_checkpoint_is_proved_to_extend_another(
    officer: Membership, client_for: ClientFor, api_for: ApiFor, tmp_path: Path
) -> None:
    """G2, G3: on the page, over the API and from the downloaded file."""
    for count in (3, 300, 400):
        write(count, tenant_id=officer.tenant_id)
        keys = str(sign(officer.tenant_id))
    page = client_for(officer).get("/audit/checkpoints/", {"old": 3, "new": 703})
    assert "Yes. The log of 703 entries begins with exactly the 3 entries" in page.text
    path = tmp_path / "proof.json"
    for old, new in ((3, 303), (3, 703), (303, 703), (703, 703)):
        url = f"/audit/consistency/?old={old}&new={new}"
        path.write_bytes(client_for(officer).get(url).content)
        assert main(["--consistency", str(path), "--key", keys]) == HOLDS
    proof = api_for(officer).get("/api/v1/audit/consistency/?old=3&new=703").json()
    for change in (
        {"path": proof["path"][1:]},
        {"old_checkpoint": proof["new_checkpoint"]},
        {"new_checkpoint": proof["new_checkpoint"].replace("\n703\n", "\n704\n")},
    ):
        path.write_text(json.dumps(proof | change))
        assert main(["--consistency", str(path), "--key", keys]) == BROKEN


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"old": "3", "new": "2"}, "must have more entries"),
        ({"old": "3", "new": "4"}, "There is no checkpoint of 4 entries"),
        ({"old": "x", "new": "3"}, "whole number"),
        ({"old": "3"}, "required"),
        ({"old": "9" * 30, "new": "3"}, "less than or equal"),
    ],
)
def test_a_choice_that_makes_no_sense_is_named_at_its_field(
    officer: Membership, client_for: ClientFor, chosen: dict[str, str], said: str
) -> None:
    write(3, tenant_id=officer.tenant_id)
    sign(officer.tenant_id)
    browser = client_for(officer)
    assert said in browser.get("/audit/checkpoints/", chosen).text
    assert browser.get("/audit/consistency/", chosen).status_code == 302


def test_a_size_that_was_never_signed_has_no_proof() -> None:
    write(3)
    sign(TENANT)
    with pytest.raises(NoSuchCheckpoint):
        consistency(tenant_id=TENANT, old=2, new=3)
