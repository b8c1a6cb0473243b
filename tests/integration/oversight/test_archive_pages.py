"""G10: what left the log for files, on the officer's pages, over the API and by command."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from rest_framework.test import APIClient

from dpgov.audit.archive.reading import folder_of
from dpgov.audit.archiving import archive_months, remove_archived
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.audit.models import AuditArchive, AuditEntry
from dpgov.datasets.models import Dataset
from dpgov.oversight.month.calendar import Month
from dpgov.oversight.month.month import MonthFigures, figures_of
from dpgov.tenants.models import Membership
from tests.cast import Ask
from tests.integration.audit.logs import write_month

ClientFor = Callable[[Membership], Client]
ApiFor = Callable[[Membership], APIClient]
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folders(settings: Any, tmp_path: Path) -> None:
    settings.DPGOV_CHECKPOINT_FOLDER = tmp_path / "checkpoints"
    settings.DPGOV_CHECKPOINT_KEY_FILE = tmp_path / "checkpoint_key"
    settings.DPGOV_ARCHIVE_FOLDER = tmp_path / "archive"


@pytest.fixture
def archived(officer: Membership) -> Path:
    """January and February have left the officer's log; where January is."""
    for month in (1, 2, 3):
        write_month(month, tenant_id=officer.tenant_id)
    make_checkpoint(tenant_id=officer.tenant_id)
    january, _ = archive_months(officer.tenant_id, date(2025, 3, 1))
    make_checkpoint(tenant_id=officer.tenant_id)
    remove_archived(officer.tenant_id)
    return folder_of(officer.tenant_id) / january.name


def test_every_page_of_the_log_says_where_older_questions_are(
    archived: Path, officer: Membership, client_for: ClientFor, api_for: ApiFor
) -> None:
    """Also where the search finds nothing any more, and over the API; in the reader's language."""
    told = (
        "Of entries 1 to 200, questions asked and answered are no longer listed here: they are in "
        f"the archive of 2025-01 to 2025-02, in the folder {archived.parent}."
    )
    browser = client_for(officer)
    for search in ("", "?q=on:2025-01-03 ε:>0.1", "?since=2025-01-01&until=2025-02-01"):
        assert told in browser.get(f"/audit/{search}").content.decode()
    assert "--archive" in browser.get("/audit/").content.decode()
    assert api_for(officer).get("/api/v1/audit/entries/").json()["archive"] == told
    browser.cookies["django_language"] = "de"
    assert "im Archiv von 2025-01 bis 2025-02" in browser.get("/audit/").content.decode()


def test_a_log_without_an_archive_says_nothing_of_one(
    officer: Membership, client_for: ClientFor, api_for: ApiFor
) -> None:
    write_month(1, tenant_id=officer.tenant_id)
    page = client_for(officer).get("/audit/").content.decode()
    assert "archive of" not in page
    assert "--archive" not in page
    assert api_for(officer).get("/api/v1/audit/entries/").json()["archive"] == ""


def test_an_entry_is_shown_out_of_its_file_or_said_to_be_in_it(
    archived: Path, officer: Membership, client_for: ClientFor
) -> None:
    """With its hash computed again; a number that the log never had is missing as ever."""
    page = client_for(officer).get("/audit/7/").content.decode()
    assert "QUERY_RELEASED" in page
    assert "computed again just now: it matches" in page
    archived.unlink()
    page = client_for(officer).get("/audit/7/").content.decode()
    assert f"Entries 1 to 100 could not be found: {archived.name} is not in the folder" in page
    assert client_for(officer).get("/audit/999/").status_code == 404


def test_an_export_holds_the_archive_while_it_is_there(
    archived: Path, officer: Membership, client_for: ClientFor
) -> None:
    def exported() -> list[int]:
        lines = b"".join(client_for(officer).post("/audit/export/jsonl/"))
        return [json.loads(line)["sequence"] for line in lines.splitlines()]

    assert exported() == list(range(1, 303))
    archived.unlink()
    assert exported() == list(range(201, 304))


