"""I3 and G2: what leaves the system as a file, checked by who has nothing else."""

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.checkpoints.deliveries import deliver_waiting
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.export import csv_lines
from dpgov.audit.models import AuditEntry
from dpgov.audit.outside import KEYS, known_keys, outside_files
from dpgov.audit.selectors import stream
from dpgov.audit.services import append
from dpgov.audit.verify import verify_export
from dpgov.tenants.models import Membership
from dpgov.web.spreadsheet import as_written, safe_cell, safe_text

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]


def note(member: Membership, label: str, **values: object) -> AuditEntry:
    facts: dict[str, Any] = {"action": Action.QUERY_SUBMITTED, "subject": "query:1"} | values
    with transaction.atomic():
        return append(
            tenant_id=member.tenant_id, actor=Actor(kind="user", id="1", label=label), **facts
        )


def downloaded(client: Client, fmt: str, **filters: str) -> str:
    response = client.post(f"/audit/export/{fmt}/", filters)
    assert response.status_code == 200
    return b"".join(response).decode()


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", " =", "＝"])
def test_a_cell_that_a_spreadsheet_would_run_is_neutralised(start: str) -> None:
    """I3: formula beginnings get an apostrophe."""
    assert safe_cell(f"{start}1+1") == f"'{start}1+1"


@pytest.mark.parametrize("parted", [";", "; ", ';"', "\t", "\n", "\r\n'"])
@pytest.mark.parametrize("start", ["=", "-", "@", "＝"])
def test_what_another_program_would_take_for_a_cell_is_neutralised_too(
    parted: str, start: str
) -> None:
    """I3: German spreadsheets part cells at semicolons, and know quotes at a cell's start alone."""
    assert safe_text(f"x{parted}{start}1+1;y") == f"x{parted}'{start}1+1;y"
    assert safe_text("a;b - c") == "a;b - c"
    assert safe_text(7) == 7


def test_harmless_cells_stay_as_they_are() -> None:
    """I3: text, numbers and minus signs inside are nobody's formula."""
    harmless = ("a-b", "", 7, "-9", "+49", "-0.5", "-1,5", "-", "+")
    assert tuple(safe_cell(cell) for cell in harmless) == harmless
    assert [as_written(safe_text(text)) for text in ("-9", "'-9", "-9+1")] == ["-9", "'-9", "-9+1"]


def test_the_csv_export_neutralises_formulas(officer: Membership, client_for: ClientFor) -> None:
    """I3: through the whole journey, from the log to the downloaded file."""
    note(officer, '=HYPERLINK("http://evil.example","x")', subject="@SUM(1)", dataset="+1+1")
    rows = list(csv.DictReader(io.StringIO(downloaded(client_for(officer), "csv"))))
    assert rows[0]["actor_label"].startswith("'=HYPERLINK")
    assert (rows[0]["subject"], rows[0]["dataset"]) == ("'@SUM(1)", "'+1+1")


def test_the_json_lines_export_verifies_alone_and_ends_with_its_own_entry(
    officer: Membership, client_for: ClientFor, tmp_path: Path, settings: Any
) -> None:
    """G2: the file, a checkpoint and the keys from the folder are all that a verifier needs."""
    settings.DPGOV_CHECKPOINT_FOLDER = tmp_path / "checkpoints"
    note(officer, "anna@example.org")
    note(officer, 'her "sequence":1, and\r\nmore \u202e')
    made = make_checkpoint(tenant_id=officer.tenant_id)
    assert made
    deliver_waiting(officer.tenant_id)
    text = downloaded(client_for(officer), "jsonl")
    assert json.loads(text.splitlines()[-1])["action"] == Action.AUDIT_LOG_EXPORTED
    path = tmp_path / "export.jsonl"
    path.write_text(text)
    keys = known_keys(officer.tenant_id)
    verdict = verify_export(path, [made.note], keys=keys)
    assert (verdict.intact, verdict.entries, verdict.agreeing) == (True, 3, [2])
    assert _verify_elsewhere(path, outside_files(officer.tenant_id)[0]).returncode == 0
    path.write_text("".join(text.splitlines(keepends=True)[:1]))
    cut = _verify_elsewhere(path, outside_files(officer.tenant_id)[0])
    assert cut.returncode == 1
    assert "the end was cut off" in cut.stdout


def _verify_elsewhere(path: Path, checkpoint: Path) -> subprocess.CompletedProcess[str]:
    """In a process that knows neither the settings nor the database."""
    files = [str(path), str(checkpoint), "--key", str(checkpoint.parent / KEYS)]
    return subprocess.run(
        [sys.executable, "-m", "dpgov.audit.verify", *files],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_csv_export_obeys_the_filter_and_json_lines_never_do(
    officer: Membership, client_for: ClientFor
) -> None:
    note(officer, "anna@example.org")
    note(officer, "boris@example.org")
    client = client_for(officer)
    rows = list(csv.DictReader(io.StringIO(downloaded(client, "csv", actor="boris@example.org"))))
    assert [row["actor_label"] for row in rows] == ["boris@example.org"]
    assert downloaded(client, "jsonl", actor="boris@example.org").count("\n") == 4


def test_exports_are_streamed_in_short_reads(
    officer: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the log, only one chunk is in memory."""
    monkeypatch.setattr("dpgov.audit.selectors._CHUNK", 3)
    for number in range(7):
        note(officer, f"person {number}")
    lines = list(csv_lines(stream(officer.tenant_id, upto=6)))
    assert [line.split(",")[1] for line in lines[1:]] == ["1", "2", "3", "4", "5", "6"]
