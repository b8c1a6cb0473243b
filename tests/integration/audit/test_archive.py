"""G10: old months of the log to files: nothing is lost, and nothing leaves too early."""

import json
from datetime import UTC, date, datetime
from hashlib import sha256
from itertools import count
from shutil import rmtree
from typing import Any

import duckdb
import pytest
from django.db import DatabaseError, transaction

from dpgov.audit import archiving
from dpgov.audit.actions import Action
from dpgov.audit.actor import OPERATOR
from dpgov.audit.archive.reading import (
    folder_of,
    whole_log,
)
from dpgov.audit.archiving import ArchiveRefused, archive_months, remove_archived
from dpgov.audit.models import AuditArchive, AuditEntry, AuditLeaves
from dpgov.audit.recheck import recheck_all, recheck_part
from dpgov.audit.selectors import log_size
from dpgov.audit.services import verify_and_record
from tests.integration.audit.archives import MARCH, NAMES, file, here, sign, tampered
from tests.integration.audit.logs import (
    TENANT,
    rewrite,
    write_month,
    write_question,
)
from tests.triggers import without_triggers

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folders")]


def test_a_month_becomes_a_file_of_the_very_bytes_that_were_hashed(months: list[bytes]) -> None:
    """Whoever has the file needs DuckDB and SHA-256, and no product; the log names each file."""
    made = archive_months(TENANT, MARCH)
    assert [one.name for one in made] == NAMES
    told = json.loads(AuditEntry.objects.get(action=Action.AUDIT_LOG_ARCHIVED).detail)["files"]
    assert [one["sha256"] for one in told] == [
        sha256(file(number).read_bytes()).hexdigest() for number in range(2)
    ]
    for number in range(2):
        rows = duckdb.read_parquet(str(file(number))).fetchall()
        begin = number * 100
        assert [f"{line}\n".encode() for _, line in rows] == months[begin : begin + 100]
    assert here() == list(range(1, 302))


def test_the_database_lets_nothing_go_that_is_not_archived_signed_and_of_a_question(
    months: list[bytes],
) -> None:
    """Nobody's statement, and at no moment of the way."""

    def refused(sequence: int) -> None:
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            AuditEntry.objects.filter(sequence=sequence).delete()

    refused(1)
    archive_months(TENANT, MARCH)
    refused(1)
    with pytest.raises(ArchiveRefused, match="No checkpoint covers entry 301"):
        remove_archived(TENANT)
    sign()
    for sequence in (5, 201, 301):
        refused(sequence)
    with without_triggers():
        AuditLeaves.objects.filter(start=0).delete()
    refused(1)
    assert AuditEntry.objects.filter(sequence=101).delete()[0] == 1


def test_only_the_entries_of_questions_leave_and_the_log_still_holds(archived: list[bytes]) -> None:
    """All others are searched, counted and asked for by guards; a second run finds nothing."""
    assert set(AuditEntry.objects.filter(sequence__lte=200).values_list("action", flat=True)) == {
        "TENANT_CREATED"
    }
    assert here()[:3] == [5, 10, 15]
    assert len(here()) == 40 + 101
    verdict = recheck_all(TENANT)
    assert (verdict.problems, verdict.unread, verdict.size) == ((), (), 301)
    assert recheck_part(TENANT, after=0, most=256).intact
    assert verify_and_record(tenant_id=TENANT, actor=OPERATOR).intact
    assert (remove_archived(TENANT), archive_months(TENANT, MARCH)) == (0, [])


class PowerCut(BaseException):
    """Nothing in the product catches it."""


STEPS = [
    ("line_of", 50),
    *(
        (step, turn)
        for step in ("put_once", "leaves_of", "sha256_of", "rows_of")
        for turn in (1, 2)
    ),
    ("append", 1),
]