def test_an_export_out_of_a_changed_file_is_refused_before_its_first_line(
    archived: Path, officer: Membership, client_for: ClientFor
) -> None:
    """A download that breaks off in the middle would say nothing; and nothing was exported."""
    whole = bytearray(archived.read_bytes())
    whole[len(whole) // 2] ^= 1
    archived.write_bytes(whole)
    before = AuditEntry.objects.count()
    refused = client_for(officer).post("/audit/export/jsonl/")
    assert refused.status_code == 409
    assert f"{archived.name} is not the file that was recorded." in refused.content.decode()
    assert AuditEntry.objects.count() == before


def test_an_export_out_of_a_file_that_cannot_be_read_is_refused_too(
    archived: Path, officer: Membership, client_for: ClientFor
) -> None:
    """And its entries are said to be there, where reading failed."""
    archived.unlink()
    archived.mkdir()
    told = f"Entries 1 to 100 could not be read: {archived.name} is in the folder"
    refused = client_for(officer).post("/audit/export/jsonl/")
    assert refused.status_code == 409
    assert told in refused.content.decode()
    assert told in client_for(officer).get("/audit/7/").content.decode()


def test_verify_now_says_what_it_could_not_find(
    archived: Path, officer: Membership, client_for: ClientFor, api_for: ApiFor
) -> None:
    browser = client_for(officer)
    assert "complete and unchanged" in browser.post("/audit/verify/").content.decode()
    archived.unlink()
    page = browser.post("/audit/verify/").content.decode()
    assert "What was found of the log is unchanged" in page
    assert "Entries 1 to 100 could not be found" in page
    verdict = api_for(officer).post("/api/v1/audit/verify/").json()
    assert verdict["intact"]
    assert "Entries 1 to 100 could not be found" in verdict["unread"][0]


def test_an_archived_month_is_reported_as_before(
    ask: Ask, answer_all: Callable[[], int], analyst: Membership, dataset: Dataset
) -> None:
    """Nothing that the report counts leaves: its numbers are not those of an empty log."""

    def seen() -> tuple[Any, ...]:
        found: MonthFigures = figures_of(dataset.tenant, Month.read(""))
        steps = [(one.action, one.number) for one in found.steps]
        without = [step for step in steps if step[0] != "AUDIT_LOG_ARCHIVED"]
        return found.datasets, found.people, found.days, found.stands, without

    ask(analyst), ask(analyst)
    answer_all()
    before = seen()
    make_checkpoint(tenant_id=dataset.tenant_id)
    archive_months(dataset.tenant_id, date(2999, 1, 1))
    make_checkpoint(tenant_id=dataset.tenant_id)
    assert remove_archived(dataset.tenant_id) == 4
    assert before[0][0].asked == 2
    assert seen() == before


@pytest.mark.django_db(transaction=True)
def test_the_command_archives_then_removes_each_log(
    officer: Membership, stranger: Membership, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the owner of the tables acting for each organisation; a refused one stops no other."""
    for member in (officer, stranger):
        write_month(1, tenant_id=member.tenant_id)
    call_command("checkpoint")
    (size,) = {
        AuditEntry.objects.filter(tenant_id=m.tenant_id).count() for m in (officer, stranger)
    }
    call_command("archive_log", "--before", "2025-02", "--tenant", "harbour")
    assert f"harbour: 2025-01-000000000001-{size:012}.parquet, SHA-256" in capsys.readouterr().out
    with pytest.raises(CommandError, match="not archived"):
        call_command("archive_log", "--remove")
    said = capsys.readouterr()
    assert f"harbour: REFUSED, No checkpoint covers entry {size + 1}" in said.err
    assert "elsewhere: 0 entries left" in said.out
    call_command("checkpoint")
    call_command("archive_log", "--remove")
    assert "harbour: 80 entries left for the archive" in capsys.readouterr().out
    call_command("verify_audit_log")
    archive = AuditArchive.objects.get()
    assert archive.tenant_id == officer.tenant_id
    (folder_of(officer.tenant_id) / archive.name).unlink()
    with pytest.raises(CommandError) as stopped:
        call_command("verify_audit_log")
    assert stopped.value.returncode == 2
    assert "harbour: Entries 1 to" in capsys.readouterr().err


@pytest.mark.parametrize("step", [("--before", "2025-02"), ("--remove",)])
def test_with_object_storage_the_archive_lies_in_no_state_folder(
    step: tuple[str, ...], settings: Any, officer: Membership, tmp_path: Path
) -> None:
    """Which other machines do not see, and which may end with its pod."""
    settings.DPGOV_HOME, settings.DPGOV_STORE = tmp_path / "home", {"bucket": "files"}
    settings.DPGOV_ARCHIVE_FOLDER = tmp_path / "home/archive"
    with pytest.raises(CommandError, match="in DPGOV_ARCHIVE_FOLDER"):
        call_command("archive_log", *step)
    settings.DPGOV_ARCHIVE_FOLDER = tmp_path / "shared"
    call_command("archive_log", *step)


@pytest.mark.parametrize(
    ("month", "told"), [("2999-01", "has not begun"), ("march", "is no month"), ("", "is no month")]
)
def test_only_a_month_that_is_over_is_archived(month: str, told: str, officer: Membership) -> None:
    with pytest.raises(CommandError, match=told):
        call_command("archive_log", "--before", month)
