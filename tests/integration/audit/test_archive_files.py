"""G10, G2: what left the log for files: proved, verified and missed as if it were still there."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pytest

from dpgov.audit.actor import OPERATOR
from dpgov.audit.archive.reading import (
    archived_entry,
    archived_lines,
    folder_of,
    older_of,
    whole_log,
)
from dpgov.audit.archiving import ArchiveRefused, archive_months, remove_archived
from dpgov.audit.entry import leaf_hash, line_of
from dpgov.audit.export import json_lines
from dpgov.audit.models import AuditArchive, AuditCheckpoint, AuditEntry, AuditLeaves
from dpgov.audit.outside import known_keys
from dpgov.audit.receipts.proofs import consistency, release_receipt
from dpgov.audit.receipts.verify import consistency_problems, receipt_problems
from dpgov.audit.recheck import recheck_all
from dpgov.audit.selectors import stream
from dpgov.audit.services import verify_and_record
from dpgov.audit.stored_tree import StoredTree
from dpgov.audit.verify import verify_export
from tests.integration.audit.archives import MARCH, NAMES, file, sign, tampered
from tests.integration.audit.logs import (
    NEIGHBOUR,
    TENANT,
    rewrite,
    write,
    write_month,
)
from tests.triggers import without_triggers
from tests.unit.audit.roots import root_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folders")]


def test_what_is_read_from_a_file_is_what_was_in_the_log(archived: list[bytes]) -> None:
    lines = [line + b"\n" for _, line in archived_lines(TENANT, after=3, upto=150)]
    assert lines == archived[3:150]
    assert list(whole_log(TENANT, upto=300)) == archived
    entry = archived_entry(TENANT, 7)
    assert entry is not None
    assert line_of(vars(entry)) + b"\n" == archived[6]
    assert archived_entry(TENANT, 201) is None
    found = older_of(TENANT)
    assert found is not None
    assert (found.upto, found.since, found.until) == (200, "2025-01", "2025-02")


def test_proofs_go_on_over_what_has_left(archived: list[bytes]) -> None:
    """Consistency between old and new checkpoints, and the receipt of an archived answer."""
    keys = known_keys(TENANT)
    for old, new in ((100, 200), (100, 301), (200, 300), (300, 301)):
        proof = consistency(tenant_id=TENANT, old=old, new=new)
        assert consistency_problems(proof, keys=keys) == [], (old, new)
    at = datetime(2025, 2, 1, 12, tzinfo=UTC)
    receipt = release_receipt(
        tenant_id=TENANT, query_id=UUID(int=202), release_sha256="0" * 64, recorded_near=at
    )
    assert (receipt["leaf_index"], receipt["tree_size"]) == (101, 200)
    assert receipt_problems(receipt, keys=keys) == []
    file(1).unlink()
    receipt = release_receipt(
        tenant_id=TENANT, query_id=UUID(int=202), release_sha256="0" * 64, recorded_near=at
    )
    assert not receipt["complete"]
    assert NAMES[1] in receipt["message"]


def test_an_outsider_verifies_archives_and_export_together(
    archived: list[bytes], tmp_path: Path
) -> None:
    """From files alone: whole, with the archives apart, with one missing, with one changed."""
    notes = list(AuditCheckpoint.objects.values_list("note", flat=True))
    keys, export = known_keys(TENANT), tmp_path / "export.jsonl"
    recent = list(json_lines(stream(TENANT, after=200, upto=301)))
    files = [file(1), file(0)]

    def verdict(lines: list[bytes], archives: list[Path]) -> Any:
        export.write_bytes(b"".join(lines))
        return verify_export(export, notes, keys=keys, archives=archives)

    assert verdict(recent, files).agreeing == [100, 200, 300, 301]
    assert verdict([*archived, recent[-1]], files).agreeing == [100, 200, 300, 301]
    assert verdict([*archived, recent[-1]], []).agreeing == [100, 200, 300, 301]
    for lines, given, told in (
        (recent, [], "Entries 1 to 200 may be in archive files"),
        (recent, [file(0)], "Entries 101 to 200 were not found"),
        (recent[50:], [file(1)], "Entries 1 to 100, 201 to 250 were not found"),
        (recent, [*files, file(0)], "Two archive files hold entry 1"),
        (
            [b"".join(archived).replace(b'"0.5', b'"0.6', 1), recent[-1]],
            files,
            "differ from entry 1",
        ),
    ):
        assert told in " ".join(verdict(lines, given).problems)
    tampered(file(0), lambda rows: [(n, line.replace(b"0.5", b"0.6")) for n, line in rows])
    found = verdict(recent, files)
    assert not found.intact
    assert "are not those that the checkpoint was signed over" in found.problems[0]


CHANGES: list[tuple[str, Callable[[Any], Any], str]] = [
    ("an amount", lambda rows: [(n, x.replace(b"0.5", b"0.6")) for n, x in rows], "entry 1 is not"),
    ("one left out", lambda rows: rows[:50] + rows[51:], "does not hold entry 51"),
    ("the end cut off", lambda rows: rows[:-1], "does not hold entry 100"),
    ("two swapped", lambda rows: [rows[1], rows[0], *rows[2:]], "does not hold entry 1 "),
    ("one more", lambda rows: [*rows, (101, rows[0][1])], "does not hold entry 101"),
    ("everything", lambda rows: [], "does not hold entry 1 "),
]


@pytest.mark.parametrize("removed", [False, True])
def test_a_changed_file_is_found_before_anything_leaves_and_afterwards(
    months: list[bytes], removed: bool
) -> None:
    """However well-formed it is; and a damaged one."""
    archive_months(TENANT, MARCH)
    sign()
    whole = file(0).read_bytes()
    if removed:
        remove_archived(TENANT)
    for name, change, told in CHANGES:
        tampered(file(0), change)
        assert told in " ".join(recheck_all(TENANT).problems), name
        if not removed:
            with pytest.raises(ArchiveRefused):
                remove_archived(TENANT)
        file(0).write_bytes(whole)
    file(0).write_bytes(whole[: len(whole) // 2])
    assert "cannot be read as an archive" in " ".join(recheck_all(TENANT).problems)
    file(0).write_bytes(whole)
    assert recheck_all(TENANT).intact


def test_another_file_of_the_same_entries_is_not_the_one_that_was_recorded(
    months: list[bytes],
) -> None:
    """The entry in the log names the file by its hash."""
    archive_months(TENANT, MARCH)
    sign()
    content = duckdb.read_parquet(str(file(0)))
    content.write_parquet(str(file(0).with_suffix(".other")), compression="uncompressed")
    file(0).with_suffix(".other").replace(file(0))
    with pytest.raises(ArchiveRefused, match="is not the file that was recorded"):
        remove_archived(TENANT)


def test_a_file_of_another_organisation_is_not_shown(archived: list[bytes]) -> None:
    """Under the right name, in the right folder, with as many entries."""
    write_month(1, tenant_id=NEIGHBOUR)
    sign(NEIGHBOUR)
    archive_months(NEIGHBOUR, MARCH)
    (folder_of(NEIGHBOUR) / NAMES[0]).replace(file(0))
    assert "entry 1 is of another log" in " ".join(recheck_all(TENANT).problems)
    with pytest.raises(ValueError, match="of another log"):
        archived_entry(TENANT, 1)
    assert AuditEntry.objects.filter(tenant_id=NEIGHBOUR).count() == 101


def test_what_cannot_be_found_is_said_with_its_numbers(archived: list[bytes]) -> None:
    file(0).unlink()
    verdict = recheck_all(TENANT)
    assert verdict.intact
    assert "Entries 1 to 100 could not be found: 2025-01-" in " ".join(verdict.unread)
    assert list(whole_log(TENANT, upto=300)) == archived[200:]
    detail = verify_and_record(tenant_id=TENANT, actor=OPERATOR)
    assert detail.unread
    assert "could not be found" in AuditEntry.objects.latest("sequence").detail


def test_an_entry_that_stays_is_missed_and_so_is_a_kept_hash(archived: list[bytes]) -> None:
    """Archived is no cover for one that was not to leave."""
    rewrite(10, rehash=True)
    assert "Entry 10 does not match" in " ".join(recheck_all(TENANT).problems)
    file(0).rename(file(0).with_suffix(".away"))
    assert "Entry 10 does not match" in " ".join(recheck_all(TENANT).problems)
    file(0).with_suffix(".away").rename(file(0))
    with without_triggers():
        AuditEntry.objects.filter(sequence=10).delete()
    assert "Entry 10 is missing; it was not to leave" in " ".join(recheck_all(TENANT).problems)
    with without_triggers():
        AuditLeaves.objects.filter(start=100).delete()
    assert "hash that was kept of entry 101 is missing" in " ".join(recheck_all(TENANT).problems)


def test_a_row_that_names_no_file_hides_nothing(archived: list[bytes]) -> None:
    """An archive taken out of the list leaves its entries missed."""
    with without_triggers():
        AuditArchive.objects.filter(first=1).delete()
    assert "No archive file holds entries 1 to 100" in " ".join(recheck_all(TENANT).problems)


def test_new_entries_and_checkpoints_follow_as_ever(archived: list[bytes]) -> None:
    """The edge of the tree and the tiles that the archive shares with newer entries."""
    write(300)
    sign()
    assert recheck_all(TENANT).intact
    leaves = [leaf_hash(line[:-1]) for line in archived[:256]]
    assert StoredTree(TENANT).node(8, 0) == root_of(leaves)
    assert StoredTree(TENANT).node(5, 6) == root_of(leaves[192:224])