def test_broken_off_anywhere_writing_is_repeated_without_loss(
    months: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within a file, between two, before and within the transaction that records them."""
    for step, turn in STEPS:
        rmtree(folder_of(TENANT), ignore_errors=True)
        for _ in range(2):
            with monkeypatch.context() as patch:
                break_at(patch, step, turn)
                with pytest.raises(PowerCut):
                    archive_months(TENANT, MARCH)
        assert here() == list(range(1, 301)), step
        assert not AuditArchive.objects.exists(), step
    assert [one.name for one in archive_months(TENANT, MARCH)] == NAMES
    sign()
    assert remove_archived(TENANT) == 160
    assert list(whole_log(TENANT, upto=300)) == months
    assert recheck_all(TENANT).intact


def break_at(monkeypatch: pytest.MonkeyPatch, step: str, turn: int) -> None:
    work, turns = getattr(archiving, step), count(1)

    def broken(*arguments: Any, **also: Any) -> Any:
        if next(turns) == turn:
            raise PowerCut
        return work(*arguments, **also)

    monkeypatch.setattr(archiving, step, broken)


def test_broken_off_anywhere_removing_is_repeated_without_loss(
    months: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each short transaction the log, the files and the hashes hold together."""
    archive_months(TENANT, MARCH)
    sign()
    monkeypatch.setattr(archiving, "_AT_ONCE", 50)
    for turn in (1, 2, 3):
        with monkeypatch.context() as patch:
            break_at(patch, "_leaving_part", turn)
            with pytest.raises(PowerCut):
                remove_archived(TENANT)
        assert recheck_all(TENANT).intact, turn
        assert list(whole_log(TENANT, upto=300)) == months
    remove_archived(TENANT)
    assert len(here()) == 40 + 101


def test_dates_that_do_not_rise_neither_lose_an_entry_nor_archive_it_twice() -> None:
    """A clock set back, one set forward, and an answer dated by its moment."""
    days = [(1, 10), (2, 3), (1, 31), (2, 9), (1, 5), (2, 20), (3, 1), (2, 2), (4, 1)]
    with transaction.atomic():
        for number, (month, day) in enumerate(days):
            write_question(number, datetime(2025, month, day, tzinfo=UTC))
    sign()
    made = archive_months(TENANT, MARCH)
    assert [(one.month, one.first, one.last) for one in made] == [
        ("2025-01", 1, 2),
        ("2025-02", 3, 12),
    ]
    made = archive_months(TENANT, date(2025, 5, 1))
    assert [(one.month, one.first, one.last) for one in made] == [
        ("2025-03", 13, 16),
        ("2025-04", 17, 18),
    ]
    sign()
    assert remove_archived(TENANT) == 18
    assert recheck_all(TENANT).intact


def test_an_entry_dated_ahead_holds_back_what_follows_it() -> None:
    with transaction.atomic():
        for number, year in enumerate((2025, 2031, 2025)):
            write_question(number, datetime(year, 1, 1, tzinfo=UTC))
    sign()
    assert [(one.first, one.last) for one in archive_months(TENANT, MARCH)] == [(1, 2)]
    assert archive_months(TENANT, MARCH) == []


def test_a_log_that_contradicts_what_was_signed_is_not_archived(months: list[bytes]) -> None:
    """Its files would look like the truth. A changed entry, with and without its hash."""
    rewrite(7, rehash=False)
    with pytest.raises(ArchiveRefused, match="other entries 1 to 100"):
        archive_months(TENANT, MARCH)
    file(0).unlink()
    rewrite(7, rehash=True)
    with pytest.raises(ArchiveRefused, match="checkpoint of 300 entries"):
        archive_months(TENANT, MARCH)
    assert not AuditArchive.objects.exists()
    assert log_size(TENANT) == 300


def test_what_no_checkpoint_covers_is_not_archived() -> None:
    write_month(1)
    with pytest.raises(ArchiveRefused, match="No checkpoint covers entry 100 yet"):
        archive_months(TENANT, MARCH)


def test_a_restored_database_beside_newer_files_adopts_equal_ones_and_refuses_others(
    months: list[bytes],
) -> None:
    """The backup is from before the months were archived; the folder is as it was left."""
    with transaction.atomic():
        archive_months(TENANT, MARCH)
        transaction.set_rollback(True)
    written = file(0).stat().st_mtime_ns
    assert len(archive_months(TENANT, date(2025, 2, 1))) == 1
    assert file(0).stat().st_mtime_ns == written
    tampered(file(1), lambda rows: [(n, x.replace(b"0.5", b"0.6")) for n, x in rows])
    with pytest.raises(ArchiveRefused, match="holds other entries 101 to 200 than the log"):
        archive_months(TENANT, MARCH)
    assert AuditArchive.objects.count() == 1


def test_two_runs_at_once_archive_a_month_once(
    months: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second finds, behind the head's lock, that the first was there."""
    record = archiving._recorded

    def late(*arguments: Any) -> Any:
        monkeypatch.undo()
        archive_months(TENANT, MARCH)
        return record(*arguments)

    monkeypatch.setattr(archiving, "_recorded", late)
    with pytest.raises(ArchiveRefused, match="Another run"):
        archive_months(TENANT, MARCH)
    assert AuditArchive.objects.count() == 2
    assert AuditEntry.objects.filter(action=Action.AUDIT_LOG_ARCHIVED).count() == 1
