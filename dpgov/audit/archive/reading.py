"""What has left the log for the archive: where it lies, and reading it.

A line is given out when its hash is the one that was kept of the entry with that number, and never
else: a file that was changed, or is another organisation's, is as good as none.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Max, Min, QuerySet

from dpgov.audit.archive.leaves import kept
from dpgov.audit.archive.parquet import ArchiveAway, BrokenArchive, lines_of, sha256_of
from dpgov.audit.entry import FACT_NAMES, leaf_hash
from dpgov.audit.export import json_lines
from dpgov.audit.models import AuditArchive, AuditEntry
from dpgov.audit.selectors import stream
from dpgov.language.said import said

Line = tuple[int, bytes]


def folder_of(tenant_id: UUID) -> Path:
    """Where the tenant's archive files lie."""
    return Path(settings.DPGOV_ARCHIVE_FOLDER) / str(tenant_id)


def archives_of(tenant_id: UUID) -> QuerySet[AuditArchive]:
    """The tenant's archive files, the oldest first; each begins where the one before ends."""
    return AuditArchive.objects.filter(tenant_id=tenant_id).order_by("first")


def archived_to(tenant_id: UUID) -> int:
    """The number of the last entry that is in a file; 0 without an archive."""
    return archives_of(tenant_id).aggregate(last=Max("last"))["last"] or 0


@dataclass(frozen=True, slots=True)
class Older:
    """Questions asked and answered up to entry `upto` are in files of these months."""

    upto: int
    since: str
    until: str
    folder: str

    @property
    def sentence(self) -> str:
        """Where they are, in one sentence."""
        return said(
            "Of entries 1 to {upto}, questions asked and answered are no longer listed here: they "
            "are in the archive of {since} to {until}, in the folder {folder}.",
            upto=self.upto,
            since=self.since,
            until=self.until,
            folder=self.folder,
        )


def older_of(tenant_id: UUID) -> Older | None:
    """What of the log is in the archive alone, or None."""
    months = Min("month"), Max("month"), Max("last")
    since, until, last = archives_of(tenant_id).aggregate(*months).values()
    if last is None:
        return None
    # The amounts have an index of their own, and only questions have them.
    here = AuditEntry.objects.filter(tenant_id=tenant_id, amount_nano__isnull=False)
    first = here.aggregate(first=Min("sequence"))["first"]
    upto = last if first is None else min(last, first - 1)
    return Older(upto, since, until, str(folder_of(tenant_id))) if upto else None


def archived_lines(tenant_id: UUID, *, after: int, upto: int) -> Iterator[Line]:
    """(number, canonical JSON) of the archived entries after < number <= upto, in order.

    Raises ArchiveAway, BrokenArchive.
    """
    leaves = kept(tenant_id, after=after, upto=upto)
    for archive in archives_of(tenant_id).filter(last__gt=after, first__lte=upto):
        for number, line in _read(archive, after):
            if number > upto:
                return
            if number > after:
                _believe(archive, number, line, next(leaves, (0, b"")))
                yield number, line


def _read(archive: AuditArchive, after: int = 0) -> Iterator[Line]:
    """The entries of a file, not yet compared with what was kept."""
    path, tenant = folder_of(archive.tenant_id) / archive.name, str(archive.tenant_id)
    try:
        yield from lines_of(
            path, tenant=tenant, first=archive.first, last=archive.last, after=after
        )
    except OSError as error:
        raise _away(archive, error) from error


def _away(archive: AuditArchive, error: OSError) -> ArchiveAway:
    """What there is to say of a file that is not there, or that the system cannot read."""
    facts = {
        "first": archive.first,
        "last": archive.last,
        "file": archive.name,
        "folder": folder_of(archive.tenant_id),
    }
    if not isinstance(error, FileNotFoundError):
        return ArchiveAway(
            said(
                "Entries {first} to {last} could not be read: {file} is in the folder {folder}, "
                "but reading it failed.",
                **facts,
            )
        )
    return ArchiveAway(
        said(
            "Entries {first} to {last} could not be found: {file} is not in the folder {folder}.",
            **facts,
        )
    )


def _believe(archive: AuditArchive, number: int, line: bytes, leaf: tuple[int, bytes]) -> None:
    if leaf != (number - 1, leaf_hash(line)):
        raise BrokenArchive(
            said(
                "{file}: entry {number} is not the one that was archived.",
                file=archive.name,
                number=number,
            )
        )


def check_files(tenant_id: UUID) -> None:
    """Read what is in the folder to its end.

    Raises BrokenArchive for a file that was changed, ArchiveAway for one that is there but cannot
    be read.
    """
    for archive in archives_of(tenant_id):
        try:
            check_file(archive)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise _away(archive, error) from error


def check_file(archive: AuditArchive) -> None:
    """Read it to its end; raises BrokenArchive where it was changed, OSError where it is away."""
    if sha256_of(folder_of(archive.tenant_id) / archive.name) != archive.sha256:
        raise another_file(archive)


def another_file(archive: AuditArchive) -> BrokenArchive:
    """What there is to say of a file that is not the one."""
    return BrokenArchive(said("{file} is not the file that was recorded.", file=archive.name))


def whole_log(tenant_id: UUID, *, upto: int) -> Iterator[bytes]:
    """The canonical JSON of every entry up to one, each with a newline: the log as it is verified.

    Where a file is not in the folder, what is archived is left out: a verifier has the files.
    """
    archives, folder = list(archives_of(tenant_id)), folder_of(tenant_id)
    last = archives[-1].last if archives else 0
    if all((folder / one.name).is_file() for one in archives):
        for _, line in archived_lines(tenant_id, after=0, upto=last):
            yield line + b"\n"
    yield from json_lines(stream(tenant_id, after=last, upto=upto))


def archived_entry(tenant_id: UUID, sequence: int) -> AuditEntry | None:
    """An entry out of its file, not to be saved; None when no file has it.

    Raises ArchiveAway, BrokenArchive.
    """
    for _, line in archived_lines(tenant_id, after=sequence - 1, upto=sequence):
        return _entry(line)
    return None


def archived_release(tenant_id: UUID, subject: str, near: datetime) -> AuditEntry | None:
    """The entry about this subject among those archived of that time; raises as above.

    A file may hold entries of the month after the one that it is named by, and never earlier ones
    than the file before it: two are looked at.
    """
    month = f"{near.astimezone(UTC) - timedelta(minutes=10):%Y-%m}"
    wanted = f'"subject":"{subject}"'.encode()
    for archive in archives_of(tenant_id).filter(month__gte=month)[:2]:
        for number, line in _read(archive):
            if wanted in line and b'"action":"QUERY_RELEASED"' in line[:40]:
                return archived_entry(tenant_id, number)
    return None


def _entry(line: bytes) -> AuditEntry:
    said_there = json.loads(line)
    facts: dict[str, Any] = {name: said_there[name] for name in FACT_NAMES}
    facts["at"] = datetime.fromisoformat(facts["at"])
    facts["tenant_id"] = UUID(facts["tenant_id"])
    return AuditEntry(**facts, leaf_hash=leaf_hash(line))
