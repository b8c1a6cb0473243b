"""Writes old months of a log to files, and takes out of the log what they hold.

Two steps with a signature between them, each of which may be broken off anywhere and repeated. The
first compares what it wrote, read back from the file, with the log and with a signed checkpoint,
and records it as an entry. The second removes nothing but what is recorded, signed and there. Both
are for the owner of the tables, who acts for the tenant.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from dpgov.audit.actions import FREQUENT_ACTIONS, Action
from dpgov.audit.actor import OPERATOR
from dpgov.audit.archive.leaves import kept, rows_of
from dpgov.audit.archive.parquet import (
    ArchiveAway,
    BrokenArchive,
    leaves_of,
    sha256_of,
    write,
)
from dpgov.audit.archive.reading import (
    another_file,
    archived_lines,
    archived_to,
    archives_of,
    check_file,
    folder_of,
)
from dpgov.audit.entry import line_of
from dpgov.audit.files import put_once
from dpgov.audit.history import findings
from dpgov.audit.keys.note import opened
from dpgov.audit.models import AuditArchive, AuditEntry, AuditLeaves
from dpgov.audit.outside import known_keys
from dpgov.audit.selectors import newest_checkpoint, stream
from dpgov.audit.services import append
from dpgov.audit.tree import CompactRange, parted
from dpgov.language.said import said

_CHUNK = 20_000
_AT_ONCE = 10_000


class ArchiveRefused(RuntimeError):
    """The log, a checkpoint or a file is not as it has to be, so nothing was changed."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = reasons


@dataclass(frozen=True, slots=True)
class _Written:
    """A file that was read back: its leaf hashes one after the other, and its SHA-256."""

    archive: AuditArchive
    leaves: bytes


def archive_months(tenant_id: UUID, before: date) -> list[AuditArchive]:
    """Write what is dated before this first day of a month to files, and record them.

    Raises ArchiveRefused. Removes nothing: see `remove_archived`.
    """
    wanted = list(_spans(tenant_id, datetime(before.year, before.month, 1, tzinfo=UTC)))
    if not wanted:
        return []
    _refuse_contradictions(tenant_id)
    written = [_written(archive) for archive in wanted]
    _refuse_what_nobody_signed(tenant_id, written)
    return _recorded(tenant_id, written)


