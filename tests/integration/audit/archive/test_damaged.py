"""G2, G10: an archive file that is there and damaged is no file that is away.

What could go wrong: `verify_audit_log` and the verifier say that they cannot tell, where somebody
has destroyed what an archived month said.
"""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from dpgov.audit.archive.parquet import ArchiveAway, BrokenArchive, lines_of, span_of, write
from dpgov.audit.archive.reading import archived_entry, check_files
from dpgov.audit.archiving import ArchiveRefused, archive_months
from dpgov.audit.export import json_lines
from dpgov.audit.models import AuditCheckpoint
from dpgov.audit.outside import KEYS
from dpgov.audit.outside import folder_of as checkpoints_of
from dpgov.audit.recheck import recheck_all
from dpgov.audit.selectors import stream
from dpgov.audit.verify import BROKEN, main
from tests.integration.audit.archives import MARCH, file
from tests.integration.audit.logs import TENANT

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folders")]
DAMAGED = "cannot be read as an archive: it is damaged"


def damaged_copies(whole: bytes) -> Iterator[bytes]:
    """Eight bytes turned around, everywhere in turn: pages, their heads, the footer."""
    for start in range(0, len(whole) - 8, len(whole) // 60):
        turned = bytes(byte ^ 0xFF for byte in whole[start : start + 8])
        yield whole[:start] + turned + whole[start + 8 :]


def damage_a_page(path: Path) -> None:
    """The first copy that pyarrow gives up on with an OSError, in the place of the file."""
    for copy in damaged_copies(path.read_bytes()):
        path.write_bytes(copy)
        try:
            list(parquet.ParquetFile(path).iter_batches())
        except OSError:
            return
        except pyarrow.ArrowException:
            continue
    pytest.fail("no damage was an OSError")


def test_no_damage_anywhere_in_a_file_is_taken_for_its_absence(archived: list[bytes]) -> None:
    whole = file().read_bytes()
    for place, copy in enumerate(damaged_copies(whole)):
        file().write_bytes(copy)
        found = recheck_all(TENANT)
        assert found.unread == (), place
        try:
            span = span_of(file())
            lines = list(lines_of(file(), tenant=str(TENANT), first=1, last=100))
        except BrokenArchive:
            assert found.problems, place
        else:
            assert (span[1:], len(lines)) == ((1, 100), 100), place


def test_a_damaged_archive_is_a_problem_and_said_to_be_damaged(archived: list[bytes]) -> None:
    damage_a_page(file())
    assert f"{file().name} {DAMAGED}" in " ".join(recheck_all(TENANT).problems)
    with pytest.raises(BrokenArchive, match=DAMAGED):
        archived_entry(TENANT, 7)


def test_an_outsider_is_told_that_a_damaged_archive_is_broken(
    archived: list[bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export, note = tmp_path / "export.jsonl", tmp_path / "note.txt"
    export.write_bytes(b"".join(json_lines(stream(TENANT, after=200, upto=301))))
    note.write_text(AuditCheckpoint.objects.latest("size").note)
    damage_a_page(file())
    keys = str(checkpoints_of(TENANT) / KEYS)
    archives = ["--archive", str(file(0)), str(file(1))]
    assert main([str(export), str(note), "--key", keys, *archives]) == BROKEN
    assert f"{file().name} {DAMAGED}" in capsys.readouterr().out


def test_a_file_that_is_damaged_before_it_is_recorded_is_refused(months: list[bytes]) -> None:
    """One that a run which broke off has left there."""
    file().parent.mkdir(parents=True)
    with file().open("wb") as target:
        write(target, enumerate((line.rstrip() for line in months[:100]), start=1))
    damage_a_page(file())
    with pytest.raises(ArchiveRefused, match=DAMAGED):
        archive_months(TENANT, MARCH)


@pytest.mark.parametrize("column", ["sequence", "line"])
def test_a_file_with_a_gap_in_a_column_is_damaged(tmp_path: Path, column: str) -> None:
    """Well-formed, but of rows without a number or a text."""
    path = tmp_path / "gap.parquet"
    rows: dict[str, list[Any]] = {"sequence": [1], "line": ['{"sequence":1,']}
    rows[column] = [None]
    types = {"sequence": pyarrow.int64(), "line": pyarrow.string()}
    parquet.write_table(pyarrow.table(rows, schema=pyarrow.schema(list(types.items()))), path)
    with pytest.raises(BrokenArchive, match=DAMAGED):
        span_of(path)
    with pytest.raises(BrokenArchive, match=DAMAGED):
        list(lines_of(path, tenant=str(TENANT), first=1, last=1))


def test_what_the_system_cannot_read_is_not_called_damaged(
    archived: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fails, or a name that is not of a file, says nothing of what it holds."""

    def fails(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(parquet, "ParquetFile", fails)
    verdict = recheck_all(TENANT)
    assert verdict.intact
    assert "Entries 1 to 100 could not be read" in verdict.unread[0]
    monkeypatch.undo()
    file().unlink()
    file().mkdir()
    assert "reading it failed" in recheck_all(TENANT).unread[0]
    with pytest.raises(ArchiveAway, match="reading it failed"):
        check_files(TENANT)
