"""Reads archived entries again: each file against the hashes that were kept, and what stayed in the
log of the same entries against the file.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from dpgov.audit.actions import FREQUENT_ACTIONS
from dpgov.audit.archive.leaves import kept
from dpgov.audit.archive.parquet import ArchiveAway, BrokenArchive
from dpgov.audit.archive.reading import archived_lines, archives_of
from dpgov.audit.entry import leaf_hash, line_of
from dpgov.audit.selectors import stream
from dpgov.language.said import said

_MAY_LEAVE = tuple(f'{{"action":"{action}",'.encode() for action in FREQUENT_ACTIONS)


@dataclass(slots=True)
class ArchiveCheck:
    """What is wrong, and which entries could not be found; sentences."""

    problems: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)


def recheck_archive(tenant_id: UUID, *, after: int, upto: int) -> ArchiveCheck:
    """The archived entries after < number <= upto; of each file the first problem."""
    found, expected = ArchiveCheck(), 1
    for archive in archives_of(tenant_id):
        if archive.first != expected:
            found.problems.append(
                said(
                    "No archive file holds entries {first} to {last}.",
                    first=expected,
                    last=archive.first - 1,
                )
            )
        expected = archive.last + 1
        begin, end = max(after, archive.first - 1), min(upto, archive.last)
        if begin < end:
            _recheck(tenant_id, begin, end, found)
    return found


def _recheck(tenant_id: UUID, after: int, upto: int, found: ArchiveCheck) -> None:
    try:
        found.problems += _in_file(tenant_id, after, upto)
    except BrokenArchive as broken:
        found.problems.append(broken.args[0])
    except ArchiveAway as away:
        found.unread.append(away.args[0])
        found.problems += _without_file(tenant_id, after, upto)


def _in_file(tenant_id: UUID, after: int, upto: int) -> Iterator[str]:
    """Whether what stayed is what the file says, and whether all is there that has to stay."""
    here = stream(tenant_id, after=after, upto=upto)
    row = next(here, None)
    for number, line in archived_lines(tenant_id, after=after, upto=upto):
        if row is not None and row["sequence"] == number:
            if not _agrees(row, leaf_hash(line)):
                yield changed(number)
                return
            row = next(here, None)
        elif not line.startswith(_MAY_LEAVE):
            yield said("Entry {number} is missing; it was not to leave the log.", number=number)
            return


def _without_file(tenant_id: UUID, after: int, upto: int) -> Iterator[str]:
    """What stayed, against the kept hashes alone."""
    leaves = kept(tenant_id, after=after, upto=upto)
    for row in stream(tenant_id, after=after, upto=upto):
        leaf = next((value for place, value in leaves if place == row["sequence"] - 1), b"")
        if not _agrees(row, leaf):
            yield changed(row["sequence"])
            return


def _agrees(row: dict[str, Any], leaf: bytes) -> bool:
    return leaf_hash(line_of(row)) == bytes(row["leaf_hash"]) == leaf


def changed(number: int) -> str:
    """What is said of an entry whose hash is not that of what it says."""
    return said(
        "Entry {number} does not match its own hash: something in it was changed.", number=number
    )