def _spans(tenant_id: UUID, before: datetime) -> Iterator[AuditArchive]:
    """The files to come, not saved: each ends before the first entry dated after its month."""
    entries = AuditEntry.objects.filter(tenant_id=tenant_id).order_by("sequence")
    first = archived_to(tenant_id) + 1
    while (at := _moment(entries.filter(sequence=first))) and at < before:
        month = at.astimezone(UTC)
        end = datetime(month.year + month.month // 12, month.month % 12 + 1, 1, tzinfo=UTC)
        later = entries.filter(sequence__gt=first, at__gte=end)
        after = later.values_list("sequence", flat=True).first()
        newest = entries.values_list("sequence", flat=True).last()
        last = (after or (newest or 0) + 1) - 1
        yield AuditArchive(tenant_id=tenant_id, month=f"{month:%Y-%m}", first=first, last=last)
        first = last + 1


def _moment(entries: QuerySet[AuditEntry]) -> datetime | None:
    return entries.values_list("at", flat=True).first()


def _written(archive: AuditArchive) -> _Written:
    """The file, made or found, read back and compared with the log entry by entry."""
    path = folder_of(archive.tenant_id) / archive.name
    entries = stream(archive.tenant_id, after=archive.first - 1, upto=archive.last)
    lines = ((values["sequence"], line_of(values)) for values in entries)
    put_once(path, lambda file: write(file, lines))
    try:
        leaves = leaves_of(
            path, tenant=str(archive.tenant_id), first=archive.first, last=archive.last
        )
    except BrokenArchive as broken:
        raise ArchiveRefused([broken.args[0], _put_aside(path)]) from broken
    place = 0
    for stored in _stored_leaves(archive.tenant_id, archive.first - 1, archive.last):
        if leaves[place : place + len(stored)] != stored:
            raise ArchiveRefused([_differs(path, archive), _put_aside(path)])
        place += len(stored)
    if place != len(leaves):
        raise ArchiveRefused([_differs(path, archive), _put_aside(path)])
    archive.sha256 = sha256_of(path)
    return _Written(archive, leaves)


def _stored_leaves(tenant_id: UUID, after: int, upto: int) -> Iterator[bytes]:
    """The leaf hashes that the table has, thousands at once."""
    rows = AuditEntry.objects.filter(tenant_id=tenant_id).order_by("sequence")
    found = rows.values_list("sequence", "leaf_hash")
    while chunk := list(found.filter(sequence__gt=after, sequence__lte=upto)[:_CHUNK]):
        yield b"".join(bytes(leaf) for _, leaf in chunk)
        after = chunk[-1][0]


def _differs(path: Path, archive: AuditArchive) -> str:
    return said(
        "{file} holds other entries {first} to {last} than the log.",
        file=path.name,
        first=archive.first,
        last=archive.last,
    )


def _put_aside(path: Path) -> str:
    return said("Find out why, put {file} aside and repeat the command.", file=path)


def _refuse_contradictions(tenant_id: UUID) -> None:
    if reasons := findings(tenant_id):
        raise ArchiveRefused(reasons)


def _refuse_what_nobody_signed(tenant_id: UUID, written: list[_Written]) -> None:
    """The root from the first entry on, of hashes made from the files, is what was signed."""
    checkpoint, last = newest_checkpoint(tenant_id), written[-1].archive.last
    if checkpoint is None or checkpoint.size < last:
        raise ArchiveRefused([_not_signed(last)])
    tree, size = CompactRange(), checkpoint.size
    tree.extend([leaf for _, leaf in kept(tenant_id, after=0, upto=archived_to(tenant_id))])
    for leaves in [one.leaves for one in written]:
        tree.extend(parted(leaves))
    for leaves in _stored_leaves(tenant_id, last, size):
        tree.extend(parted(leaves))
    if tree.root() != opened(checkpoint.note, known_keys(tenant_id)).root:
        raise ArchiveRefused([said("The checkpoint of {size} entries is not theirs.", size=size)])


def _not_signed(number: int) -> str:
    return said("No checkpoint covers entry {number} yet: try again after the next.", number=number)


@transaction.atomic
def _recorded(tenant_id: UUID, written: list[_Written]) -> list[AuditArchive]:
    archives = [one.archive for one in written]
    entry = append(
        tenant_id=tenant_id,
        actor=OPERATOR,
        action=Action.AUDIT_LOG_ARCHIVED,
        subject=f"log:{tenant_id}",
        detail={"files": [_said(archive) for archive in archives]},
    )
    # From here on the log's head is ours: another run has either recorded these, or waits.
    if archived_to(tenant_id) != archives[0].first - 1:
        raise ArchiveRefused([said("Another run of this command has archived them meanwhile.")])
    for one in written:
        one.archive.recorded = entry.sequence
        one.archive.save(force_insert=True)
        start = one.archive.first - 1
        AuditLeaves.objects.bulk_create(rows_of(tenant_id, start=start, hashes=one.leaves))
    return archives


def _said(archive: AuditArchive) -> dict[str, str | int]:
    names = ("month", "first", "last", "sha256")
    return {"name": archive.name} | {name: getattr(archive, name) for name in names}


def remove_archived(tenant_id: UUID) -> int:
    """Take out of the log what is in files, recorded and signed; returns how many entries left.

    Raises ArchiveRefused.
    """
    archives = [one for one in archives_of(tenant_id) if _leaving(one).exists()]
    if not archives:
        return 0
    _refuse_contradictions(tenant_id)
    checkpoint, recorded = newest_checkpoint(tenant_id), max(one.recorded for one in archives)
    if checkpoint is None or checkpoint.size < recorded:
        raise ArchiveRefused([_not_signed(recorded)])
    for archive in archives:
        _refuse_another_file(archive)
    return sum(_remove(archive) for archive in archives)


def _refuse_another_file(archive: AuditArchive) -> None:
    """Only while the whole file is there, with every entry that it had."""
    try:
        lines = archived_lines(archive.tenant_id, after=archive.first - 1, upto=archive.last)
        number = sum(1 for _ in lines)
        check_file(archive)
        if number != archive.last - archive.first + 1:
            raise another_file(archive)
    except (BrokenArchive, ArchiveAway) as problem:
        raise ArchiveRefused([problem.args[0]]) from problem


def _leaving(archive: AuditArchive) -> QuerySet[AuditEntry]:
    return AuditEntry.objects.filter(
        tenant_id=archive.tenant_id,
        sequence__gte=archive.first,
        sequence__lte=archive.last,
        action__in=FREQUENT_ACTIONS,
    )


def _remove(archive: AuditArchive) -> int:
    """In short transactions: a reader of the log never waits, and a crash loses little."""
    starts = range(archive.first, archive.last + 1, _AT_ONCE)
    return sum(_leaving_part(archive, start).delete()[0] for start in starts)


def _leaving_part(archive: AuditArchive, start: int) -> QuerySet[AuditEntry]:
    return _leaving(archive).filter(sequence__gte=start, sequence__lt=start + _AT_ONCE)
