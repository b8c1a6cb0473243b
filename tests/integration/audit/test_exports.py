"""I3 and G2: what leaves the system as a file, and the command that checks it."""

import csv
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from dpgov.audit.verifier import verify

from dpgov.audit.actions import Action
from dpgov.audit.actor import Actor
from dpgov.audit.export import csv_lines, read_json_lines
from dpgov.audit.models import AuditEntry, AuditHead
from dpgov.audit.selectors import head_of, stream, verify_log
from dpgov.audit.services import append
from dpgov.audit.spreadsheet import safe_cell
from dpgov.tenants.models import Membership

pytestmark = pytest.mark.django_db
ClientFor = Callable[[Membership], Client]


def note(member: Membership, label: str, **values: object) -> AuditEntry:
    facts = {"action": Action.QUERY_SUBMITTED, "subject": "query:1"} | values
    with transaction.atomic():
        return append(
            tenant_id=member.tenant_id, actor=Actor(kind="user", id="1", label=label), **facts
        )


def downloaded(client: Client, fmt: str, **filters: str) -> str:
    response = client.post(f"/audit/export/{fmt}/", filters)
    assert response.status_code == 200
    return b"".join(response.streaming_content).decode()


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", " =", "＝"])
def test_a_cell_that_a_spreadsheet_would_run_is_neutralised(start: str) -> None:
    """I3: formula beginnings get an apostrophe."""
    assert safe_cell(f"{start}1+1") == f"'{start}1+1"


def test_harmless_cells_stay_as_they_are() -> None:
    """I3: text, numbers and minus signs inside are nobody's formula."""
    assert [safe_cell(cell) for cell in ("a-b", "", 7)] == ["a-b", "", 7]


def test_the_csv_export_neutralises_formulas(officer: Membership, client_for: ClientFor) -> None:
    """I3: through the whole journey, from the log to the downloaded file."""
    note(officer, '=HYPERLINK("http://evil.example","x")', subject="@SUM(1)", dataset="+1")
    rows = list(csv.DictReader(io.StringIO(downloaded(client_for(officer), "csv"))))
    assert rows[0]["actor_label"].startswith("'=HYPERLINK")
    assert (rows[0]["subject"], rows[0]["dataset"]) == ("'@SUM(1)", "'+1")


def test_the_json_lines_export_verifies_alone_and_ends_with_its_own_entry(
    officer: Membership, client_for: ClientFor
) -> None:
    """G2: the file and the head from its name are all that a verifier needs."""
    note(officer, "anna@example.org")
    text = downloaded(client_for(officer), "jsonl")
    entries = list(read_json_lines(io.StringIO(text)))
    assert entries[-1]["action"] == Action.AUDIT_LOG_EXPORTED
    assert verify(entries, expected=head_of(officer.tenant_id)).intact


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


def test_the_command_holds_good_logs_and_names_their_heads(
    officer: Membership, capsys: pytest.CaptureFixture[str]
) -> None:
    note(officer, "anna@example.org")
    call_command("verify_audit_log")
    head = head_of(officer.tenant_id)
    assert f"harbour: 1 entries hold, head 1:{head.entry_hash}" in capsys.readouterr().out


def test_the_command_ends_with_one_and_a_clear_line_on_a_broken_log(
    officer: Membership, stranger: Membership, capsys: pytest.CaptureFixture[str]
) -> None:
    note(officer, "anna@example.org")
    note(stranger, "sven@example.org")
    AuditHead.objects.filter(tenant_id=officer.tenant_id).update(sequence=2)
    with pytest.raises(CommandError) as stopped:
        call_command("verify_audit_log")
    assert stopped.value.returncode == 1
    said = capsys.readouterr()
    assert "harbour: BROKEN, entry 2: is missing" in said.err
    assert "elsewhere: 1 entries hold" in said.out
    call_command("verify_audit_log", "--tenant", "elsewhere")


def test_the_command_checks_a_file_without_any_database(
    officer: Membership, client_for: ClientFor, tmp_path: Path
) -> None:
    """G2: a process whose database is unreachable verifies the export, and finds a cut tail."""
    note(officer, "anna@example.org")
    whole = downloaded(client_for(officer), "jsonl")
    last = verify_log(officer.tenant_id).head
    good, cut = tmp_path / "good.jsonl", tmp_path / "cut.jsonl"
    good.write_text(whole)
    cut.write_text(whole.splitlines(keepends=True)[0])
    head = f"{last.sequence}:{last.entry_hash}"
    assert _verify_elsewhere(good, head).returncode == 0
    result = _verify_elsewhere(cut, head)
    assert result.returncode == 1
    assert "cut.jsonl: BROKEN, entry 2: is missing; the log should reach 2" in result.stderr


def _verify_elsewhere(path: Path, head: str) -> subprocess.CompletedProcess[str]:
    home = path.parent / "empty-home"
    environment = {
        "PATH": "/usr/bin:/bin",
        "DPGOV_HOME": str(home),
        "DPGOV_DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing",
    }
    return subprocess.run(
        [sys.executable, "manage.py", "verify_audit_log", "--export", str(path), "--head", head],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_damaged_file_is_refused_with_the_line(tmp_path: Path) -> None:
    path = tmp_path / "damaged.jsonl"
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(CommandError, match=r"damaged\.jsonl: BROKEN"):
        call_command("verify_audit_log", "--export", str(path))


@pytest.mark.parametrize("arguments", [("--head", "1:ab"), ("--tenant", "nowhere")])
def test_arguments_that_make_no_sense_are_refused(arguments: tuple[str, str]) -> None:
    with pytest.raises(CommandError):
        call_command("verify_audit_log", *arguments)
